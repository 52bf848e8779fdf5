// Randomness as a value that is handed in: the machine's in production, seeded in simulations.
import { randomBytes } from "node:crypto";

export interface Random {
  bytes(count: number): Buffer;
  /** A number in [0, 1). */
  fraction(): number;
}

export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
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
