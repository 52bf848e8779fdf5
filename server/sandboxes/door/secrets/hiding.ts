// What comes back from a host, with stars in the place of the secrets that it may show.
import type { Transform } from "node:stream";
import { spellingsOf } from "../../../../kernel/secret/spellings.ts";
import { replacing } from "./replacing.ts";
import { asBytes, Search, searchedBytesMin } from "./search.ts";

/** Made once for the same secrets: it takes longer than to read a reply with it. */
export class Hiding {
  readonly #search: Search;
  readonly #inNames: Search;
  /** Of the same length, so that what tells of the length stays true. */
  readonly #stars: readonly Buffer[];

  /** `sent` are coded texts with a secret in them. A shorter secret is a part of too many other words. */
  constructor(secrets: readonly string[], sent: readonly string[]) {
    // HTTP takes blanks away at both ends.
    const values = secrets.flatMap((secret) => [secret, secret.trim()]);
    const spelled = values.flatMap(spellingsOf).map(asBytes);
    const all = [...new Set([...spelled, ...sent])];
    const forms = all.filter((form) => form.length >= searchedBytesMin);
    this.#search = new Search(forms);
    this.#inNames = new Search(forms.map((form) => form.toLowerCase()));
    this.#stars = forms.map((form) => Buffer.alloc(form.length, "*"));
  }

  text(text: string): string {
    const bytes = Buffer.from(text, "latin1");
    for (let at = 0; ;) {
      const found = this.#search.next(bytes, at, bytes.length);
      if (found === undefined) return at === 0 ? text : bytes.toString("latin1");
      at = found.at + found.length;
      bytes.fill("*", found.at, at);
    }
  }

  /** Of a header: capitals and small letters are the same there. */
  name(name: string): string {
    const small = Buffer.from(name.toLowerCase(), "latin1");
    const found = this.#inNames.next(small, 0, small.length);
    return found === undefined ? name : "*".repeat(name.length);
  }

  body(): Transform {
    return replacing(this.#search, (index) => this.#stars[index] ?? Buffer.alloc(0));
  }
}
