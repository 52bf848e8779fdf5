// Signatures of the audit log under another master key: what they say stays as it is.
import type { World } from "../../../kernel/context.ts";
import { blobPrefix, headPurpose, readBlobText } from "./anchors.ts";
import { closingKey, closingPurpose } from "./closing.ts";
import * as queries from "./queries-signatures.ts";

type Keeping = Pick<World, "db" | "secrets" | "blobs">;

/** Undefined where there is nothing to do: any signature but this installation's is left as it is. */
function signedAgain({ secrets }: Keeping, text: string, purpose: string): string | undefined {
  if (keyOf(text) === secrets.activeKeyId()) return undefined;
  const value = secrets.verify(text, purpose);
  return value === undefined ? undefined : secrets.sign(value, purpose);
}

const keyOf = (text: string) => text.slice(0, text.indexOf("."));

/** Answers how many were signed again. One that moved on meanwhile is under the active key already. */
export async function signAgain(world: Keeping): Promise<number> {
  const { db, blobs } = world;
  let signed = 0;
  for (const { organizationId, anchor } of await queries.listAnchors(db)) {
    const next = signedAgain(world, anchor, headPurpose);
    if (next !== undefined)
      signed += await queries.replaceAnchor(db, organizationId, { before: anchor, next });
  }
  const closing = await queries.findClosing(db);
  const next = closing && signedAgain(world, closing, closingPurpose);
  if (closing !== undefined && next !== undefined)
    signed += await queries.replaceClosing(db, { before: closing, next });
  for await (const { key } of blobs.list(blobPrefix)) {
    const purpose = key === closingKey ? closingPurpose : headPurpose;
    const text = signedAgain(world, await readBlobText(blobs, key), purpose);
    if (text === undefined) continue;
    // A blob is written once. Where the process dies in between, the one in the database is enough (AUD7, AUD9).
    await blobs.delete(key);
    await blobs.put(key, Buffer.from(text));
    signed += 1;
  }
  return signed;
}

/** How many signatures stand under a key. */
export async function countSigned(
  { db, blobs }: Omit<Keeping, "secrets">,
  keyId: string,
): Promise<number> {
  const closing = await queries.findClosing(db);
  const anchors = await queries.listAnchors(db);
  const inDatabase = [...anchors.map(({ anchor }) => anchor), closing ?? ""];
  let signed = inDatabase.filter((text) => keyOf(text) === keyId).length;
  for await (const { key } of blobs.list(blobPrefix))
    if (keyOf(await readBlobText(blobs, key)) === keyId) signed += 1;
  return signed;
}
