// Statements about prompts and their versions.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";

export interface PromptRow {
  id: string;
  name: string;
  versions: number;
  createdAt: Date;
  updatedAt: Date;
}

const columns = sql`prompt.id, prompt.name, prompt.versions, prompt.created_at as "createdAt",
  prompt.updated_at as "updatedAt"`;

/** With who saved its newest version. */
export interface ListedPrompt extends PromptRow {
  updatedBy: string | null;
}

export function listPrompts(
  on: Queryable,
  workspaceId: string,
  { before, rows }: { before: string | null; rows: number },
): Promise<ListedPrompt[]> {
  return on.query<ListedPrompt>(sql`
    select ${columns}, newest.created_by as "updatedBy"
    from prompts as prompt
    join prompt_versions as newest
      on newest.prompt_id = prompt.id and newest.version = prompt.versions
    where prompt.workspace_id = ${workspaceId}
      and (${before}::text is null or prompt.id < ${before})
    order by prompt.id desc
    limit ${rows}`);
}

export async function findPrompt(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<PromptRow | undefined> {
  const [row] = await on.query<PromptRow>(sql`
    select ${columns} from prompts as prompt
    where prompt.workspace_id = ${workspaceId} and prompt.id = ${id}`);
  return row;
}

/** No version is added and no name given meanwhile. */
export async function lockPrompt(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<PromptRow | undefined> {
  const [row] = await tx.query<PromptRow>(sql`
    select ${columns} from prompts as prompt
    where prompt.workspace_id = ${workspaceId} and prompt.id = ${id}
    for no key update`);
  return row;
}

export async function countPrompts(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ prompts: number }>(sql`
    select count(*)::int as prompts from prompts where workspace_id = ${workspaceId}`);
  return row?.prompts ?? 0;
}

/** False where the workspace has one of that name. */
export async function insertPrompt(
  tx: Tx,
  workspaceId: string,
  row: PromptRow & { organizationId: string; nameKey: string },
): Promise<boolean> {
  const inserted = await tx.query(sql`
    insert into prompts (id, organization_id, workspace_id, name, name_key, versions, created_at,
      updated_at)
    values (${row.id}, ${row.organizationId}, ${workspaceId}, ${row.name}, ${row.nameKey},
      ${row.versions}, ${row.createdAt}, ${row.updatedAt})
    on conflict (workspace_id, name_key) do nothing
    returning id`);
  return inserted.length > 0;
}

/** Whether another prompt of the workspace has this name. */
export async function hasOther(
  tx: Tx,
  workspaceId: string,
  { id, nameKey }: { id: string; nameKey: string },
): Promise<boolean> {
  const rows = await tx.query(sql`
    select id from prompts
    where workspace_id = ${workspaceId} and name_key = ${nameKey} and id <> ${id}`);
  return rows.length > 0;
}

export async function setName(
  tx: Tx,
  workspaceId: string,
  { id, name, nameKey }: { id: string; name: string; nameKey: string },
): Promise<void> {
  await tx.query(sql`
    update prompts set name = ${name}, name_key = ${nameKey}
    where workspace_id = ${workspaceId} and id = ${id}`);
}

export async function deletePrompt(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from prompts where workspace_id = ${workspaceId} and id = ${id}`);
}

export interface VersionEntry {
  version: number;
  model: string;
  createdBy: string | null;
  createdAt: Date;
}

export async function insertVersion(
  tx: Tx,
  promptId: string,
  row: Omit<VersionEntry, "model"> & { request: string },
): Promise<void> {
  await tx.query(sql`
    insert into prompt_versions (prompt_id, version, request, created_by, created_at)
    values (${promptId}, ${row.version}, ${row.request}::json, ${row.createdBy}, ${row.createdAt})`);
}

/** The newest one, of the prompt whose row the transaction holds. */
export async function setNewest(
  tx: Tx,
  workspaceId: string,
  { id, versions, updatedAt }: Pick<PromptRow, "id" | "versions" | "updatedAt">,
): Promise<void> {
  await tx.query(sql`
    update prompts set versions = ${versions}, updated_at = greatest(updated_at, ${updatedAt})
    where workspace_id = ${workspaceId} and id = ${id}`);
}

const entry = sql`version, request ->> 'model' as model, created_by as "createdBy",
  created_at as "createdAt"`;

export function listVersions(
  on: Queryable,
  promptId: string,
  { before, rows }: { before: number | null; rows: number },
): Promise<VersionEntry[]> {
  return on.query<VersionEntry>(sql`
    select ${entry} from prompt_versions
    where prompt_id = ${promptId} and (${before}::int is null or version < ${before})
    order by version desc
    limit ${rows}`);
}

export async function findVersion(
  on: Queryable,
  promptId: string,
  version: number,
): Promise<(VersionEntry & { request: Record<string, unknown> }) | undefined> {
  const [row] = await on.query<VersionEntry & { request: Record<string, unknown> }>(sql`
    select ${entry}, request from prompt_versions
    where prompt_id = ${promptId} and version = ${version}`);
  return row;
}
