// Passwords: argon2id, stored as PHC strings, a few at a time.
import assert from "node:assert/strict";
import { argon2, timingSafeEqual } from "node:crypto";
import { invalid, unavailable } from "../base/failure.ts";
import type { Random } from "../base/random.ts";

/** What a hash costs the server that makes it, and a thief who guesses. */
export interface PasswordCost {
  memoryKiB: number;
  passes: number;
}

/** OWASP's first choice for argon2id; about 60 ms here. */
export const passwordCost: PasswordCost = { memoryKiB: 19_456, passes: 2 };
const parallelism = 1;
const tagBytes = 32;
const saltBytes = 16;
const passwordBytesMax = 1_024;
/** Hashing runs on libuv's four threads, which files and name look-ups need as well. */
const runningMax = 2;
/** About 4 s of work; callers beyond it are told to come back. */
const waitingMax = 128;

export interface Passwords {
  /** A PHC string. */
  hash(password: string, random: Random): Promise<string>;
  /**
   * `outdated` asks the caller to hash the password again, now that it is at hand. Without a stored hash
   * (an unknown user) the same work is done and the answer is no: the time it takes tells nothing.
   */
  verify(phc: string | undefined, password: string): Promise<{ ok: boolean; outdated: boolean }>;
}

interface Parameters extends PasswordCost {
  parallelism: number;
  salt: Buffer;
  hash: Buffer;
}

export function makePasswords(cost: PasswordCost = passwordCost): Passwords {
  const { memoryKiB, passes } = cost;
  const none = {
    ...cost,
    parallelism,
    salt: Buffer.alloc(saltBytes),
    hash: Buffer.alloc(tagBytes),
  };
  return {
    hash: async (password, random) => {
      const salt = random.bytes(saltBytes);
      const hash = await derive(password, { ...cost, parallelism, salt }, tagBytes);
      return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
    },
    verify: async (phc, password) => {
      const stored: Parameters = phc === undefined ? none : parsePhc(phc);
      const hash = await derive(password, stored, stored.hash.length);
      const ok = timingSafeEqual(hash, stored.hash) && phc !== undefined;
      const outdated =
        stored.memoryKiB < memoryKiB || stored.passes < passes || stored.hash.length < tagBytes;
      return { ok, outdated };
    },
  };
}

function parsePhc(phc: string): Parameters {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      phc,
    );
  assert(match !== null, "A stored password hash is not an argon2id PHC string.");
  const [, memory, passes, parallelism, salt = "", hash = ""] = match;
  return {
    memoryKiB: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, "base64"),
    hash: Buffer.from(hash, "base64"),
  };
}

let running = 0;
const waiting: (() => void)[] = [];

async function derive(
  password: string,
  { memoryKiB, passes, parallelism: lanes, salt }: Omit<Parameters, "hash">,
  tagLength: number,
): Promise<Buffer> {
  // The same password may arrive in two Unicode forms, from two keyboards.
  const message = Buffer.from(password.normalize("NFKC"));
  if (message.length > passwordBytesMax)
    throw invalid(`A password has at most ${passwordBytesMax} bytes.`);
  await enter();
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const parameters = {
        message,
        nonce: salt,
        parallelism: lanes,
        tagLength,
        memory: memoryKiB,
        passes,
      };
      argon2("argon2id", parameters, (error, hash) => (error ? reject(error) : resolve(hash)));
    });
  } finally {
    leave();
  }
}

async function enter(): Promise<void> {
  if (running < runningMax) {
    running += 1;
    return;
  }
  if (waiting.length >= waitingMax)
    throw unavailable("Too many people sign in at this moment; try again in a few seconds.", 3);
  await new Promise<void>((resolve) => waiting.push(resolve));
}

/** The slot goes straight to the next caller in the queue, so that no later one overtakes it. */
function leave(): void {
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
}

const unpadded = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
