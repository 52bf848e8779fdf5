// Settlements are acknowledged when the journal has them; posting takes them from there to the ledger and its counters.
import type { World } from "../../../kernel/context.ts";
import { isBadData } from "../../../kernel/sql/database.ts";
import { limits } from "../limits.ts";
import * as queries from "./queries.ts";

export type PostingWorld = Pick<World, "db" | "logger">;

/**
 * Everything that was acknowledged before is in the ledger afterwards, of all processes: for those who read it or its
 * counters.
 */
export async function postJournal(world: PostingWorld): Promise<void> {
  const newest = await queries.newestRow(world.db);
  if (newest === undefined) return;
  for (;;) {
    const rows = await queries.oldestRows(world.db, newest, limits.postRowsMax);
    if (rows.length === 0) return;
    for (const [node, ids] of byNode(rows)) await post(world, node, ids);
  }
}

function byNode(rows: readonly queries.JournalRow[]): Map<string, number[]> {
  const nodes = new Map<string, number[]>();
  for (const { node, id } of rows) {
    const ids = nodes.get(node);
    if (ids === undefined) nodes.set(node, [id]);
    else ids.push(id);
  }
  return nodes;
}

/** One row that cannot be posted must not hold up the others: it is found by halves. */
async function post(world: PostingWorld, node: string, ids: readonly number[]): Promise<void> {
  const { db, logger } = world;
  try {
    await db.tx((tx) => queries.post(tx, node, ids));
  } catch (error) {
    if (!isBadData(error)) throw error;
    const [first, ...others] = ids;
    if (first === undefined) return;
    if (others.length === 0) {
      logger.error({ error, row: first, node }, "settlements cannot be posted and are set aside");
      return queries.setAside(db, first, String(error));
    }
    const middle = Math.ceil(ids.length / 2);
    await post(world, node, ids.slice(0, middle));
    await post(world, node, ids.slice(middle));
  }
}

export interface JournaledGroup extends queries.JournalRow {
  hops: number;
}

/** Posts what this process settles, a moment later: many at a time. */
export interface Poster {
  add(group: JournaledGroup): void;
  /** Posts what waits, at once. */
  finish(): Promise<void>;
}

export function makePoster(world: PostingWorld & Pick<World, "clock">): Poster {
  let waiting: JournaledGroup[] = [];
  let last = Promise.resolve();
  let pause = new AbortController();

  async function postAfter(before: Promise<void>, { signal }: AbortController): Promise<void> {
    await before;
    await world.clock.sleep(limits.postAfterMs, signal);
    const groups = waiting;
    waiting = [];
    for (let at = 0; at < groups.length;) {
      const some = takeSome(groups, at);
      for (const [node, ids] of byNode(some)) await post(world, node, ids);
      at += some.length;
    }
  }

  return {
    add: (group) => {
      if (waiting.push(group) > 1) return;
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

/** One transaction holds its rows of counters while it lasts. */
function takeSome(groups: readonly JournaledGroup[], from: number): JournaledGroup[] {
  let hops = 0;
  const some = groups.slice(from);
  const end = some.findIndex((group) => (hops += group.hops) > limits.postHopsMax);
  return end === -1 ? some : some.slice(0, Math.max(1, end));
}
