// Texts in a stream of bytes, replaced while it passes. What is kept back for what may come is told by line ends and by
// the longest text alone: were it told by the texts, who sees the pieces could find out a text letter by letter.
import { Transform, type TransformCallback } from "node:stream";

export interface Replacement {
  /** Letters stand for bytes; no line end is among them. */
  from: string;
  to: string;
  /** Before each one passes. */
  before?: () => Promise<void>;
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

class Texts {
  readonly #byText: ReadonlyMap<string, Replacement>;
  readonly #pattern: RegExp;
  readonly #keptMax: number;
  #kept = "";

  constructor(replacements: readonly Replacement[]) {
    this.#byText = new Map(replacements.map((each) => [each.from, each]));
    // The longest first: one may begin as another does.
    const texts = [...this.#byText.keys()].toSorted((one, other) => other.length - one.length);
    this.#pattern = new RegExp(texts.map((text) => RegExp.escape(text)).join("|") || "(?!)", "g");
    this.#keptMax = Math.max(0, (texts[0]?.length ?? 0) - 1);
  }

  take(chunk: Buffer): Promise<Buffer> {
    const text = this.#kept + chunk.toString("latin1");
    return this.#pass(text, Math.max(text.length - this.#keptMax, text.lastIndexOf("\n") + 1));
  }

  end(): Promise<Buffer> {
    return this.#pass(this.#kept, this.#kept.length);
  }

  /** Those that begin before `end`: each of them is there whole. */
  async #pass(text: string, end: number): Promise<Buffer> {
    const passed: string[] = [];
    let at = 0;
    for (const { index, 0: found } of text.matchAll(this.#pattern)) {
      if (index >= end) break;
      const { to, before } = this.#byText.get(found) ?? { to: found };
      if (before !== undefined) await before();
      passed.push(text.slice(at, index), to);
      at = index + found.length;
    }
    const kept = Math.max(at, end);
    passed.push(text.slice(at, kept));
    this.#kept = text.slice(kept);
    return Buffer.from(passed.join(""), "latin1");
  }
}
