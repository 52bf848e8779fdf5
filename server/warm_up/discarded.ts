// A database whose every write is thrown away: one transaction that is always rolled back.
import type { Database, Queryable, Tx } from "../../kernel/sql/database.ts";
import type { Statement } from "../../kernel/sql/statement.ts";

class Discarded extends Error {}

/**
 * `work` reads and writes as ever, transactions included, and nothing of it is seen outside or stays. What it locks
 * stays locked until it ends. What comes after a statement that failed, or after the signal, fails with an error
 * that is no Failure: nothing of the transaction comes back, however long it is waited for.
 */
export async function discardWrites(
  db: Database,
  signal: AbortSignal,
  work: (discarded: Database) => Promise<void>,
): Promise<void> {
  try {
    await db.tx(async (tx) => {
      await work(inside(tx, signal));
      throw new Discarded();
    });
  } catch (error) {
    if (!(error instanceof Discarded)) throw error;
  }
}

function inside(tx: Tx, signal: AbortSignal): Database {
  const query = inTurn(tx, signal);
  return {
    query,
    tx: async (work) => {
      const [beforeCommit, afterwards]: [(() => Promise<void>)[], (() => void)[]] = [[], []];
      const later = (act: () => void) => void afterwards.push(act);
      const result = await work({
        query,
        beforeCommit: (act) => void beforeCommit.push(act),
        afterCommit: later,
        atEnd: later,
      });
      for (const act of beforeCommit) await act();
      for (const act of afterwards) act();
      return result;
    },
    maintain: () => Promise.resolve(false),
    ping: async () => void (await query({ text: "select 1", values: [] })),
    stats: () => ({ open: 1, idle: 0, waiting: 0 }),
    close: () => Promise.resolve(),
  };
}

/** There is one connection, and the driver wants one statement at a time. */
function inTurn(tx: Tx, signal: AbortSignal): Queryable["query"] {
  let last: Promise<unknown> = Promise.resolve();
  let failed: Error | undefined;
  const ask = async <Row extends object>(statement: Statement): Promise<Row[]> => {
    signal.throwIfAborted();
    if (failed !== undefined) throw failed;
    try {
      return await tx.query<Row>(statement);
    } catch (error) {
      failed = new Error("a statement of the discarded transaction failed", { cause: error });
      throw error;
    }
  };
  return <Row extends object>(statement: Statement): Promise<Row[]> => {
    const rows = last.then(() => ask<Row>(statement));
    last = rows.catch(() => {});
    return rows;
  };
}
