// Rule AUD7: the head of each chain is signed every minute, and the signature is kept outside the database as well.
import type { World } from "../../../kernel/context.ts";
import type { Blobs } from "../../../kernel/blob/blobs.ts";
import { verifyChain, type ChainCheckResult, type ChainPosition } from "./chain.ts";
import * as queries from "./queries.ts";

export const headPurpose = "the head of an audit log";
export const blobPrefix = "audit/";

/** A position that this installation has signed; `from` says where it was found. */
export interface Anchor extends ChainPosition {
  at: string;
  from: string;
}

type Keeping = Pick<World, "db" | "secrets" | "blobs">;

const keyOf = (organizationId: string, seq: number) =>
  `${blobPrefix}${organizationId}/${String(seq).padStart(16, "0")}`;

function readAnchor(
  { secrets }: Pick<World, "secrets">,
  organizationId: string,
  text: string,
  where: string,
): Anchor | undefined {
  const value = secrets.verify(text, headPurpose) as Record<string, unknown> | undefined;
  if (value?.["organization"] !== organizationId) return undefined;
  const { seq, hash, at } = value as unknown as ChainPosition & { at: string };
  return { seq, hash, at, from: `${where}, ${at}` };
}

/** The signed positions of this chain, the newest last; those without this server's signature are left out. */
export async function anchorsOf(world: Keeping, organizationId: string): Promise<Anchor[]> {
  const checked = await queries.readCheck(world.db, organizationId);
  const inDatabase =
    checked?.anchor === undefined || checked.anchor === null
      ? undefined
      : readAnchor(world, organizationId, checked.anchor, "in the database");
  const anchors = inDatabase === undefined ? [] : [inDatabase];
  for await (const { key } of world.blobs.list(`${blobPrefix}${organizationId}/`)) {
    const text = await readBlobText(world.blobs, key);
    const anchor = readAnchor(world, organizationId, text, "in the data directory");
    if (anchor !== undefined) anchors.push(anchor);
  }
  return anchors.sort((one, other) => one.seq - other.seq);
}

export async function readBlobText(blobs: Blobs, key: string): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of await blobs.read(key)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

/** Organizations with a signature in the data directory, whether the database knows them or not. */
export async function listAnchored(blobs: Blobs): Promise<string[]> {
  const found = new Set<string>();
  for await (const { key } of blobs.list(blobPrefix)) {
    // The mark that closes the chains to old rows lies directly under the prefix.
    const [, organizationId = "", seq] = key.split("/");
    if (seq !== undefined) found.add(organizationId);
  }
  return [...found].sort();
}

/** Verifies what was appended since the last signature, and signs the new head when it follows from it. */
export async function moveAnchor(
  world: Keeping & Pick<World, "clock">,
  organizationId: string,
): Promise<ChainCheckResult> {
  const { db, clock, secrets, blobs } = world;
  const anchors = await anchorsOf(world, organizationId);
  const signed = anchors.at(-1);
  const start = signed === undefined ? undefined : await startAt(db, organizationId, signed);
  const checked = await verifyChain(db, organizationId, {
    ...(start !== undefined && { from: start }),
    expected: anchors.filter(({ seq }) => start === undefined || seq > start.seq),
  });
  const { seq, hash } = checked.intactUpTo;
  if (checked.problem !== null || seq === 0) return checked;
  const at = clock.now();
  const value = { organization: organizationId, seq, hash, at: at.toISOString() };
  const anchor = secrets.sign(value, headPurpose);
  const key = keyOf(organizationId, seq);
  // Another process may have signed the same head at this moment: its signature is as good.
  const isThere = async () => (await blobs.stat(key)) !== undefined;
  if (!(await isThere()))
    await blobs.put(key, Buffer.from(anchor)).catch(async (error: unknown) => {
      if (!(await isThere())) throw error;
    });
  await db.tx((tx) => queries.setAnchor(tx, organizationId, { seq, at, anchor }));
  for (const old of anchors) if (old.seq < seq) await blobs.delete(keyOf(organizationId, old.seq));
  return checked;
}

/** Where verification may begin: at the signed event, if it is unchanged; else at the first. */
async function startAt(
  db: Keeping["db"],
  organizationId: string,
  { seq, hash }: Anchor,
): Promise<ChainPosition | undefined> {
  const found = await queries.readHash(db, organizationId, seq);
  return found === hash ? { seq, hash } : undefined;
}
