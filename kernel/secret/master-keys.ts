// The master keys: from a file that only the owner reads, or handed in from the environment.
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { parseExactly } from "../base/exact-json.ts";
import type { Clock } from "../base/clock.ts";
import { ExitError } from "../base/failure.ts";
import type { Random } from "../base/random.ts";

export interface MasterKey {
  id: string;
  bytes: Buffer;
}

/** The first is active: it encrypts and signs. The others only open and verify. */
export type MasterKeys = readonly [MasterKey, ...MasterKey[]];

const keyBytes = 32;
const keysMax = 100;
const idPattern = /^[a-z0-9-]{1,32}$/;

interface KeyFile {
  version: 1;
  keys: { id: string; key: string; created_at: string }[];
}

export const keyFilePath = (directory: string) => `${directory}/master-keys.json`;

/**
 * The keys of `PLINTH_MASTER_KEY`: 32 bytes as base64 or hex, or several `id:key`, the active one
 * first.
 */
export function parseMasterKey(text: string): MasterKeys {
  const keys = text.split(",").map((part): MasterKey => {
    const [id, encoded] = part.includes(":")
      ? [part.slice(0, part.indexOf(":")).trim(), part.slice(part.indexOf(":") + 1).trim()]
      : [undefined, part.trim()];
    const bytes = decodeKey(encoded);
    if (bytes === undefined)
      throw new ExitError(
        "PLINTH_MASTER_KEY must be 32 bytes as base64 or hex, or several such keys as id:key " +
          "with commas between: `node -p \"crypto.randomBytes(32).toString('base64')\"` makes one.",
      );
    if (id !== undefined && !idPattern.test(id))
      throw new ExitError(
        `PLINTH_MASTER_KEY: "${id}" is no key id (a-z, 0-9 and "-", 32 at most).`,
      );
    return { id: id ?? fingerprint(bytes), bytes };
  });
  return checked(keys, "PLINTH_MASTER_KEY");
}

/**
 * The keys of the file, which is made on the first start; two starters at once end up with the
 * same.
 */
export async function claimKeyFile({
  directory,
  mayMake,
  random,
  clock,
}: {
  directory: string;
  mayMake: boolean;
  random: Random;
  clock: Clock;
}): Promise<MasterKeys> {
  const path = keyFilePath(directory);
  const found = readKeyFile(path);
  if (found) return found;
  if (!mayMake)
    throw new ExitError(
      `The master keys that this database was set up with are not in ${path}: put the file back ` +
        "from a backup, or set PLINTH_MASTER_KEY as on the other nodes.",
    );
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file: KeyFile = { version: 1, keys: [freshKey(random, clock)] };
  const temporary = await writeBeside(path, file, random);
  try {
    // A link fails where the name is taken; a rename would replace the keys of the process that was first.
    await link(temporary, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(directory);
  const claimed = readKeyFile(path);
  if (!claimed) throw new ExitError(`${path} vanished while it was being written.`);
  return claimed;
}

/** Puts a new key in front; the old ones stay for what they encrypted. */
export const rotateKeyFile = (directory: string, random: Random, clock: Clock) =>
  changeKeyFile(directory, random, ({ keys }) => [freshKey(random, clock), ...keys]);

/** A transaction that encrypted under a key before the next one took its place has ended by then. */
const settledMs = 120_000;

/** Rule SEC14: never the active key, nor one that was active a moment ago. */
export const dropFromKeyFile = (directory: string, keyId: string, random: Random, clock: Clock) =>
  changeKeyFile(directory, random, ({ keys }, path) => {
    const at = keys.findIndex(({ id }) => id === keyId);
    if (at === -1)
      throw new ExitError(
        `There is no master key ${keyId} in ${path}; it has ${keys.map(({ id }) => id).join(", ")}.`,
      );
    const next = keys[at - 1];
    if (next === undefined)
      throw new ExitError(
        `${keyId} is the active master key: run plinth rotate-master-key first, which makes another one.`,
      );
    const sinceMs = clock.now().getTime() - Date.parse(next.created_at);
    if (sinceMs < settledMs)
      throw new ExitError(
        `${keyId} was the active master key ${Math.round(sinceMs / 1_000)} seconds ago, and what began then may write with it yet: come back after ${settledMs / 60_000} minutes.`,
      );
    return keys.filter(({ id }) => id !== keyId);
  });

/** One change at a time. */
async function changeKeyFile(
  directory: string,
  random: Random,
  change: (file: KeyFile, path: string) => KeyFile["keys"],
): Promise<MasterKeys> {
  const path = keyFilePath(directory);
  const lock = `${path}.lock`;
  const held = await open(lock, "wx", 0o600).catch((error: unknown) => {
    throw new ExitError(
      `Another process is rotating the master key; if none is, remove ${lock}.`,
      1,
      error,
    );
  });
  try {
    const keys = readKeyFile(path);
    if (!keys) throw new ExitError(`${path} is gone: put it back from a backup.`);
    const file = parseExactly(readFileSync(path, "utf8")) as KeyFile;
    file.keys = change(file, path);
    checked(
      file.keys.map(({ id }) => ({ id, bytes: Buffer.alloc(0) })),
      path,
    );
    await rename(await writeBeside(path, file, random), path);
    await syncDirectory(directory);
  } finally {
    await held.close();
    await rm(lock, { force: true });
  }
  const rotated = readKeyFile(path);
  if (!rotated) throw new ExitError(`${path} vanished while it was being written.`);
  return rotated;
}

/**
 * Read in one go and rarely (at start, and when a value names a key that another process has just
 * made).
 */
export function readKeyFile(path: string): MasterKeys | undefined {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return undefined;
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new ExitError(`${path} can be read by others: \`chmod 600 ${path}\`.`);
  const text = readFileSync(path, "utf8");
  if (text.trim() === "")
    throw new ExitError(
      `${path} is empty: put it back from a backup, no other key opens the data.`,
    );
  let file: unknown;
  try {
    file = parseExactly(text);
  } catch {
    file = undefined; // the parser's message would quote the file, keys and all
  }
  if (!isKeyFile(file)) throw damaged(path);
  const keys = file.keys.map(({ id, key }): MasterKey => {
    const bytes = decodeKey(key);
    if (bytes === undefined || !idPattern.test(id)) throw damaged(path);
    return { id, bytes };
  });
  return checked(keys, path);
}

const damaged = (path: string) =>
  new ExitError(`${path} is damaged: put it back from a backup, no other key opens the data.`);

function isKeyFile(value: unknown): value is KeyFile {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    value.version === 1 &&
    "keys" in value &&
    Array.isArray(value.keys) &&
    value.keys.every(
      (each: unknown) =>
        typeof each === "object" &&
        each !== null &&
        "id" in each &&
        typeof each.id === "string" &&
        "key" in each &&
        typeof each.key === "string",
    )
  );
}

function checked(keys: MasterKey[], source: string): MasterKeys {
  const [first, ...rest] = keys;
  if (first === undefined) throw new ExitError(`${source} holds no key.`);
  if (keys.length > keysMax) throw new ExitError(`${source} holds more than ${keysMax} keys.`);
  const twice = keys.find(({ id }, index) => keys.findIndex((key) => key.id === id) !== index);
  if (twice) throw new ExitError(`${source} holds two keys with the id ${twice.id}.`);
  return [first, ...rest];
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === keyBytes ? bytes : undefined;
}

/** The same key has the same id on every node, without giving any of it away. */
function fingerprint(bytes: Buffer): string {
  return `e${createHash("sha256").update("plinth master key id").update(bytes).digest("hex").slice(0, 8)}`;
}

function freshKey(random: Random, clock: Clock): KeyFile["keys"][number] {
  return {
    id: `k${random.bytes(4).toString("hex")}`,
    key: random.bytes(keyBytes).toString("base64"),
    created_at: clock.now().toISOString(),
  };
}

async function writeBeside(path: string, file: KeyFile, random: Random): Promise<string> {
  const temporary = `${path}.${process.pid}.${random.bytes(6).toString("hex")}`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(file, null, 2)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return temporary;
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
