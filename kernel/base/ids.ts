// Ids made in Node: a readable prefix and 26 characters that sort by time of creation.
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32: no i, l, o, u

export interface Ids {
  /** `next("wrkspc_")` gives `wrkspc_01k…`: later ids of one process sort after earlier ones. */
  next(prefix: string): string;
}

/** 48 bits of time, 16 of sequence within the millisecond, 64 random: UUIDv7's order, in base 32. */
export function makeIds(clock: Clock, random: Random): Ids {
  let lastMs = 0;
  let sequence = 0;
  return {
    next: (prefix) => {
      const nowMs = clock.now().getTime();
      if (nowMs > lastMs) {
        lastMs = nowMs;
        sequence = 0;
      } else if (++sequence > 0xffff) {
        lastMs += 1; // a clock that stands still or ran back must not break the order
        sequence = 0;
      }
      const time = (BigInt(lastMs) << 16n) | BigInt(sequence);
      return prefix + encode((time << 64n) | random.bytes(8).readBigUInt64BE());
    },
  };
}

function encode(value: bigint): string {
  let text = "";
  for (let rest = value, i = 0; i < 26; i++, rest >>= 5n)
    text = alphabet[Number(rest & 31n)] + text;
  return text;
}
