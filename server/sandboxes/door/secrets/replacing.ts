// Texts in a stream of bytes, replaced while it passes: nothing is kept back but what may be the beginning of one.
import { Transform, type TransformCallback } from "node:stream";

export interface Replacement {
  /** Letters stand for bytes. */
  from: string;
  to: string;
  /** Before the first one passes. */
  onFirst?: () => Promise<void>;
}

export function replacing(replacements: readonly Replacement[]): Transform {
  const texts = new Texts(replacements);
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => void pass(texts.take(chunk), done),
    flush: (done) => void pass(texts.end(), done),
  });
}

async function pass(bytes: Promise<Buffer>, done: TransformCallback): Promise<void> {
  try {
    done(null, await bytes);
  } catch (error) {
    done(error as Error);
  }
}

interface Sought {
  from: Buffer;
  to: Buffer;
  onFirst: (() => Promise<void>) | undefined;
}

class Texts {
  /** The longest first: one may begin as another does. */
  readonly #sought: Sought[];
  #kept: Buffer = Buffer.alloc(0);

  constructor(replacements: readonly Replacement[]) {
    this.#sought = replacements
      .map(({ from, to, onFirst }) => ({
        from: Buffer.from(from, "latin1"),
        to: Buffer.from(to, "latin1"),
        onFirst,
      }))
      .toSorted((one, other) => other.from.length - one.from.length);
  }

  take(chunk: Buffer): Promise<Buffer> {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    return this.#pass(bytes, (at) => this.#beginningAtEnd(bytes, at));
  }

  /** Nothing comes any more that would make a beginning whole. */
  end(): Promise<Buffer> {
    const bytes = this.#kept;
    return this.#pass(bytes, () => bytes.length);
  }

  /** Up to where one may have begun before any that is found whole. */
  async #pass(bytes: Buffer, openFrom: (at: number) => number): Promise<Buffer> {
    const passed: Buffer[] = [];
    let at = 0;
    for (;;) {
      const open = openFrom(at);
      const found = this.#next(bytes, at);
      if (found === undefined || found.at >= open) {
        passed.push(bytes.subarray(at, open));
        this.#kept = Buffer.from(bytes.subarray(open));
        return Buffer.concat(passed);
      }
      const { onFirst } = found.sought;
      found.sought.onFirst = undefined;
      await onFirst?.();
      passed.push(bytes.subarray(at, found.at), found.sought.to);
      at = found.at + found.sought.from.length;
    }
  }

  #next(bytes: Buffer, start: number): { at: number; sought: Sought } | undefined {
    let first: { at: number; sought: Sought } | undefined;
    for (const sought of this.#sought) {
      const at = bytes.indexOf(sought.from, start);
      if (at !== -1 && (first === undefined || at < first.at)) first = { at, sought };
    }
    return first;
  }

  /** Where what comes next may make one of them whole; the end where nothing can. */
  #beginningAtEnd(bytes: Buffer, start: number): number {
    let earliest = bytes.length;
    for (const { from } of this.#sought) {
      const initial = from[0] ?? 0;
      let at = bytes.indexOf(initial, Math.max(start, bytes.length - from.length + 1));
      while (at !== -1 && at < earliest) {
        if (bytes.compare(from, 0, bytes.length - at, at) === 0) earliest = at;
        at = bytes.indexOf(initial, at + 1);
      }
    }
    return earliest;
  }
}
