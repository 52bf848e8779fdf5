// The database with everything in the ledger that was acknowledged: for tests that read its tables.
import { silentLogger } from "../kernel/base/logger.ts";
import type { Database } from "../kernel/sql/database.ts";
import { postJournal } from "../server/usage/module.ts";

export async function posted(db: Database): Promise<Database> {
  await postJournal({ db, logger: silentLogger });
  return db;
}
