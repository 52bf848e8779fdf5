// Ids made in Node: a readable prefix and 26 characters that sort by time of creation.
import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32: no i, l, o, u

export interface Ids {
  /** `next("wrkspc_")` gives `wrkspc_01k…`: later ids of one process sort after earlier ones. */
  next(prefix: string): string;
}

/** Time, sequence within the millisecond, 60 random bits: UUIDv7's order, in base 32. */
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
      return prefix + encode(lastMs, sequence, random.bytes(8));
    },
  };
}

/** 26 letters: ten of time, four of sequence, twelve of randomness. */
function encode(ms: number, sequence: number, random: Buffer): string {
  const high = Math.floor(ms / 0x2000000); // 25 bits a half: within what 32-bit shifts can do
  const low = ms % 0x2000000;
  return (
    letters(high, 5) +
    letters(low, 5) +
    letters(sequence, 4) +
    letters(random.readUInt32BE(0) >>> 2, 6) +
    letters(random.readUInt32BE(4) >>> 2, 6)
  );
}

function letters(value: number, count: number): string {
  let text = "";
  for (let shift = (count - 1) * 5; shift >= 0; shift -= 5)
    text += alphabet[(value >>> shift) & 31];
  return text;
}

/** When an id was made; long ago for what is none. */
export const timeOfId = (id: string): Date =>
  new Date(valueOf(id, -26) * 0x2000000 + valueOf(id, -21));

/** Of five letters, counted from the end. */
function valueOf(id: string, from: number): number {
  let value = 0;
  for (let at = Math.max(0, id.length + from); at < id.length + from + 5; at++)
    value = value * 32 + (values[id.charCodeAt(at)] ?? 0);
  return value;
}

/** By the code of the letter. */
const values = new Uint8Array(128);
for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
