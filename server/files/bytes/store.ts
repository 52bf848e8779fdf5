// Takes bytes in as they come, and makes a file of them: hashed and judged on the way, never held.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Failure, invalid, unavailable } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { record, type AuditActor } from "../../audit/module.ts";
import { tellChanges } from "../../workspaces/module.ts";
import { limits } from "../limits.ts";
import { mediaTypeOf, textTest, nameForType } from "./media-type.ts";
import { blobKey } from "./blob-keys.ts";
import * as queries from "../queries.ts";
import { quotaOf } from "../settings.ts";
import { isCommitUnknown } from "../../../kernel/sql/database.ts";

export interface FileOwner {
  organizationId: string;
  workspaceId: string;
}

/** What else is known of a file when all of its bytes have come. */
export interface Label {
  /** Empty: it is named after what it is. */
  filename: string;
  /** What its sender says that it is; empty where nothing was said. */
  declaredType: string;
  expiresInSeconds: number | null;
  downloadable: boolean;
  scope: { type: "session"; id: string } | null;
}

export interface Incoming extends FileOwner {
  content: AsyncIterable<Buffer>;
  /** How long it is at least, where that is known before it comes. */
  bytesMin?: number;
  /** Asked for after the last byte; what it refuses is not kept. */
  label: () => Promise<Label> | Label;
}

/** The row is there when the bytes are, durably; of what is refused or breaks off nothing is kept. */
export async function storeFile(
  world: World,
  actor: AuditActor,
  incoming: Incoming,
): Promise<queries.FileRow> {
  const { organizationId, workspaceId, content, bytesMin = 0, label } = incoming;
  const { blobs, clock, ids } = world;
  const quota = makeQuotaCheck(world, organizationId);
  await quota.expect(bytesMin);
  const blobId = ids.next("blob_");
  const key = blobKey(organizationId, blobId);
  const meter = makeMeter();
  let labelled: Label | undefined;
  async function* metered(): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      meter.push(piece);
      await quota.expect(meter.bytes());
      yield piece;
    }
    labelled = await label();
  }
  await blobs.put(key, metered(), { bytesMax: limits.fileBytesMax });
  assert(labelled !== undefined, "a file was stored before its end");
  const { filename, declaredType, expiresInSeconds, downloadable, scope } = labelled;
  const measured = meter.end();
  const mimeType = await mediaTypeOf({ ...measured, declared: declaredType, filename });
  const createdAt = clock.now();
  const file: queries.NewFile = {
    id: ids.next("file_"),
    organizationId,
    workspaceId,
    filename: filename === "" ? nameForType(mimeType) : filename,
    mimeType,
    bytes: measured.bytes,
    sha256: measured.sha256,
    downloadable,
    scope,
    createdAt,
    expiresAt:
      expiresInSeconds === null ? null : new Date(createdAt.getTime() + expiresInSeconds * 1000),
  };
  const kept = await keep(world, actor, file, blobId);
  if (kept !== blobId) await removeBlob(world, organizationId, blobId);
  const { scope: _scope, ...row } = file;
  return { ...row, blobId: kept, scopeType: scope?.type ?? null, scopeId: scope?.id ?? null };
}

/** Answers the blob with its bytes: another than the new one where the organization had them. */
async function keep(
  world: World,
  actor: AuditActor,
  file: queries.NewFile,
  blobId: string,
): Promise<string> {
  const { organizationId, sha256, bytes } = file;
  try {
    return await world.db.tx(async (tx) => {
      const held = await holdContent(tx, world, organizationId, { sha256, blobId, bytes });
      if (!(await queries.takeRoom(tx, organizationId, bytes, quotaOf(world))))
        throw full(world, await queries.findStored(tx, organizationId), bytes);
      await queries.insertFile(tx, file);
      await recordFileEvent(tx, world, actor, organizationId, "file.uploaded", file.id);
      tellFile(tx, world, file.workspaceId, file.id);
      return held;
    });
  } catch (error) {
    // Whether it was committed may be unknown: then the sweep finds what is not needed.
    if (!isCommitUnknown(error)) await removeBlob(world, organizationId, blobId);
    throw error;
  }
}

/**
 * The blob is looked for while nothing is swept: whatever clocks say, no file is acknowledged without bytes. Bytes that
 * are not where their row says (a backup's blobs may be younger than its rows) are here again.
 */
async function holdContent(
  tx: Tx,
  { blobs }: World,
  organizationId: string,
  content: queries.FileContent,
): Promise<string> {
  await queries.lockOutSweep(tx);
  const isThere = async (blobId: string) =>
    (await blobs.stat(blobKey(organizationId, blobId))) !== undefined;
  const held = await queries.holdContent(tx, organizationId, content);
  if (await isThere(held)) return held;
  if (held === content.blobId || !(await isThere(content.blobId)))
    throw unavailable("The upload took too long and was cleared away; send the file again.");
  await queries.replaceBlob(tx, organizationId, content);
  return content.blobId;
}

/** Of a blob that is no longer needed. What cannot be removed now is removed by the sweep. */
export async function removeBlob(
  { blobs, logger }: Pick<World, "blobs" | "logger">,
  organizationId: string,
  blobId: string,
): Promise<void> {
  try {
    await blobs.delete(blobKey(organizationId, blobId));
  } catch (error) {
    logger.warn({ blob_id: blobId, error: String(error) }, "a blob is left to the sweep");
  }
}

/** Within the transaction that takes a file's bytes away: answers the blob that is not needed after it. */
export async function release(
  tx: Tx,
  { organizationId, sha256, bytes }: queries.RemovedFile,
): Promise<string | undefined> {
  if (sha256 === null) return undefined;
  const blobId = await queries.releaseContent(tx, organizationId, sha256);
  await queries.giveRoom(tx, organizationId, bytes);
  return blobId;
}

/** It is there, or no longer. */
export const tellFile = (tx: Tx, world: World, workspaceId: string, id: string): void =>
  tellChanges(tx, world, workspaceId, [
    { of: "file", id },
    { of: "list", list: "files" },
  ]);

export const recordFileEvent = (
  tx: Tx,
  world: World,
  actor: AuditActor,
  organizationId: string,
  action: "file.uploaded" | "file.deleted",
  id: string,
): Promise<void> =>
  record(tx, world, actor, { organizationId, action, target: { type: "file", id } });

/** What fits is found out again where it seems too little: files may have been deleted meanwhile. */
function makeQuotaCheck(world: World, organizationId: string) {
  const { bytesMax, filesMax } = quotaOf(world);
  let left = -1;
  return {
    expect: async (bytes: number): Promise<void> => {
      if (bytes <= left) return;
      const stored = await queries.findStored(world.db, organizationId);
      left = bytesMax - stored.bytes;
      if (bytes > left || stored.files >= filesMax) throw full(world, stored, bytes);
    },
  };
}

function full(world: World, stored: queries.Stored, bytes: number): Failure {
  const { bytesMax, filesMax } = quotaOf(world);
  const remedy = "Delete files, or have the operator raise";
  const sentence =
    stored.files >= filesMax
      ? `The organization has ${stored.files} files, and ${filesMax} are allowed. ${remedy} files.organization_files_max.`
      : `The organization stores ${stored.bytes} bytes in files, and ${bytesMax} are allowed: ${bytes} more do not fit. ${remedy} files.organization_bytes_max.`;
  return invalid(sentence, { code: "storage_quota_exceeded" });
}

/** Hash, length, first bytes, and whether it is text, of what is pushed. */
function makeMeter() {
  const hash = createHash("sha256");
  const text = textTest();
  const first: Buffer[] = [];
  let [headBytes, bytes] = [0, 0];
  return {
    bytes: () => bytes,
    push: (piece: Buffer): void => {
      bytes += piece.length;
      hash.update(piece);
      text.push(piece);
      if (headBytes >= limits.headBytes) return;
      const part = Buffer.from(piece.subarray(0, limits.headBytes - headBytes));
      first.push(part);
      headBytes += part.length;
    },
    end: () => ({
      bytes,
      sha256: hash.digest("hex"),
      head: Buffer.concat(first),
      isText: text.end(),
    }),
  };
}
