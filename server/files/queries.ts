// Statements about files: rows, whose bytes they are, and how much an organization stores.
import assert from "node:assert/strict";
import type { PageWindow } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";

export interface FileRow {
  id: string;
  filename: string;
  mimeType: string;
  bytes: number;
  downloadable: boolean;
  scopeType: "session" | null;
  scopeId: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  organizationId: string;
  /** Null where its bytes are gone. */
  blobId: string | null;
}

const columns: Statement = sql`
  file.id, file.filename, file.mime_type as "mimeType", file.bytes, file.downloadable,
  file.scope_type as "scopeType", file.scope_id as "scopeId", file.created_at as "createdAt",
  file.expires_at as "expiresAt", file.organization_id as "organizationId",
  content.blob_id as "blobId"`;

const source: Statement = sql`
  files as file left join file_contents as content
    on content.organization_id = file.organization_id and content.sha256 = file.sha256`;

export async function findFile(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<FileRow | undefined> {
  const [row] = await on.query<FileRow>(
    preparedAs(
      "files_find",
      sql`select ${columns} from ${source}
        where file.workspace_id = ${workspaceId} and file.id = ${id}`,
    ),
  );
  return row;
}

/** Newest first; those that are not there are left out. */
export function findFiles(
  on: Queryable,
  workspaceId: string,
  ids: readonly string[],
  scopeId: string | null = null,
): Promise<FileRow[]> {
  return on.query<FileRow>(sql`
    select ${columns} from ${source}
    where file.workspace_id = ${workspaceId} and file.id = any(${ids}::text[])
      and (${scopeId}::text is null or file.scope_id = ${scopeId})
    order by file.id desc
    limit ${ids.length}`);
}

export interface FileWindow extends PageWindow {
  scopeId: string | null;
}

export function listFiles(
  on: Queryable,
  workspaceId: string,
  window: FileWindow,
): Promise<FileRow[]> {
  const order = window.before === null ? sql`file.id desc` : sql`file.id asc`;
  const scope = window.scopeId === null ? sql`true` : sql`file.scope_id = ${window.scopeId}`;
  return on.query<FileRow>(sql`
    select ${columns} from ${source}
    where file.workspace_id = ${workspaceId} and ${scope}
      and (${window.after}::text is null or file.id < ${window.after})
      and (${window.before}::text is null or file.id > ${window.before})
    order by ${order}
    limit ${window.rows}`);
}

/** Of a session: what its tools have made, as far as it has not been deleted. */
export function listToolFiles(
  on: Queryable,
  workspaceId: string,
  sessionId: string,
): Promise<{ filename: string; sha256: string | null }[]> {
  return on.query(sql`
    select filename, sha256 from files as file
    where file.workspace_id = ${workspaceId} and file.scope_id = ${sessionId} and file.downloadable
    order by file.id limit 10000`);
}

export interface NewFile {
  id: string;
  organizationId: string;
  workspaceId: string;
  filename: string;
  mimeType: string;
  bytes: number;
  sha256: string;
  downloadable: boolean;
  scope: { type: "session"; id: string } | null;
  createdAt: Date;
  expiresAt: Date | null;
}

export async function insertFile(tx: Tx, file: NewFile): Promise<void> {
  await tx.query(sql`
    insert into files (id, organization_id, workspace_id, filename, mime_type, bytes, sha256,
      downloadable, scope_type, scope_id, created_at, expires_at)
    values (${file.id}, ${file.organizationId}, ${file.workspaceId}, ${file.filename},
      ${file.mimeType}, ${file.bytes}, ${file.sha256}, ${file.downloadable},
      ${file.scope?.type ?? null}, ${file.scope?.id ?? null}, ${file.createdAt},
      ${file.expiresAt})`);
}

export interface FileContent {
  sha256: string;
  blobId: string;
  bytes: number;
}

/** One file more has these bytes: answers the blob that holds them, which is the given one where they are new. */
export async function holdContent(
  tx: Tx,
  organizationId: string,
  { sha256, blobId, bytes }: FileContent,
): Promise<string> {
  const [row] = await tx.query<{ blobId: string }>(sql`
    insert into file_contents as content (organization_id, sha256, blob_id, bytes, files)
    values (${organizationId}, ${sha256}, ${blobId}, ${bytes}, 1)
    on conflict (organization_id, sha256) do update set files = content.files + 1
    returning blob_id as "blobId"`);
  assert(row !== undefined, "the insert of a file's content answered nothing");
  return row.blobId;
}

/** Many uploads may commit at once, but none while the sweep removes blobs without a row. */
export async function lockOutSweep(tx: Tx): Promise<void> {
  await tx.query(
    preparedAs("files_lock_out_sweep", sql`select pg_advisory_xact_lock_shared(${sweepLock})`),
  );
}

export async function lockForSweep(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${sweepLock})`);
}

/** Of this database; no other lock of Plinth has this number. */
const sweepLock = 70_105_108;

export async function replaceBlob(
  tx: Tx,
  organizationId: string,
  { sha256, blobId }: FileContent,
): Promise<void> {
  await tx.query(sql`
    update file_contents set blob_id = ${blobId}
    where organization_id = ${organizationId} and sha256 = ${sha256}`);
}

/** One file less has them: answers the blob where it was the last. */
export async function releaseContent(
  tx: Tx,
  organizationId: string,
  sha256: string,
): Promise<string | undefined> {
  const [left] = await tx.query<{ files: number }>(sql`
    update file_contents set files = files - 1
    where organization_id = ${organizationId} and sha256 = ${sha256}
    returning files`);
  if (left?.files !== 0) return undefined;
  const [gone] = await tx.query<{ blobId: string }>(sql`
    delete from file_contents where organization_id = ${organizationId} and sha256 = ${sha256}
    returning blob_id as "blobId"`);
  return gone?.blobId;
}

export interface Stored {
  bytes: number;
  files: number;
}

export async function findStored(on: Queryable, organizationId: string): Promise<Stored> {
  const [row] = await on.query<Stored>(sql`
    select bytes, files from file_storage where organization_id = ${organizationId}`);
  return row ?? { bytes: 0, files: 0 };
}

/** False where it would be more than the organization may store: its row is locked, so the answer is exact. */
export async function takeRoom(
  tx: Tx,
  organizationId: string,
  bytes: number,
  most: { bytesMax: number; filesMax: number },
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into file_storage as stored (organization_id, bytes, files)
    select ${organizationId}, ${bytes}, 1
    where ${bytes}::bigint <= ${most.bytesMax}::bigint and ${most.filesMax}::bigint > 0
    on conflict (organization_id) do update
      set bytes = stored.bytes + excluded.bytes, files = stored.files + 1
      where stored.bytes + excluded.bytes <= ${most.bytesMax} and stored.files < ${most.filesMax}
    returning 1`);
  return rows.length > 0;
}

export async function giveRoom(tx: Tx, organizationId: string, bytes: number): Promise<void> {
  await tx.query(sql`
    update file_storage set bytes = bytes - ${bytes}, files = files - 1
    where organization_id = ${organizationId}`);
}

export interface RemovedFile {
  organizationId: string;
  bytes: number;
  /** Null where its bytes had gone before. */
  sha256: string | null;
}

export async function deleteFile(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<RemovedFile | undefined> {
  const [row] = await tx.query<RemovedFile>(sql`
    delete from files where workspace_id = ${workspaceId} and id = ${id}
    returning organization_id as "organizationId", bytes, sha256`);
  return row;
}
