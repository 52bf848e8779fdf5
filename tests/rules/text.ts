// Every text that the database holds, for tests that look for what must not be there.
import type { Database } from "../../kernel/sql/database.ts";
import { identifier, sql } from "../../kernel/sql/statement.ts";

/** Rows as JSON without their bytea columns, where hashes may stand. */
export async function allText(db: Database): Promise<string> {
  const columns = await db.query<{
    table_name: string;
    column_name: string;
    data_type: string;
  }>(sql`
    select table_name, column_name, data_type
    from information_schema.columns
    where table_schema = 'public'`);
  const tables = new Set(columns.map(({ table_name }) => table_name));
  const texts = [...tables].map(async (table) => {
    const bytes = columns
      .filter((column) => column.table_name === table && column.data_type === "bytea")
      .map(({ column_name }) => column_name);
    const rows = await db.query<{ text: string }>(
      sql`select (to_jsonb(t) - ${bytes}::text[])::text as text from ${identifier(table)} t`,
    );
    return rows.map(({ text }) => text).join("\n");
  });
  return (await Promise.all(texts)).join("\n");
}
