// Statements of an export: short ones, each of which reads a page.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { sql } from "../../../kernel/sql/statement.ts";
import type { VersionRow } from "../memories/queries.ts";
import { transferLimits } from "./limits.ts";

/** A moment of a store: the last version of it, and how many memories live then. */
export interface ExportSnapshot {
  seq: number;
  memories: number;
}

export async function findExportSnapshot(
  on: Queryable,
  workspaceId: string,
  storeId: string,
): Promise<ExportSnapshot | undefined> {
  const [row] = await on.query<ExportSnapshot>(sql`
    select workspace.seq, store.memories
    from memory_stores as store join memory_workspaces as workspace using (workspace_id)
    where store.workspace_id = ${workspaceId} and store.id = ${storeId} and store.is_complete`);
  return row;
}

export interface HistoryRow extends VersionRow {
  /** `createdAt` in full. */
  at: string;
  /** Of a memory that lives: when it was made, which its versions may not tell any more. */
  memoryCreatedAt: Date | null;
}

/** Versions up to a snapshot, oldest first: within a store the order of their times is that of their numbers. */
export function listHistory(
  on: Queryable,
  storeId: string,
  { from, to }: { from: { at: string; seq: number }; to: number },
): Promise<HistoryRow[]> {
  return on.query<HistoryRow>(sql`
    select version.id, version.store_id as "storeId", version.memory_id as "memoryId", version.seq,
      version.operation, version.path, version.content, version.content_sha256 as sha256,
      version.bytes, version.created_at as "createdAt", version.created_at::text as at,
      version.actor_type as "actorType", version.actor_id as "actorId",
      version.redacted_at as "redactedAt", version.redacted_by_type as "redactedByType",
      version.redacted_by_id as "redactedById", version.redaction_reason as reason,
      version.imported_at as "importedAt", version.imported_by_type as "importedByType",
      version.imported_by_id as "importedById", memory.created_at as "memoryCreatedAt"
    from (
      select id, created_at, seq,
        sum(coalesce(bytes, 0)) over (order by created_at, seq) - coalesce(bytes, 0) as before
      from memory_versions
      where store_id = ${storeId} and seq <= ${to}
        and (created_at, seq) > (${from.at}::timestamptz, ${from.seq}::bigint)
      order by created_at, seq limit ${transferLimits.pageRowsMax}
    ) as page join memory_versions as version on version.id = page.id
      left join memories as memory on memory.id = version.memory_id
    where page.before < ${transferLimits.pageBytesMax}
    order by version.created_at, version.seq`);
}
