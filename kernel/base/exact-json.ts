// JSON.parse, whose engine misreads names: what is wrong is found and read again.
import { limits } from "./limits.ts";

/**
 * V8 takes a name that is written with an escape for one that it has just read elsewhere, if that one is the first
 * characters of how this one is spelled: after `{"x":1,"conten\\":2}` it reads `{"x":1,"conten\u0074":2}` as the
 * former (nodejs/node#63785). A caller who sends the first could change what the next reader, a classifier too, sees in
 * the second. What is taken wrongly has a backslash in it, for the escape begins with one: such names are rare, and
 * where there is none all is well. A twentieth of JSON.parse's time for a prompt full of code.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const firstEscape = text.indexOf("\\");
  // After a name comes a colon: most events of a stream need no second look.
  const mayBeMisread = firstEscape !== -1 && text.includes(":", firstEscape);
  return mayBeMisread && hasBackslashInName(value, limits.jsonDepthMax)
    ? new Reader(text).value()
    : value;
}

/** No deeper than a walk over a client's JSON may go. */
function hasBackslashInName(value: unknown, levelsLeft: number): boolean {
  if (typeof value !== "object" || value === null || levelsLeft === 0) return false;
  if (Array.isArray(value)) return value.some((item) => hasBackslashInName(item, levelsLeft - 1));
  // What comes out of JSON.parse has no fields but its own.
  for (const name in value)
    if (
      name.includes("\\") ||
      hasBackslashInName((value as Record<string, unknown>)[name], levelsLeft - 1)
    )
      return true;
  return false;
}

/** Nested deeper than a walk may recurse; reported like any other text that is no JSON. */
export class TooDeep extends SyntaxError {
  constructor() {
    super(`nested deeper than ${limits.jsonDepthMax} levels`);
    this.name = "TooDeep";
  }
}

/** Of text that JSON.parse has taken, so nothing is checked again; strings and numbers are still its work. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(levelsLeft: number = limits.jsonDepthMax): unknown {
    const first = this.#next();
    if (first !== "{" && first !== "[") return this.#scalar(first);
    if (levelsLeft === 0) throw new TooDeep();
    this.#at += 1;
    return first === "{" ? this.#fields(levelsLeft) : this.#items(levelsLeft);
  }

  #fields(levelsLeft: number): object {
    const fields: [string, unknown][] = [];
    while (this.#next() !== "}") {
      const name = this.#scalar('"') as string;
      this.#next();
      this.#at += 1;
      fields.push([name, this.value(levelsLeft - 1)]);
      if (this.#next() === ",") this.#at += 1;
    }
    this.#at += 1;
    return Object.fromEntries(fields);
  }

  #items(levelsLeft: number): unknown[] {
    const items: unknown[] = [];
    while (this.#next() !== "]") {
      items.push(this.value(levelsLeft - 1));
      if (this.#next() === ",") this.#at += 1;
    }
    this.#at += 1;
    return items;
  }

  #scalar(first: string): unknown {
    const start = this.#at;
    if (first === '"') this.#skipString();
    else this.#skipWord();
    const text = this.#text.slice(start, this.#at);
    return first === "-" || isDigit(first) ? Number(text) : (JSON.parse(text) as unknown);
  }

  #skipString(): void {
    const text = this.#text;
    let at = this.#at + 1;
    for (let unit = text.charCodeAt(at); unit !== 0x22; unit = text.charCodeAt(at))
      at += unit === 0x5c ? 2 : 1;
    this.#at = at + 1;
  }

  /** A number, true, false or null: until a comma, a bracket, a brace, a space or the end. */
  #skipWord(): void {
    const text = this.#text;
    let at = this.#at;
    for (
      let unit = text.charCodeAt(at);
      unit > 0x20 && unit !== 0x2c && unit !== 0x5d && unit !== 0x7d;
      unit = text.charCodeAt(at)
    )
      at += 1;
    this.#at = at;
  }

  /** The first character that is no space. */
  #next(): string {
    while (this.#text.charCodeAt(this.#at) <= 0x20) this.#at += 1;
    return this.#text.charAt(this.#at);
  }
}

const isDigit = (character: string) => character >= "0" && character <= "9";
