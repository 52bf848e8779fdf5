// A value as it is kept: without what the rules take out, pictures as a note, and no longer than its workspace allows.
import { createHash } from "node:crypto";
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import { namesSecret } from "../../../kernel/observe/redact.ts";
import type { RedactRule } from "../schema.ts";
import { mark, textRedactorOf, type TextRedactor } from "./text.ts";

export interface KeptJson {
  /** JSON, or its beginning. */
  text: string;
  isCut: boolean;
}

/** Rules, ready to be used. */
export interface Redactor {
  text: TextRedactor;
  /** Names on the way to a field, from its end; `[]` is any place in a list. */
  fields: readonly (readonly string[])[];
}

export const redactorOf = (rules: readonly RedactRule[]): Redactor => ({
  text: textRedactorOf(rules),
  fields: rules.flatMap((rule) => (rule.type === "field" ? [namesOf(rule.field)] : [])),
});

/** `tools[].name` is a field of each item in a list. */
const namesOf = (field: string): string[] =>
  field
    .split(".")
    .flatMap((name) => name.split(/(?=\[\])/))
    .toReversed();

export function keptJson(value: unknown, redactor: Redactor, bytesMax: number): KeptJson {
  const walk = new Walk(redactor, bytesMax);
  return cutAt(JSON.stringify(walk.value(value, undefined)), bytesMax);
}

/** Never in the middle of a character. */
function cutAt(text: string, bytesMax: number): KeptJson {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return { text, isCut: false };
  let end = bytesMax;
  while (end > 0 && isInsideCharacter(bytes[end])) end -= 1;
  return { text: bytes.toString("utf8", 0, end), isCut: true };
}

const isInsideCharacter = (byte = 0) => (byte & 0xc0) === 0x80;

interface Place {
  name: string;
  above: Place | undefined;
}

/** JSON in texts, as results of tools have it, within each other. */
const textsInTextsMax = 3;
/** Longer than whatever a rule finds by its look: what a cut has halved lies in it, and is left out. */
const marginCharacters = 4_096;

/**
 * Copies a value without what is redacted. What lies behind the most that is kept is not looked at: it is null, for
 * none of it is left after the cut. `#left` falls by no more than what the copy takes as JSON.
 */
class Walk {
  readonly #redactor: Redactor;
  #left: number;
  #textsIn = 0;

  constructor(redactor: Redactor, left: number) {
    this.#redactor = redactor;
    this.#left = left;
  }

  value(value: unknown, place: Place | undefined): unknown {
    if (this.#left <= 0) return null;
    this.#left -= 1;
    if (place !== undefined && this.#isRedactedField(place)) return mark("field");
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return value;
    return Array.isArray(value) ? this.#items(value, place) : this.#fields(value, place);
  }

  #items(items: readonly unknown[], place: Place | undefined): unknown[] {
    const within = { name: "[]", above: place };
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) break;
      kept.push(this.value(item, within));
    }
    return kept;
  }

  #fields(value: object, place: Place | undefined): object {
    const kept: [string, unknown][] = [];
    const note = noteOfBytes(value);
    for (const [name, field] of Object.entries(value)) {
      if (this.#left <= 0) break;
      const shown = this.#text(name);
      if (note !== undefined && name === "data") kept.push([shown, this.#text(note)]);
      else if (namesSecret(name) && isSecret(field)) kept.push([shown, mark("secret")]);
      else kept.push([shown, this.value(field, { name, above: place })]);
    }
    return Object.fromEntries(kept);
  }

  #isRedactedField(place: Place): boolean {
    return this.#redactor.fields.some((names) => {
      let at: Place | undefined = place;
      for (const name of names) {
        if (at?.name !== name) return false;
        at = at.above;
      }
      return true;
    });
  }

  #number(value: number): unknown {
    const text = String(value);
    const clean = this.#redactor.text(text);
    return clean === text ? value : clean;
  }

  #text(text: string): string {
    const clean = this.#jsonInText(text) ?? this.#beginning(text);
    this.#left -= clean.length;
    return clean;
  }

  /** No more of a long text than what may be kept, and none that is cut in what would have been redacted. */
  #beginning(text: string): string {
    for (let taken = this.#left + 2 * marginCharacters; taken < text.length; taken *= 2) {
      const clean = this.#redactor.text(text.slice(0, taken));
      if (clean.length - marginCharacters >= this.#left)
        return clean.slice(0, clean.length - marginCharacters);
    }
    return this.#redactor.text(text);
  }

  /** Fields are found there too; the text as it came where nothing in it is redacted by a field. */
  #jsonInText(text: string): string | undefined {
    const isJson = this.#redactor.fields.length > 0 && /^\s{0,9}[{[]/.test(text);
    if (!isJson || this.#textsIn >= textsInTextsMax) return undefined;
    const value = parsed(text);
    if (typeof value !== "object" || value === null) return undefined;
    const left = this.#left;
    this.#textsIn += 1;
    const clean = JSON.stringify(this.value(value, undefined));
    this.#textsIn -= 1;
    this.#left = left;
    return clean === JSON.stringify(value) ? undefined : clean;
  }
}

/** Of a schema with a field of such a name, what describes it is no secret. */
const isSecret = (value: unknown) =>
  typeof value === "string" || typeof value === "number" || Array.isArray(value);

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

/** Pictures and documents that stand in the request: what they are, and nothing of them. */
function noteOfBytes(value: object): string | undefined {
  const { type, data, media_type: kind } = value as Record<string, unknown>;
  if (type !== "base64" || typeof data !== "string") return undefined;
  const bytes = Buffer.from(data, "base64");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const shownKind =
    typeof kind === "string" && /^[\w.+/-]{1,100}$/.test(kind) ? kind : "unknown kind";
  return `[not kept: ${shownKind}, ${bytes.length} bytes, sha256 ${sha256}]`;
}
