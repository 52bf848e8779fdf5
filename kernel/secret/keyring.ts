// Secrets on master keys: envelope encryption, and signatures with a key per purpose.
import assert from "node:assert/strict";
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from "node:crypto";
import { parseExactly } from "../base/exact-json.ts";
import { systemClock, type Clock } from "../base/clock.ts";
import { ExitError } from "../base/failure.ts";
import { systemRandom, type Random } from "../base/random.ts";
import { statSync } from "node:fs";
import {
  claimKeyFile,
  dropFromKeyFile,
  keyFilePath,
  parseMasterKey,
  readKeyFile,
  rotateKeyFile,
  type MasterKeys,
} from "./master-keys.ts";
import type { Secrets } from "./secrets.ts";

export interface SecretsOptions {
  /** Where `master-keys.json` lives; not touched when a master key is handed in. */
  directory: string;
  /** The value of PLINTH_MASTER_KEY. */
  masterKey?: string;
  /** False where a database was set up with keys already: a directory without them is refused, and left as it is. */
  mayMake?: boolean;
  random?: Random;
  clock?: Clock;
}

export interface Keyring extends Secrets {
  /**
   * Makes a new active key in the file and keeps the old ones; gives its id. Other processes follow
   * by themselves.
   */
  rotate(): Promise<string>;
  /** Takes a key out of the file. The caller has seen to it that nothing needs it any more. */
  drop(keyId: string): Promise<void>;
  /** All keys that open values, the active one first. */
  keyIds(): string[];
}

/**
 * What was encrypted does not open: another key, another context, or changed bytes. The caller
 * does not learn which.
 */
export class DecryptionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DecryptionError";
  }
}

// An encrypted value: "v1" . key id . base64url of salt | wrapped data key | tag | ciphertext | tag.
// Both ciphers run with a zero nonce, because each of their keys is used once: the data key is
// fresh, and the wrapping key is made from a fresh 24-byte salt (a random 12-byte nonce under one
// master key would be safe for 2^32 values only).
const version = "v1";
const saltBytes = 24;
const keyBytes = 32;
const tagBytes = 16;
const nonce = Buffer.alloc(12);
const headBytes = saltBytes + keyBytes + tagBytes;

/** Derived keys that are kept: one per master key and purpose, and purposes are few. */
const derivedKeysMax = 1_000;
/**
 * Looking for a key that another process made costs a file read; texts of clients must not cause
 * many.
 */
const reloadPauseMs = 1_000;

/** The master keys with what is derived from them. */
interface KeyTable {
  keys: MasterKeys;
  derive(keyId: string, use: string): Buffer | undefined;
  /** Rule SEC12: reads the keys again where the file was changed since, a look a second at most. */
  follow(): void;
}

export async function openSecrets(options: SecretsOptions): Promise<Keyring> {
  const { directory, masterKey, random = systemRandom, clock = systemClock } = options;
  const table = await openKeyTable(options);
  const activeId = () => {
    table.follow();
    return table.keys[0].id;
  };
  const wrappingKey = (keyId: string): Buffer => {
    // The keys of all stored values are made with this word: it stays.
    const key = table.derive(keyId, "seal");
    if (!key)
      throw new DecryptionError(`The master key ${keyId} is not among the keys of this server.`);
    return key;
  };

  return {
    encrypt: (plaintext, context) => {
      const keyId = activeId();
      const dataKey = random.bytes(keyBytes);
      const head = wrap(dataKey, wrappingKey(keyId), keyId, context, random);
      const body = encryptBytes(dataKey, Buffer.from(plaintext), bodyAad(context));
      return format(keyId, Buffer.concat([head, body]));
    },
    decrypt: (encrypted, context) => {
      const { keyId, bytes } = parse(encrypted);
      const dataKey = unwrap(bytes, wrappingKey(keyId), keyId, context);
      return decryptBytes(dataKey, bytes.subarray(headBytes), bodyAad(context));
    },
    rewrap: (encrypted, context) => {
      const { keyId, bytes } = parse(encrypted);
      const dataKey = unwrap(bytes, wrappingKey(keyId), keyId, context);
      const active = activeId();
      const head = wrap(dataKey, wrappingKey(active), active, context, random);
      return format(active, Buffer.concat([head, bytes.subarray(headBytes)]));
    },
    keyIdOf: (encrypted) => parse(encrypted).keyId,
    activeKeyId: activeId,
    keyIds: () => table.keys.map(({ id }) => id),
    sign: (value, purpose) => {
      const json = JSON.stringify(value) as string | undefined;
      if (json === undefined) throw new TypeError("Only what JSON can carry can be signed.");
      const keyId = activeId();
      const text = `${keyId}.${Buffer.from(json).toString("base64url")}`;
      const key = table.derive(keyId, `sign ${purpose}`);
      assert(key !== undefined, "The active master key is gone.");
      return `${text}.${macOf(text, key)}`;
    },
    verify: (signed, purpose) => {
      const [keyId = "", payload = "", mac = "", ...rest] = signed.split(".");
      const key = rest.length === 0 ? table.derive(keyId, `sign ${purpose}`) : undefined;
      if (!key || !sameText(mac, macOf(`${keyId}.${payload}`, key))) return undefined;
      return parseExactly(Buffer.from(payload, "base64url").toString());
    },
    rotate: async () => {
      if (masterKey !== undefined)
        throw new ExitError(
          "The master key comes from PLINTH_MASTER_KEY: put the new key in front there, as id:key,id:key.",
        );
      table.keys = await rotateKeyFile(directory, random, clock);
      return activeId();
    },
    drop: async (keyId) => {
      table.keys = await dropFromKeyFile(directory, keyId, random, clock);
    },
  };
}

async function openKeyTable(options: SecretsOptions): Promise<KeyTable> {
  const { directory, masterKey, mayMake = true } = options;
  const { random = systemRandom, clock = systemClock } = options;
  if (masterKey !== undefined) return keyTable(parseMasterKey(masterKey), clock);
  const keys = await claimKeyFile({ directory, mayMake, random, clock });
  return keyTable(keys, clock, keyFilePath(directory));
}

function keyTable(keys: MasterKeys, clock: Clock, path?: string): KeyTable {
  let reloadedAtMs = -Infinity;
  let lookedAtMs = clock.monotonicMs();
  let changedMs = path === undefined ? undefined : changeOf(path);
  const derived = new Map<string, Buffer>();
  const table: KeyTable = {
    keys,
    derive: (keyId, use) => {
      const name = `${keyId} ${use}`;
      const kept = derived.get(name);
      if (kept) return kept;
      const master = find(keyId);
      if (!master) return undefined;
      const key = Buffer.from(hkdfSync("sha256", master, "", `plinth ${use}`, keyBytes));
      if (derived.size >= derivedKeysMax) derived.clear();
      derived.set(name, key);
      return key;
    },
    follow: () => {
      const nowMs = clock.monotonicMs();
      if (path === undefined || nowMs - lookedAtMs < reloadPauseMs) return;
      lookedAtMs = nowMs;
      const seenMs = changeOf(path);
      if (seenMs === changedMs) return;
      // A file that is gone or damaged changes nothing here: what was read stays, and the next start says so.
      table.keys = readKeys(path) ?? table.keys;
      changedMs = seenMs;
    },
  };
  const known = (keyId: string) => table.keys.find(({ id }) => id === keyId)?.bytes;
  const find = (keyId: string): Buffer | undefined => {
    const found = known(keyId);
    const nowMs = clock.monotonicMs();
    if (found || path === undefined || nowMs - reloadedAtMs < reloadPauseMs) return found;
    reloadedAtMs = nowMs;
    table.keys = readKeyFile(path) ?? table.keys;
    return known(keyId);
  };
  return table;
}

const changeOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.mtimeMs;

function readKeys(path: string): MasterKeys | undefined {
  try {
    return readKeyFile(path);
  } catch (error) {
    if (error instanceof ExitError) return undefined;
    throw error;
  }
}

const bodyAad = (context: string) => Buffer.from(`plinth ${version} body\0${context}`);
const headAad = (keyId: string, context: string) =>
  Buffer.from(`plinth ${version} key ${keyId}\0${context}`);

function wrap(
  dataKey: Buffer,
  master: Buffer,
  keyId: string,
  context: string,
  random: Random,
): Buffer {
  const salt = random.bytes(saltBytes);
  const once = createHmac("sha256", master).update(salt).digest();
  return Buffer.concat([salt, encryptBytes(once, dataKey, headAad(keyId, context))]);
}

function unwrap(bytes: Buffer, master: Buffer, keyId: string, context: string): Buffer {
  const once = createHmac("sha256", master).update(bytes.subarray(0, saltBytes)).digest();
  return decryptBytes(once, bytes.subarray(saltBytes, headBytes), headAad(keyId, context));
}

function encryptBytes(key: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(aad);
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

function decryptBytes(key: Buffer, encrypted: Buffer, aad: Buffer): Buffer {
  const split = encrypted.length - tagBytes;
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(aad).setAuthTag(encrypted.subarray(split));
  try {
    return Buffer.concat([decipher.update(encrypted.subarray(0, split)), decipher.final()]);
  } catch {
    throw new DecryptionError(
      "This encrypted value was changed, or was encrypted for something else.",
    );
  }
}

const format = (keyId: string, bytes: Buffer) =>
  `${version}.${keyId}.${bytes.toString("base64url")}`;

function parse(encrypted: string): { keyId: string; bytes: Buffer } {
  const [found, keyId = "", encoded = "", ...rest] = encrypted.split(".");
  const bytes = Buffer.from(encoded, "base64url");
  // Base64url has many texts for the same bytes; only the one that we write counts.
  const isOurs =
    found === version &&
    rest.length === 0 &&
    bytes.length >= headBytes + tagBytes &&
    bytes.toString("base64url") === encoded;
  if (!isOurs) throw new DecryptionError("This is not an encrypted value.");
  return { keyId, bytes };
}

function macOf(text: string, key: Buffer): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
