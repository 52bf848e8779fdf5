// Checks that a body is UTF-8 while its chunks come, wherever they cut it.
import { isUtf8 } from "node:buffer";
import { validPrefix } from "../../../kernel/http/input/body.ts";

export interface Utf8Check {
  /**
   * Where in the chunk the first byte stands that belongs to no character: its length when there is none,
   * less than 0 when it was in the chunk before.
   */
  push(chunk: Buffer): number;
  /** The same for the last chunk: 0 when it ended with a whole character, undefined when that is cut. */
  end(): number | undefined;
}

export function makeUtf8Check(): Utf8Check {
  /** A character that the last chunk began. */
  const open = Buffer.alloc(4);
  let held = 0;

  /** How many bytes of the chunk end that character; undefined when it is none. */
  const complete = (chunk: Buffer): number | undefined => {
    const wanted = Math.min(lengthAfter(open[0] ?? 0) - held, chunk.length);
    let taken = 0;
    for (; taken < wanted; taken++) {
      const byte = chunk[taken] ?? 0;
      if (!continues(byte)) return undefined;
      open[held + taken] = byte;
    }
    held += taken;
    if (held < lengthAfter(open[0] ?? 0)) return taken;
    if (!isUtf8(open.subarray(0, held))) {
      held -= taken;
      return undefined;
    }
    held = 0;
    return taken;
  };

  return {
    push(chunk) {
      const from = held === 0 ? 0 : complete(chunk);
      if (from === undefined)
        return validPrefix(Buffer.concat([open.subarray(0, held), chunk.subarray(0, 4)])) - held;
      if (held > 0) return chunk.length;
      const tail = openTail(chunk);
      const whole = chunk.length - tail;
      if (!isUtf8(chunk.subarray(from, whole))) return from + validPrefix(chunk.subarray(from));
      chunk.copy(open, 0, whole);
      held = tail;
      return chunk.length;
    },
    end() {
      if (held === 0) return 0;
      const valid = validPrefix(open.subarray(0, held));
      return valid === held ? undefined : valid - held;
    },
  };
}

/** How many bytes at the end belong to a character that goes on behind it. */
function openTail(chunk: Buffer): number {
  for (let back = 1; back <= 3 && back <= chunk.length; back++) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (!continues(byte)) return lengthAfter(byte) > back ? back : 0;
  }
  return 0;
}

const continues = (byte: number) => (byte & 0xc0) === 0x80;

/** Bytes of a character, by its first; 1 also where none begins like that. */
function lengthAfter(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
