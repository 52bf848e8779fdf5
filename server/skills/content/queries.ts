// Statements about archives: which blob holds whose, how many versions have it, and what an organization stores.
import assert from "node:assert/strict";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { preparedAs, sql } from "../../../kernel/sql/statement.ts";

export interface Content {
  sha256: string;
  blobId: string;
  bytes: number;
}

/** One version more has this archive: answers the blob that holds it, which is the given one where it is new. */
export async function holdContent(
  tx: Tx,
  organizationId: string,
  { sha256, blobId, bytes }: Content,
): Promise<{ blobId: string; isNew: boolean }> {
  const [row] = await tx.query<{ blobId: string; versions: number }>(sql`
    insert into skill_contents as content (organization_id, sha256, blob_id, bytes, versions)
    values (${organizationId}, ${sha256}, ${blobId}, ${bytes}, 1)
    on conflict (organization_id, sha256) do update set versions = content.versions + 1
    returning blob_id as "blobId", versions`);
  assert(row !== undefined, "the insert of a skill's archive answered nothing");
  return { blobId: row.blobId, isNew: row.versions === 1 };
}

export async function replaceBlob(
  tx: Tx,
  organizationId: string,
  { sha256, blobId }: Content,
): Promise<void> {
  await tx.query(sql`
    update skill_contents set blob_id = ${blobId}
    where organization_id = ${organizationId} and sha256 = ${sha256}`);
}

/** One version less has it: answers the blob where it was the last. */
export async function releaseContent(
  tx: Tx,
  organizationId: string,
  sha256: string,
): Promise<{ blobId: string; bytes: number } | undefined> {
  const [left] = await tx.query<{ versions: number }>(sql`
    update skill_contents set versions = versions - 1
    where organization_id = ${organizationId} and sha256 = ${sha256}
    returning versions`);
  if (left?.versions !== 0) return undefined;
  const [gone] = await tx.query<{ blobId: string; bytes: number }>(sql`
    delete from skill_contents where organization_id = ${organizationId} and sha256 = ${sha256}
    returning blob_id as "blobId", bytes`);
  return gone;
}

export async function findStored(on: Queryable, organizationId: string): Promise<number> {
  const [row] = await on.query<{ bytes: number }>(sql`
    select bytes from skill_storage where organization_id = ${organizationId}`);
  return row?.bytes ?? 0;
}

/** False where it would be more than the organization may store: its row is locked, so the answer is exact. */
export async function takeRoom(
  tx: Tx,
  organizationId: string,
  bytes: number,
  bytesMax: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into skill_storage as stored (organization_id, bytes)
    select ${organizationId}, ${bytes} where ${bytes}::bigint <= ${bytesMax}::bigint
    on conflict (organization_id) do update set bytes = stored.bytes + excluded.bytes
      where stored.bytes + excluded.bytes <= ${bytesMax}
    returning 1`);
  return rows.length > 0;
}

export async function giveRoom(tx: Tx, organizationId: string, bytes: number): Promise<void> {
  await tx.query(sql`
    update skill_storage set bytes = bytes - ${bytes} where organization_id = ${organizationId}`);
}

/** Many uploads may commit at once, but none while the sweep removes blobs without a row. */
export async function lockOutSweep(tx: Tx): Promise<void> {
  await tx.query(
    preparedAs("skills_lock_out_sweep", sql`select pg_advisory_xact_lock_shared(${sweepLock})`),
  );
}

export async function lockForSweep(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${sweepLock})`);
}

/** Of this database; no other lock of Plinth has this number. */
const sweepLock = 70_105_109;

/** Which of these hold the archive of no version; over all organizations: the sweep's. */
export async function listUnknown(on: Queryable, blobIds: readonly string[]): Promise<Set<string>> {
  const rows = await on.query<{ id: string }>(sql`
    select id from unnest(${blobIds}::text[]) as asked (id)
    where not exists (select from skill_contents where skill_contents.blob_id = asked.id)`);
  return new Set(rows.map(({ id }) => id));
}
