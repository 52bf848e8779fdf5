// Statements about the installation itself.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface InstallationRow {
  store_id: string;
  key_check: string;
}

/** The first one stays. */
export async function insertInstallation(tx: Tx, row: InstallationRow, at: Date): Promise<void> {
  await tx.query(sql`
    insert into installation (store_id, key_check, created_at)
    values (${row.store_id}, ${row.key_check}, ${at})
    on conflict do nothing`);
}

export async function readInstallation(queries: Queryable): Promise<InstallationRow | undefined> {
  const [row] = await queries.query<InstallationRow>(
    sql`select store_id, key_check from installation`,
  );
  return row;
}
