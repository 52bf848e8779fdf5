// Writes what was said, off the way of requests: a bounded number of bytes waits, and what would be more is dropped.
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import type { World } from "../../../kernel/context.ts";
import { soon } from "../../../kernel/work/soon.ts";
import { limits } from "../limits.ts";
import { makeBodyDays } from "./days.ts";
import * as queries from "./queries.ts";
import { sealBody, type SaidBody } from "./sealed-body.ts";

export interface WaitingBody extends SaidBody {
  workspaceId: string;
  at: Date;
}

interface Row {
  body: Omit<WaitingBody, "request"> & { request: Buffer | null };
  bytes: number;
  tries: number;
}

export function makeBodyWriter(world: World) {
  const { logger, instruments } = world;
  const days = makeBodyDays(world);
  let waiting: Row[] = [];
  let waitingBytes = 0;
  let isFailing = false;

  const end = ({ bytes }: Row) => (waitingBytes -= bytes);

  function add(body: WaitingBody): void {
    const bytes =
      body.request.length + 2 * ((body.answer?.length ?? 0) + (body.error?.length ?? 0));
    const hasRoom = waitingBytes + bytes <= limits.waitingBytesMax;
    if (!hasRoom) instruments.requestBodiesNotKept.with().inc();
    if (waiting.length >= limits.waitingRowsMax) {
      if (hasRoom) instruments.requestBodiesNotKept.with().inc();
      return;
    }
    if (hasRoom) waitingBytes += bytes;
    waiting.push(
      hasRoom
        ? { body, bytes, tries: 0 }
        : { body: { ...body, request: null, answer: null, error: null }, bytes: 0, tries: 0 },
    );
    writing.ask();
  }

  /** As many as are written at a time. */
  function take(): Row[] {
    let bytes = 0;
    let count = 0;
    for (const row of waiting) {
      if (count === limits.rowsAtOnce || (count > 0 && bytes + row.bytes > limits.bytesAtOnce))
        break;
      bytes += row.bytes;
      count += 1;
    }
    const taken = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return taken;
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const rows = take();
      try {
        const again = await writeRows(world, days, rows);
        for (const row of rows) if (!again.includes(row)) end(row);
        waiting = [...again, ...waiting];
        isFailing = false;
      } catch (error) {
        waiting = [...rows, ...waiting];
        days.forget();
        if (!isFailing)
          logger.warn(
            { error: String(error) },
            "kept bodies of requests cannot be written, and are tried again",
          );
        isFailing = true;
        return;
      }
    }
  }

  const writing = soon(world, limits.writeWithinMs, {
    name: "writing kept bodies",
    act: flush,
    isLeft: () => waiting.length > 0,
  });
  async function stop(): Promise<void> {
    await writing.stop();
    await flush();
  }

  return { add, flush, start: writing.start, stop };
}

/**
 * What has to be tried again, because its workspace changed its rules meanwhile: what a workspace says is read when
 * its bodies are written, so that no change is heeded late.
 */
async function writeRows(
  { db, secrets, logger }: World,
  days: ReturnType<typeof makeBodyDays>,
  rows: readonly Row[],
): Promise<Row[]> {
  const ids = new Set(rows.map(({ body }) => body.workspaceId));
  const rulesOf = new Map(
    (await queries.readRules(db, [...ids])).map((rules) => [rules.workspaceId, rules]),
  );
  const made = new Map<string, { row: Row; written: queries.NewBody }>();
  for (const row of rows) {
    const { body } = row;
    const rules = rulesOf.get(body.workspaceId);
    if (rules === undefined || !rules.enabled || rules.organizationId !== body.organizationId)
      continue;
    if (rules.keptSince !== null && body.at < rules.keptSince) continue;
    const sealed = sealedOf(body, rules);
    made.set(body.requestId, { row, written: { ...body, sealed, version: rules.version } });
    // One body may take milliseconds: requests go on between two of them.
    await nextLoopIteration();
  }
  if (made.size === 0) return [];
  const fresh = [...made.values()].map(({ written }) => written);
  await days.makeFor(fresh);
  const written = await queries.insertBodies(db, fresh);
  const missed = [...made].filter(([id]) => !written.has(id)).map(([, { row }]) => row);
  for (const row of missed) row.tries += 1;
  return missed.filter(({ tries }) => tries < limits.triesMax);

  function sealedOf({ request, ...body }: Row["body"], rules: queries.WritingRules) {
    if (request === null) return null;
    try {
      return sealBody(secrets, { ...body, request }, rules);
    } catch (error) {
      // The name alone: the sentence might quote what was said.
      const name = error instanceof Error ? error.name : "unknown";
      logger.error({ request_id: body.requestId, error: name }, "a body could not be kept");
      return null;
    }
  }
}
