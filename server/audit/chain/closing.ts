// Rule AUD9: old rows join the chain once; then that is signed, and no further row without a number is accepted.
import { Failure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { readBlobText } from "./anchors.ts";
import * as queries from "./queries.ts";

export const closingPurpose = "the rows of the audit log from before its chains have their place";
/** Beside the other signatures: removing those, to begin anew after a restore, removes this one too. */
export const closingKey = "audit/closed";

type Keeping = Pick<World, "db" | "secrets" | "blobs">;

interface Marks {
  inDatabase: boolean;
  inDirectory: boolean;
}

/** One is enough: access to the database alone lets an attacker forge neither, nor remove the file. */
async function readMarks({ db, secrets, blobs }: Keeping): Promise<Marks> {
  const isOurs = (text: string) => secrets.verify(text, closingPurpose) !== undefined;
  const signature = await queries.readClosing(db);
  const isThere = (await blobs.stat(closingKey)) !== undefined;
  return {
    inDatabase: signature !== undefined && isOurs(signature),
    inDirectory: isThere && isOurs(await readBlobText(blobs, closingKey)),
  };
}

export async function isClosedToOldRows(world: Keeping): Promise<boolean> {
  const { inDatabase, inDirectory } = await readMarks(world);
  return inDatabase || inDirectory;
}

/** Writes the missing mark, or both: one may have been removed. */
export async function closeToOldRows(world: Keeping & Pick<World, "clock">): Promise<void> {
  const { db, secrets, blobs, clock } = world;
  const { inDatabase, inDirectory } = await readMarks(world);
  const signature = secrets.sign({ at: clock.now().toISOString() }, closingPurpose);
  if (!inDirectory) {
    await blobs.delete(closingKey);
    try {
      await blobs.put(closingKey, Buffer.from(signature));
    } catch (error) {
      // Another process wrote the mark at the same moment: it is as good.
      if (!(error instanceof Failure) || (await blobs.stat(closingKey)) === undefined) throw error;
    }
  }
  if (!inDatabase) await db.tx((tx) => queries.setClosing(tx, signature));
}

export interface UnsealedFinding {
  /** Old rows that the server will add to the chain. */
  waiting: number;
  /** What is wrong with rows outside the chain when no old rows are expected. */
  problem: string | null;
}

export async function findUnsealed(
  world: Keeping,
  organizationId: string,
): Promise<UnsealedFinding> {
  const { count, first } = await queries.readUnsealed(world.db, organizationId);
  if (count === 0) return { waiting: 0, problem: null };
  if (!(await isClosedToOldRows(world))) return { waiting: count, problem: null };
  return { waiting: 0, problem: putIn(count, first) };
}

const putIn = (count: number, first: string | null) =>
  count === 1
    ? `Event ${first} has no place in the chain: it was put in.`
    : `${count} events have no place in the chain, ${first} and those after it: they were put in.`;
