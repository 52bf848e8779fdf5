// Reads of the ledger's tables with everything in them that was acknowledged.
import { silentLogger } from "../kernel/base/logger.ts";
import type { Database } from "../kernel/sql/database.ts";
import type { Statement } from "../kernel/sql/statement.ts";
import { postJournal } from "../server/usage/module.ts";

export async function queryPosted<Row extends object>(
  db: Database,
  statement: Statement,
): Promise<Row[]> {
  await postJournal({ db, logger: silentLogger });
  return db.query<Row>(statement);
}
