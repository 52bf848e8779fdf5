// The schema that the migrations make, as text: a change of it is seen in review as a change of this file.
import { join } from "node:path";
import { test } from "node:test";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { testDatabase } from "../postgres.ts";

/** From the catalogs, not from pg_dump: the same text whatever the server's version. */
async function dump(db: Queryable): Promise<string> {
  const lines = await db.query<{ place: string; line: string }>(sql`
    select place, line from (
      select c.relname as place, 1 as part, a.attnum::int as number, '' as name,
        a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || case when co.collname <> 'default' then ' collate "' || co.collname || '"' else '' end
          || case when a.attnotnull then ' not null' else '' end
          || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
          || case when coalesce(a.attstattarget, -1) = 0 then ' statistics 0' else '' end as line
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
      left join pg_collation co on co.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
      union all
      -- From version 18 on, "not null" is a constraint too; it stands with its column.
      select conrelid::regclass::text, 2, 0, conname, conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint
      where connamespace = 'public'::regnamespace and conrelid <> 0 and contype <> 'n'
      union all
      select tablename, 3, 0, indexname, indexdef
      from pg_indexes i
      where schemaname = 'public'
        and not exists (select from pg_constraint k where k.conname = i.indexname)
      union all
      select tgrelid::regclass::text, 4, 0, tgname, pg_get_triggerdef(oid)
      from pg_trigger where not tgisinternal
      union all
      select 'function ' || proname, 5, 0, '', pg_get_functiondef(oid)
      from pg_proc where pronamespace = 'public'::regnamespace and prokind = 'f'
      union all
      select 'sequence ' || relname, 6, 0, '', relname
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'
    ) as everything
    order by place collate "C", part, number, name collate "C"`);
  const byPlace = Map.groupBy(lines, ({ place }) => place);
  return [...byPlace]
    .map(([place, rows]) => `${place}\n${rows.map(({ line }) => `  ${line}\n`).join("")}`)
    .join("\n");
}

test("the schema is the golden one", async (t) => {
  await using database = await testDatabase();
  const golden = join(import.meta.dirname, "schema.golden");
  t.assert.fileSnapshot(await dump(database.db), golden, { serializers: [String] });
});
