// Finds many texts in one pass over bytes. How long that takes depends neither on how many there are, nor on a few
// letters that agree with one: who measures the time learns nothing.

/** As it stands in a message: HTTP has bytes, which Node.js shows as letters of ISO 8859-1. */
export const asBytes = (text: string): string => Buffer.from(text).toString("latin1");

/** What all texts are at least as long as. */
export const searchedBytesMin = 6;
/** A few texts have few, which lie close to the processor; of many each mark would stand for too many. */
const marksFor = (texts: number) => (texts < 2_000 ? 2 ** 16 : 2 ** 20);

export interface Found {
  at: number;
  /** Of the texts as they were given. */
  index: number;
  length: number;
}

export class Search {
  readonly longest: number;
  /** By the first bytes of texts; the longest first, since one may begin as another does. */
  readonly #byMark = new Map<number, { bytes: Buffer; index: number }[]>();
  readonly #marks: Uint8Array;

  /** Letters stand for bytes; no line end is among them. */
  constructor(texts: readonly string[]) {
    const all = texts.map((text, index) => ({ bytes: Buffer.from(text, "latin1"), index }));
    all.sort((one, other) => other.bytes.length - one.bytes.length);
    this.longest = all[0]?.bytes.length ?? 0;
    this.#marks = new Uint8Array(marksFor(all.length));
    for (const each of all) {
      const mark = this.#markOf(each.bytes.readUIntBE(0, 3), each.bytes.readUIntBE(3, 3));
      this.#marks[mark] = 1;
      const same = this.#byMark.get(mark);
      if (same === undefined) this.#byMark.set(mark, [each]);
      else same.push(each);
    }
  }

  /** The first one that begins at `from` or later and before `end`. */
  next(bytes: Buffer, from: number, end: number): Found | undefined {
    const last = Math.min(bytes.length, end + searchedBytesMin - 1);
    let older = 0;
    let newer = 0;
    for (let at = from; at < last; at++) {
      older = ((older << 8) | (newer >>> 16)) & 0xff_ffff;
      newer = ((newer << 8) | (bytes[at] ?? 0)) & 0xff_ffff;
      const start = at - searchedBytesMin + 1;
      const mark = this.#markOf(older, newer);
      if (this.#marks[mark] === 0 || start < from) continue;
      const found = this.#at(bytes, start, mark);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Of three bytes and the three after them. */
  #markOf(older: number, newer: number): number {
    const mixed = Math.imul(older, 0x9e37_79b1) ^ Math.imul(newer, 0x85eb_ca77);
    return (mixed >>> 8) & (this.#marks.length - 1);
  }

  #at(bytes: Buffer, start: number, mark: number): Found | undefined {
    for (const { bytes: text, index } of this.#byMark.get(mark) ?? []) {
      const end = start + text.length;
      if (end <= bytes.length && bytes.compare(text, 0, text.length, start, end) === 0)
        return { at: start, index, length: text.length };
    }
    return undefined;
  }
}
