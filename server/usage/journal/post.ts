// Settlements are acknowledged when the journal has them; posting takes them from there to the ledger and its counters.
import type { World } from "../../../kernel/context.ts";
import { isFailure, unavailable } from "../../../kernel/base/failure.ts";
import { isBadData } from "../../../kernel/sql/database.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

export type PostingWorld = Pick<World, "db" | "logger">;

/**
 * Everything that was acknowledged before is in the ledger afterwards, of all processes: for those who read it or its
 * counters. Fails with 503 where that cannot be said.
 */
export async function postJournal(world: PostingWorld): Promise<void> {
  const newest = await queries.newestRow(world.db);
  if (newest === undefined) return;
  const round: Round = { ...world, failures: [] };
  for (let after = 0; ;) {
    const bounds = { after, upTo: newest, most: limits.postRowsMax };
    const rows = await queries.oldestRows(world.db, bounds);
    await postRows(round, rows);
    const last = rows.at(-1);
    if (last === undefined) return endRound(round);
    after = last.id;
  }
}

/** Posting some rows, as far as it goes. */
interface Round extends PostingWorld {
  /** Of rows that are not to blame. */
  failures: unknown[];
}

async function postRows(round: Round, rows: readonly queries.JournalRow[]): Promise<void> {
  for (let at = 0; at < rows.length;) {
    const some = takeSome(rows, at);
    for (const [node, ofNode] of Map.groupBy(some, (row) => row.node))
      await postOfNode(
        round,
        node,
        ofNode.map(({ id }) => id),
      );
    at += some.length;
  }
}

/** One transaction holds its rows of counters while it lasts. */
function takeSome(rows: readonly queries.JournalRow[], from: number): queries.JournalRow[] {
  let hops = 0;
  const some = rows.slice(from);
  const end = some.findIndex((row) => (hops += row.hops) > limits.postHopsMax);
  return end === -1 ? some : some.slice(0, Math.max(1, end));
}

/** One row that cannot be posted must not hold up the others: it is found by halves. */
async function postOfNode(round: Round, node: string, ids: readonly number[]): Promise<void> {
  try {
    await round.db.tx((tx) => queries.post(tx, node, ids));
  } catch (error) {
    const [first] = ids;
    if (first === undefined || isAway(error, ids)) throw error;
    if (ids.length === 1) return leaveAlone(round, { node, id: first }, error);
    const middle = Math.ceil(ids.length / 2);
    await postOfNode(round, node, ids.slice(0, middle));
    await postOfNode(round, node, ids.slice(middle));
  }
}

/** What took too long may be done in parts. */
const isAway = (error: unknown, ids: readonly number[]) =>
  isFailure(error) && (error.options.code !== "database_timeout" || ids.length === 1);

async function leaveAlone(
  round: Round,
  { node, id }: Pick<queries.JournalRow, "node" | "id">,
  error: unknown,
): Promise<void> {
  if (!isBadData(error)) {
    round.failures.push(error);
    // Posting itself is broken, and would be tried for each row.
    if (round.failures.length === limits.postFailuresMax) endRound(round);
    return;
  }
  const parts = await queries.splitRow(round.db, id).catch(() => []);
  if (parts.length > 0) return postRows(round, parts);
  const why = String(error);
  round.logger.error(
    { error: why, row: id, node },
    "a settlement cannot be posted and is set aside",
  );
  await queries.setAside(round.db, id, why);
}

function endRound({ failures, logger }: Round): void {
  if (failures.length === 0) return;
  const [cause] = failures;
  logger.error({ error: cause, rows: failures.length }, "settlements cannot be posted");
  const sentence = "What was answered last cannot be counted just now; try again.";
  throw unavailable(sentence, 5, { code: "ledger_away", cause });
}

/** Posts what this process settles, a moment later: many at a time. */
export interface Poster {
  add(row: queries.JournalRow): void;
  /** Posts what waits, at once. */
  finish(): Promise<void>;
}

export function makePoster(world: PostingWorld & Pick<World, "clock">): Poster {
  let waiting: queries.JournalRow[] = [];
  let last = Promise.resolve();
  let pause = new AbortController();

  async function postAfter(before: Promise<void>, { signal }: AbortController): Promise<void> {
    await before;
    await world.clock.sleep(limits.postAfterMs, signal);
    const rows = waiting;
    waiting = [];
    const round: Round = { ...world, failures: [] };
    await postRows(round, rows);
    endRound(round);
  }

  return {
    add: (row) => {
      if (waiting.push(row) > 1) return;
      last = postAfter(last, pause).catch((error: unknown) => {
        // Who reads next posts them, or who looks for dead processes.
        world.logger.warn({ error: String(error) }, "settlements are not posted yet");
      });
    },
    finish: async () => {
      pause.abort();
      pause = new AbortController();
      await last;
    },
  };
}
