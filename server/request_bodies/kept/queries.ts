// Statements that write kept bodies.
import { textArray } from "../../../kernel/sql/rows/arrays.ts";
import type { Queryable } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";
import type { SettingsRow } from "../queries.ts";

export type WritingRules = SettingsRow & { organizationId: string };

/** What the workspaces say at this moment. */
export function readRules(on: Queryable, workspaceIds: readonly string[]): Promise<WritingRules[]> {
  return on.query<WritingRules>(sql`
    select workspace_id as "workspaceId", organization_id as "organizationId", enabled,
      max_bytes as "maxBytes", kept_days as "keptDays", redact, kept_since as "keptSince", version
    from request_body_settings where workspace_id = any(${workspaceIds})`);
}

export interface NewBody {
  requestId: string;
  at: Date;
  organizationId: string;
  workspaceId: string;
  sealed: string | null;
  /** Of the rules that it was made by. */
  version: number;
}

/**
 * Those that were written: none by rules that have changed since, and none that came before a deletion. A change that
 * commits meanwhile waits for this, or is heeded by it.
 */
export async function insertBodies(on: Queryable, rows: readonly NewBody[]): Promise<Set<string>> {
  const texts = (of: (row: NewBody) => string | null) => sql`${textArray(rows.map(of))}::text[]`;
  const written = await on.query<{ id: string }>(
    preparedAs(
      "request_bodies_insert",
      sql`insert into request_bodies (request_id, at, organization_id, workspace_id, sealed)
        select given.id, given.at, given.organization_id, given.workspace_id, given.sealed
        from unnest(${texts(({ requestId }) => requestId)},
          ${texts(({ at }) => at.toISOString())}::timestamptz[],
          ${texts(({ organizationId }) => organizationId)},
          ${texts(({ workspaceId }) => workspaceId)}, ${texts(({ sealed }) => sealed)},
          ${texts(({ version }) => String(version))}::integer[])
          as given (id, at, organization_id, workspace_id, sealed, version)
        join request_body_settings as settings on settings.workspace_id = given.workspace_id
          and settings.organization_id = given.organization_id
          and settings.enabled and settings.version = given.version
        where given.at >= coalesce(settings.kept_since, '-infinity')
        for share of settings
        on conflict (request_id, at) do update set sealed = excluded.sealed
        returning request_id as id`,
    ),
  );
  return new Set(written.map(({ id }) => id));
}
