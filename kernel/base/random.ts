// Randomness as a value that is handed in: the machine's in production, seeded in simulations.
import { randomBytes, randomFillSync } from "node:crypto";

export interface Random {
  bytes(count: number): Buffer;
  /** A number in [0, 1). */
  fraction(): number;
}

/** Asking the kernel for 8 bytes costs 1 µs, for 8 KB 4 µs: ids are made on every request. */
const pool = Buffer.alloc(8192);
const pooledBytesMax = 64;
let poolUsed = pool.length;

function systemBytes(count: number): Buffer {
  if (count > pooledBytesMax) return randomBytes(count);
  if (poolUsed + count > pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const taken = Buffer.from(pool.subarray(poolUsed, poolUsed + count));
  // What was handed out may become a secret: no copy of it stays here.
  pool.fill(0, poolUsed, poolUsed + count);
  poolUsed += count;
  return taken;
}

export const systemRandom: Random = {
  bytes: systemBytes,
  fraction: () => systemBytes(4).readUInt32BE() / 2 ** 32,
};

/** Deterministic (mulberry32): the same seed gives the same sequence. Never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction: next,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => Math.floor(next() * 256))),
  };
}
