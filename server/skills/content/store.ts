// Keeps the archives of versions: once for equal ones, within what the organization may store.
import { Failure, invalid, unavailable } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { isCommitUnknown, type Tx } from "../../../kernel/sql/database.ts";
import type { SkillFolder } from "../folder/receive.ts";
import { bytesMaxOf } from "../settings.ts";
import { blobKey } from "./blob-keys.ts";
import * as queries from "./queries.ts";

/**
 * The rows that `write` makes are there when the archive is, durably; of what is refused or breaks off nothing is kept.
 */
export async function storeArchive<Made>(
  world: World,
  organizationId: string,
  { archive, sha256 }: Pick<SkillFolder, "archive" | "sha256">,
  write: (tx: Tx) => Promise<Made>,
): Promise<Made> {
  const { blobs, db, ids } = world;
  const content = { sha256, blobId: ids.next("blob_"), bytes: archive.length };
  await blobs.put(blobKey(organizationId, content.blobId), archive);
  let held: string | undefined;
  try {
    const made = await db.tx(async (tx) => {
      // First the rows of skills, then those of archives, as in a deletion: or the two deadlock.
      const written = await write(tx);
      held = await holdContent(tx, world, organizationId, content);
      return written;
    });
    if (held !== content.blobId) await removeBlob(world, organizationId, content.blobId);
    return made;
  } catch (error) {
    // Whether it was committed may be unknown: then the sweep finds what is not needed.
    if (!isCommitUnknown(error)) await removeBlob(world, organizationId, content.blobId);
    throw error;
  }
}

/**
 * The blob is looked for while nothing is swept: whatever clocks say, no version is acknowledged without its archive.
 * One that is not where its row says (a backup's blobs may be younger than its rows) is here again.
 */
async function holdContent(
  tx: Tx,
  world: World,
  organizationId: string,
  content: queries.Content,
): Promise<string> {
  await queries.lockOutSweep(tx);
  const isThere = async (blobId: string) =>
    (await world.blobs.stat(blobKey(organizationId, blobId))) !== undefined;
  const held = await queries.holdContent(tx, organizationId, content);
  if (held.isNew) await expectRoom(tx, world, organizationId, content.bytes);
  if (await isThere(held.blobId)) return held.blobId;
  if (held.isNew || !(await isThere(content.blobId)))
    throw unavailable("The upload took too long and was cleared away; send the skill again.");
  await queries.replaceBlob(tx, organizationId, content);
  return content.blobId;
}

async function expectRoom(
  tx: Tx,
  world: World,
  organizationId: string,
  bytes: number,
): Promise<void> {
  const bytesMax = bytesMaxOf(world);
  if (await queries.takeRoom(tx, organizationId, bytes, bytesMax)) return;
  const stored = await queries.findStored(tx, organizationId);
  throw invalid(
    `The organization stores ${stored} bytes in skills, and ${bytesMax} are allowed: ${bytes} more do not fit. Delete versions, or have the operator raise skills.organization_bytes_max.`,
    { code: "storage_quota_exceeded" },
  );
}

/** Within the transaction that takes versions away: answers the blobs that are not needed after it. */
export async function releaseArchives(
  tx: Tx,
  organizationId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const unused: string[] = [];
  // In one order everywhere: two transactions that release the same archives do not deadlock.
  for (const sha256 of hashes.toSorted()) {
    const gone = await queries.releaseContent(tx, organizationId, sha256);
    if (gone === undefined) continue;
    await queries.giveRoom(tx, organizationId, gone.bytes);
    unused.push(gone.blobId);
  }
  return unused;
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

interface Stored {
  id: string;
  organizationId: string;
  blobId: string;
}

/** A version may have been deleted since its row was read: `expectStill` asks anew, and throws what is said then. */
export async function openArchive(
  { blobs }: Pick<World, "blobs">,
  { id, organizationId, blobId }: Stored,
  expectStill: () => Promise<unknown>,
  range?: { start: number; end: number },
) {
  try {
    return await blobs.read(blobKey(organizationId, blobId), range);
  } catch (error) {
    if (!(error instanceof Failure && error.status === 404)) throw error;
    await expectStill();
    throw new Failure(
      "not_found_error",
      `The content of the skill version ${id} is lost: the database was started without the files that hold it. Upload it again.`,
      { code: "content_lost" },
    );
  }
}
