// Statements about models and upstreams. They belong to the installation: no tenant stands in them.
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { ModelEntry, Upstream } from "../schema.ts";

export interface ModelRow {
  id: string;
  entry: ModelEntry;
}

export interface UpstreamRow {
  name: string;
  settings: Omit<Upstream, "headers" | "key">;
  key_sealed: string | null;
  key_hint: string | null;
}

export async function readChanges(queries: Queryable): Promise<number> {
  const [row] = await queries.query<{ counter: number }>(
    preparedAs("models.read_changes", sql`select counter from catalog_changes`),
  );
  return row?.counter ?? 0;
}

/** The updated row also makes changes of the catalog follow one another. */
export async function raiseChanges(tx: Tx): Promise<void> {
  await tx.query(sql`update catalog_changes set counter = counter + 1`);
}

export function listModels(queries: Queryable, rows: number): Promise<ModelRow[]> {
  return queries.query<ModelRow>(sql`select id, entry from models order by id limit ${rows}`);
}

export function listUpstreams(queries: Queryable, rows: number): Promise<UpstreamRow[]> {
  return queries.query<UpstreamRow>(sql`
    select name, settings, key_sealed, key_hint from upstreams order by name limit ${rows}`);
}

export async function putModel(tx: Tx, { id, entry }: ModelRow, now: Date): Promise<void> {
  await tx.query(sql`
    insert into models (id, entry, created_at, updated_at)
    values (${id}, ${JSON.stringify(entry)}, ${now}, ${now})
    on conflict (id) do update set entry = excluded.entry, updated_at = excluded.updated_at`);
}

export async function deleteModel(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from models where id = ${id} returning id`);
  return rows.length > 0;
}

export async function putUpstream(tx: Tx, row: UpstreamRow, now: Date): Promise<void> {
  await tx.query(sql`
    insert into upstreams (name, settings, key_sealed, key_hint, created_at, updated_at)
    values (${row.name}, ${JSON.stringify(row.settings)}, ${row.key_sealed}, ${row.key_hint},
            ${now}, ${now})
    on conflict (name) do update
    set settings = excluded.settings, key_sealed = excluded.key_sealed,
        key_hint = excluded.key_hint, updated_at = excluded.updated_at`);
}

export async function deleteUpstream(tx: Tx, name: string): Promise<boolean> {
  const rows = await tx.query(sql`delete from upstreams where name = ${name} returning name`);
  return rows.length > 0;
}
