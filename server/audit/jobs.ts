// Background work of the audit log: old rows join the chain, heads are signed, whole chains are verified each night.
import type { World } from "../../kernel/context.ts";
import { repeated } from "../../kernel/jobs/repeated.ts";
import { anchorsOf, moveAnchor } from "./chain/anchors.ts";
import { verifyChain, type ChainCheckResult } from "./chain/chain.ts";
import { closeToOldRows, isClosedToOldRows, findUnsealed } from "./chain/closing.ts";
import { limits } from "./limits.ts";
import * as queries from "./chain/queries.ts";
import { deleteUses } from "./queries-uses.ts";
import { searchWordsOf } from "./search-words.ts";

type Keeping = Pick<World, "db" | "secrets" | "blobs">;

/** Rule AUD9: rows older than the chain; once all are in it, it is closed to them. */
export async function sealAll(
  world: Keeping & Pick<World, "clock">,
  signal: AbortSignal,
): Promise<void> {
  const { db } = world;
  while (!(await isClosedToOldRows(world))) {
    signal.throwIfAborted();
    const rows = await queries.listUnsealed(db, limits.sealedAtOnce);
    const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
    for (const [organizationId, ownRows] of byOrganization) {
      const events = ownRows.map((row) => ({
        id: row.id,
        words: searchWordsOf(organizationId, row),
      }));
      await db.tx((tx) => queries.sealEvents(tx, organizationId, events));
    }
    if (rows.length < limits.sealedAtOnce) break;
  }
  await closeToOldRows(world);
}

/** Rows outside the chain that do not wait to join it: written by another program than this one. */
export async function reportUnsealed(world: World, signal: AbortSignal): Promise<void> {
  for (const organizationId of await queries.listOrganizationsWithUnsealed(world.db)) {
    signal.throwIfAborted();
    const { problem } = await findUnsealed(world, organizationId);
    if (problem !== null) await reportProblem(world, organizationId, problem);
  }
}

/** Rule AUD7. */
export async function anchorAll(world: World, signal: AbortSignal): Promise<void> {
  let after = "";
  for (;;) {
    const grown = await queries.listUnanchored(world.db, after, limits.anchoredAtOnce);
    for (const organizationId of grown) {
      signal.throwIfAborted();
      after = organizationId;
      const { problem } = await moveAnchor(world, organizationId);
      if (problem !== null) await reportProblem(world, organizationId, problem);
    }
    if (grown.length < limits.anchoredAtOnce) return;
  }
}

async function reportProblem(world: World, organizationId: string, problem: string): Promise<void> {
  const known = await queries.readCheck(world.db, organizationId);
  if (known?.problem === problem) return;
  const at = world.clock.now();
  await world.db.tx((tx) => queries.setProblem(tx, organizationId, { at, problem }));
  logTampering(world, organizationId, problem);
}

/** Callers report a finding once: the log should show it, not drown in it. */
const logTampering = ({ logger }: World, organizationId: string, problem: string) =>
  logger.error({ organization_id: organizationId, problem }, "the audit log was tampered with");

const keep = repeated<World>({
  kind: "audit.keep",
  timing: { everyMs: limits.anchorEveryMs },
  concurrency: 1,
  run: async (world, run) => {
    await sealAll(world, run.signal);
    await anchorAll(world, run.signal);
    await reportUnsealed(world, run.signal);
    await world.db.tx((tx) => run.finish(tx));
  },
});

/** Rule AUD6: the whole chain, its signed heads, and rows that only pretend to belong to it. */
export async function verifyOne(
  world: Keeping,
  organizationId: string,
  how: { signal?: AbortSignal; progress?(events: number): void } = {},
): Promise<ChainCheckResult> {
  const expected = await anchorsOf(world, organizationId);
  const checked = await verifyChain(world.db, organizationId, { ...how, expected });
  if (checked.problem !== null) return checked;
  return { ...checked, problem: (await findUnsealed(world, organizationId)).problem };
}

export async function verifyAll(world: World, signal: AbortSignal): Promise<void> {
  const { db, clock } = world;
  for (const organizationId of await queries.listChains(db)) {
    const { intactUpTo, problem } = await verifyOne(world, organizationId, { signal });
    const known = await queries.readCheck(db, organizationId);
    const found = { seq: intactUpTo.seq, at: clock.now(), problem };
    await db.tx((tx) => queries.setVerified(tx, organizationId, found));
    if (problem !== null && problem !== known?.problem)
      logTampering(world, organizationId, problem);
  }
}

const verify = repeated<World>({
  kind: "audit.verify",
  timing: { cron: "17 3 * * *", timeZone: "UTC" },
  concurrency: 1,
  timeoutMs: limits.verifyMsMax,
  run: async (world, run) => {
    await verifyAll(world, run.signal);
    const before = new Date(world.clock.now().getTime() - limits.usesKeptMs);
    await deleteUses(world.db, before);
    await world.db.tx((tx) => run.finish(tx));
  },
});

export const kinds = [keep.kind, verify.kind];
export const schedules = [keep.schedule, verify.schedule];
