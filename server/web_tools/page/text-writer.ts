// Text as it is put together while a page is read: white space as a browser shows it, and no more than is wanted.

/** Lines end once between rows, twice between paragraphs. */
type Breaks = 0 | 1 | 2;

export class TextWriter {
  #parts: string[] = [];
  #length = 0;
  readonly #charactersMax: number;
  #breaks: Breaks = 0;
  #hasSpace = false;
  #isCut = false;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  /** More was written than is kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get length(): number {
    return this.#length;
  }

  break(breaks: Breaks): void {
    if (breaks > this.#breaks) this.#breaks = breaks;
    this.#hasSpace = false;
  }

  /** Words: white space among them is one space, and none at the beginning of a line. */
  words(text: string): void {
    const flat = text.replace(/[\s\u00a0]+/g, " ");
    if (flat === "") return;
    if (flat === " ") return void (this.#hasSpace = true);
    const [hasBefore, hasAfter] = [flat.startsWith(" "), flat.endsWith(" ")];
    if (hasBefore) this.#hasSpace = true;
    this.exactly(flat.slice(hasBefore ? 1 : 0, hasAfter ? -1 : undefined));
    this.#hasSpace = hasAfter;
  }

  /** As it stands, behind the space or the end of the line that is due. */
  exactly(text: string): void {
    if (text === "") return;
    if (this.#length > 0) {
      if (this.#breaks > 0) this.#put("\n".repeat(this.#breaks));
      else if (this.#hasSpace) this.#put(" ");
    }
    this.#breaks = 0;
    this.#hasSpace = false;
    this.#put(text);
  }

  #put(text: string): void {
    const room = this.#charactersMax - this.#length;
    if (text.length > room) this.#isCut = true;
    if (room <= 0) return;
    const kept = text.slice(0, room);
    this.#parts.push(kept);
    this.#length += kept.length;
  }

  /** What was written since there were `from` parts becomes one line, inside of what `wrap` puts around it. */
  wrapSince(from: number, wrap: (line: string) => string): void {
    const taken = this.#parts.splice(from).join("");
    this.#length -= taken.length;
    const start = taken.search(/\S/);
    if (start === -1) return this.#put(taken);
    this.#put(taken.slice(0, start) + wrap(taken.slice(start).replace(/\s+/g, " ")));
  }

  get parts(): number {
    return this.#parts.length;
  }

  toString(): string {
    return this.#parts.join("");
  }
}
