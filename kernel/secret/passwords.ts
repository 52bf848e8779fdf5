// Passwords: argon2id, stored as PHC strings, a few at a time.
import { argon2, timingSafeEqual } from "node:crypto";
import { invalid, unavailable } from "../base/failure.ts";
import { systemRandom, type Random } from "../base/random.ts";

/** OWASP's first choice for argon2id; about 60 ms here. */
const current = { memoryKiB: 19_456, passes: 2, parallelism: 1, tagBytes: 32 } as const;
const saltBytes = 16;
const passwordBytesMax = 1_024;
/** Hashing runs on libuv's four threads, which files and name look-ups need as well. */
const runningMax = 2;
/** About 4 s of work; whoever comes later is told to come back. */
const waitingMax = 128;

interface Parameters {
  memoryKiB: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  hash: Buffer;
}

export async function hashPassword(
  password: string,
  random: Random = systemRandom,
): Promise<string> {
  const salt = random.bytes(saltBytes);
  const hash = await derive(password, { ...current, salt }, current.tagBytes);
  const { memoryKiB, passes, parallelism } = current;
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`;
}

/**
 * `outdated` asks the caller to hash the password again, now that it is at hand. Without a stored hash
 * (an unknown user) the same work is done and the answer is no: the time it takes tells nothing.
 */
export async function verifyPassword(
  phc: string | undefined,
  password: string,
): Promise<{ ok: boolean; outdated: boolean }> {
  const stored = phc === undefined ? nobody : parsePhc(phc);
  const hash = await derive(password, stored, stored.hash.length);
  const ok = timingSafeEqual(hash, stored.hash) && phc !== undefined;
  const outdated =
    stored.memoryKiB < current.memoryKiB ||
    stored.passes < current.passes ||
    stored.hash.length < current.tagBytes;
  return { ok, outdated };
}

const nobody: Parameters = {
  ...current,
  salt: Buffer.alloc(saltBytes),
  hash: Buffer.alloc(current.tagBytes),
};

function parsePhc(phc: string): Parameters {
  const match =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/.exec(
      phc,
    );
  if (!match) throw new Error("A stored password hash is not an argon2id PHC string.");
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
  { memoryKiB, passes, parallelism, salt }: Omit<Parameters, "hash">,
  tagLength: number,
): Promise<Buffer> {
  // The same password may reach us in two Unicode forms, from two keyboards.
  const message = Buffer.from(password.normalize("NFKC"));
  if (message.length > passwordBytesMax)
    throw invalid(`A password has at most ${passwordBytesMax} bytes.`);
  await enter();
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      const parameters = {
        message,
        nonce: salt,
        parallelism,
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

/** The place goes straight to the next in line, so that nobody slips in between. */
function leave(): void {
  const next = waiting.shift();
  if (next) next();
  else running -= 1;
}

const unpadded = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
