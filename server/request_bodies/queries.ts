// Statements about kept bodies, and about what workspaces say of them.
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import type { RedactRule } from "./schema.ts";

export interface SettingsRow {
  workspaceId: string;
  enabled: boolean;
  maxBytes: number;
  keptDays: number;
  redact: RedactRule[];
  keptSince: Date | null;
  version: number;
}

const columns: Statement = sql`workspace_id as "workspaceId", enabled, max_bytes as "maxBytes",
  kept_days as "keptDays", redact, kept_since as "keptSince", version`;

export async function findSettings(
  on: Queryable,
  organizationId: string,
  workspaceId: string,
): Promise<SettingsRow | undefined> {
  const [row] = await on.query<SettingsRow>(sql`
    select ${columns} from request_body_settings
    where organization_id = ${organizationId} and workspace_id = ${workspaceId}`);
  return row;
}

export async function putSettings(
  tx: Tx,
  organizationId: string,
  row: Omit<SettingsRow, "version">,
  now: Date,
): Promise<void> {
  const redact = JSON.stringify(row.redact);
  await tx.query(sql`
    insert into request_body_settings as known (workspace_id, organization_id, enabled, max_bytes,
      kept_days, redact, kept_since, version, updated_at)
    values (${row.workspaceId}, ${organizationId}, ${row.enabled}, ${row.maxBytes},
      ${row.keptDays}, ${redact}::json, ${row.keptSince}, 1, ${now})
    on conflict (workspace_id) do update
      set enabled = excluded.enabled, max_bytes = excluded.max_bytes,
          kept_days = excluded.kept_days, redact = excluded.redact,
          kept_since = excluded.kept_since, version = known.version + 1,
          updated_at = excluded.updated_at
      where known.organization_id = ${organizationId}`);
}

/** Of every organization: which workspaces keep bodies now. */
export async function listEnabled(on: Queryable): Promise<string[]> {
  const rows = await on.query<{ id: string }>(sql`
    select workspace_id as id from request_body_settings where enabled order by workspace_id`);
  return rows.map(({ id }) => id);
}

/** Also of those that have been switched off: what they have kept is deleted in time. */
export interface Retention {
  workspaceId: string;
  keptDays: number;
  keptSince: Date | null;
}

export function listRetentions(
  on: Queryable,
  { after, rows }: { after: string; rows: number },
): Promise<Retention[]> {
  return on.query<Retention>(sql`
    select workspace_id as "workspaceId", kept_days as "keptDays", kept_since as "keptSince"
    from request_body_settings where workspace_id > ${after}
    order by workspace_id limit ${rows}`);
}

/** How many of the oldest were deleted. */
export async function deleteBefore(
  on: Queryable,
  workspaceId: string,
  { before, rows }: { before: Date; rows: number },
): Promise<number> {
  const deleted = await on.query(sql`
    delete from request_bodies
    where (request_id, at) in (
      select request_id, at from request_bodies
      where workspace_id = ${workspaceId} and at < ${before}
      order by at limit ${rows})
    returning 1 as one`);
  return deleted.length;
}

export interface BodyRow {
  workspaceId: string;
  sealed: string | null;
  keptDays: number;
}

/** Absent also where its time is over and no job has deleted it yet. */
export async function findBody(
  on: Queryable,
  organizationId: string,
  { id, at, now }: { id: string; at: Date; now: Date },
): Promise<BodyRow | undefined> {
  const [row] = await on.query<BodyRow>(sql`
    select body.workspace_id as "workspaceId", body.sealed, settings.kept_days as "keptDays"
    from request_bodies as body
    join request_body_settings as settings on settings.workspace_id = body.workspace_id
    where body.organization_id = ${organizationId} and body.request_id = ${id} and body.at = ${at}
      and body.at >= coalesce(settings.kept_since, '-infinity')
      and body.at > ${now}::timestamptz - settings.kept_days * interval '1 day'`);
  return row;
}
