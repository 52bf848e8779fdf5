// Pages as text in the manner of Markdown: titles, lists, links, tables by their cells. Tag by tag, without a tree, so
// that neither depth nor what is never closed costs more than its characters; other work goes on in between.
import { Tokenizer } from "htmlparser2";
import { nextLoopIteration } from "../../../kernel/base/event-loop.ts";
import { limits } from "../limits.ts";
import { attributeOf, breaksOf, skipped } from "./elements.ts";
import { TextWriter } from "./text-writer.ts";

export interface PageText {
  title: string;
  text: string;
  /** There is more of it. */
  isCut: boolean;
}

export interface Reading {
  /** What links are relative to. */
  url: string;
  charactersMax: number;
  signal: AbortSignal;
}

export async function readHtml(html: string, reading: Reading): Promise<PageText> {
  const page = new PageReader(html, reading);
  const tokenizer = new Tokenizer({}, page);
  const { htmlCharactersAtOnce: step } = limits;
  for (let at = 0; at < html.length && !page.isDone; at += step) {
    tokenizer.write(html.slice(at, at + step));
    await nextLoopIteration();
    reading.signal.throwIfAborted();
  }
  if (!page.isDone) tokenizer.end();
  return page.result();
}

/** What stands in a few words, such as of a search result, without its tags. */
export function plainText(html: string): string {
  const reader = new PageReader(html, { url: "", charactersMax: html.length });
  const tokenizer = new Tokenizer({}, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.result().text.replace(/\s+/g, " ");
}

interface OpenLink {
  url: string;
  from: number;
}

/** A class because the tokenizer calls it: offsets are those of the page. */
class PageReader {
  readonly #html: string;
  readonly #charactersMax: number;
  #base: string;
  #writer: TextWriter;
  /** What stood before the main part. */
  #before: TextWriter | undefined;
  isDone = false;
  #title = "";
  #isInTitle = false;
  #hasTitle = false;
  #name = "";
  #attribute: string | undefined;
  #value = "";
  #skipping = "";
  #skipDepth = 0;
  #preDepth = 0;
  #link: OpenLink | undefined;
  /** Numbers of the lists around; null of one without. */
  #lists: (number | null)[] = [];
  #cells = 0;

  constructor(html: string, { url, charactersMax }: Pick<Reading, "url" | "charactersMax">) {
    this.#html = html;
    this.#base = url;
    this.#charactersMax = charactersMax;
    this.#writer = new TextWriter(charactersMax);
  }

  result(): PageText {
    this.#endLink();
    const writer = this.#whole();
    const title = this.#title.replace(/\s+/g, " ").trim();
    return { title, text: writer.text.trim(), isCut: writer.isCut };
  }

  /** A main part of a few words is none: what stands around it belongs to it. */
  #whole(): { text: string; isCut: boolean } {
    const [before, main] = [this.#before, this.#writer];
    if (before === undefined || main.length >= limits.mainCharactersMin)
      return { text: main.toString(), isCut: main.isCut };
    const text = `${before.toString()}\n\n${main.toString()}`;
    const isLong = text.length > this.#charactersMax;
    return {
      text: isLong ? text.slice(0, this.#charactersMax) : text,
      isCut: before.isCut || main.isCut || isLong,
    };
  }

  ontext(start: number, end: number): void {
    this.#write(this.#html.slice(start, end));
  }

  ontextentity(codepoint: number): void {
    this.#write(textOf(codepoint));
  }

  #write(text: string): void {
    if (this.isDone) return;
    if (this.#isInTitle) {
      if (!this.#hasTitle && this.#title.length < limits.titleCharactersMax) this.#title += text;
    } else if (this.#skipping !== "") return;
    else if (this.#preDepth > 0) this.#writer.exactly(text);
    else this.#writer.words(text);
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameIn(start, end);
    this.#attribute = undefined;
    this.#value = "";
  }

  #nameIn(start: number, end: number): string {
    return end - start > longestName ? "" : this.#html.slice(start, end).toLowerCase();
  }

  onattribname(start: number, end: number): void {
    const wanted = attributeOf.get(this.#name);
    const isWanted = wanted !== undefined && this.#value === "";
    this.#attribute = isWanted && this.#nameIn(start, end) === wanted ? wanted : undefined;
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined && this.#value.length <= limits.linkCharactersMax)
      this.#value += this.#html.slice(start, Math.min(end, start + limits.linkCharactersMax + 1));
  }

  onattribentity(codepoint: number): void {
    if (this.#attribute !== undefined && this.#value.length <= limits.linkCharactersMax)
      this.#value += textOf(codepoint);
  }

  onattribend(): void {
    this.#attribute = undefined;
  }

  onopentagend(): void {
    if (!this.isDone) this.#open(this.#name);
  }

  onselfclosingtag(): void {
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    if (!this.isDone) this.#close(this.#nameIn(start, end));
  }

  #open(name: string): void {
    if (this.#skipping !== "") {
      if (name === this.#skipping) this.#skipDepth += 1;
      return;
    }
    if (skipped.has(name)) {
      this.#skipping = name;
      this.#skipDepth = 1;
      return;
    }
    const breaks = breaksOf.get(name);
    if (breaks !== undefined) this.#writer.break(this.#lists.length > 0 ? 1 : breaks);
    if (name === "title") this.#isInTitle = true;
    else if (name === "base") this.#base = resolved(this.#value, this.#base) ?? this.#base;
    else if (name === "main") this.#beginMain();
    else if (name === "a") this.#beginLink();
    else if (name === "img" && this.#value !== "") this.#writer.words(this.#value);
    else this.#openShape(name);
  }

  /** What a line begins with; within a link there are no lines. */
  #openShape(name: string): void {
    const level = headings.indexOf(name) + 1;
    if (name === "pre") {
      if (this.#preDepth++ === 0) this.#writer.exactly("```\n");
    } else if (name === "ul" || name === "ol") {
      if (this.#lists.length < limits.listDepthMax) this.#lists.push(name === "ol" ? 1 : null);
    } else if (name === "tr") this.#cells = 0;
    else if (name === "td" || name === "th") {
      if (this.#cells++ > 0) this.#writer.words(" | ");
    } else if (this.#link !== undefined || this.#preDepth > 0) return;
    else if (level > 0) this.#writer.words(`${"#".repeat(level)} `);
    else if (name === "li") this.#beginItem();
    else if (name === "hr") {
      this.#writer.exactly("---");
      this.#writer.break(2);
    }
  }

  #beginItem(): void {
    const depth = Math.max(0, this.#lists.length - 1);
    const number = this.#lists.at(-1) ?? null;
    if (number !== null) this.#lists[depth] = number + 1;
    this.#writer.exactly(`${"  ".repeat(depth)}${number === null ? "-" : `${number}.`}`);
    this.#writer.words(" ");
  }

  #beginMain(): void {
    if (this.#before !== undefined) return;
    this.#endLink();
    this.#before = this.#writer;
    this.#writer = new TextWriter(this.#charactersMax);
  }

  /** One that is never closed ends where the next one begins. */
  #beginLink(): void {
    this.#endLink();
    const url = this.#value;
    const isShown = url !== "" && !url.startsWith("#") && url.length <= limits.linkCharactersMax;
    const target = isShown ? resolved(url, this.#base) : undefined;
    if (target !== undefined) this.#link = { url: target, from: this.#writer.parts };
  }

  #endLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || link.from === this.#writer.parts) return;
    this.#writer.wrapSince(link.from, (line) => `[${line}](${link.url})`);
  }

  #close(name: string): void {
    if (this.#skipping !== "") {
      if (name === this.#skipping && --this.#skipDepth === 0) this.#skipping = "";
      return;
    }
    if (name === "title") {
      this.#hasTitle = true;
      this.#isInTitle = false;
    } else if (name === "a") this.#endLink();
    else if (name === "pre") {
      if (this.#preDepth > 0 && --this.#preDepth === 0) this.#writer.exactly("\n```");
    } else if (name === "ul" || name === "ol") this.#lists.pop();
    const breaks = breaksOf.get(name);
    if (breaks !== undefined) this.#writer.break(this.#lists.length > 0 ? 1 : breaks);
    if (name === "main" && this.#writer.length >= limits.mainCharactersMin)
      this.isDone = this.#before !== undefined;
  }

  // Nothing of these is text.
  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

const longestName = 20;
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];

const textOf = (codepoint: number): string => String.fromCodePoint(codepoint);

/** Only what can be fetched. */
function resolved(url: string, base: string): string | undefined {
  const found = URL.parse(url.trim(), base === "" ? undefined : base);
  return found?.protocol === "https:" || found?.protocol === "http:" ? found.href : undefined;
}
