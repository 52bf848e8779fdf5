// Texts in a stream of bytes, replaced while it passes. What is kept back for what may come is told by line ends and by
// the longest text alone: were it told by the texts, who sees the pieces could find out a text letter by letter.
import { Transform, type TransformCallback } from "node:stream";
import type { Search } from "./search.ts";

/** What stands in the place of a text, by its index in the search. */
export type ReplacementOf = (index: number) => Buffer | Promise<Buffer>;

export function replacing(search: Search, replacementOf: ReplacementOf): Transform {
  const texts = new Texts(search, replacementOf);
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

const [lineFeed, carriageReturn] = [10, 13];

class Texts {
  readonly #search: Search;
  readonly #replacementOf: ReplacementOf;
  #kept: Buffer = Buffer.alloc(0);

  constructor(search: Search, replacementOf: ReplacementOf) {
    this.#search = search;
    this.#replacementOf = replacementOf;
  }

  take(chunk: Buffer): Promise<Buffer> {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    const lineEnd = Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn));
    return this.#pass(bytes, Math.max(bytes.length - this.#search.longest + 1, lineEnd + 1, 0));
  }

  end(): Promise<Buffer> {
    return this.#pass(this.#kept, this.#kept.length);
  }

  /** Those that begin before `end`: each of them is there whole. */
  async #pass(bytes: Buffer, end: number): Promise<Buffer> {
    const passed: Buffer[] = [];
    let at = 0;
    for (;;) {
      const found = this.#search.next(bytes, at, end);
      if (found === undefined) break;
      const replacement = this.#replacementOf(found.index);
      passed.push(bytes.subarray(at, found.at));
      passed.push(Buffer.isBuffer(replacement) ? replacement : await replacement);
      at = found.at + found.length;
    }
    const kept = Math.min(bytes.length, Math.max(at, end));
    passed.push(bytes.subarray(at, kept));
    this.#kept = Buffer.from(bytes.subarray(kept));
    return Buffer.concat(passed);
  }
}
