// The prefixes of a request as the prompt cache sees them: a hash and a count of tokens after each block.
import { hash } from "node:crypto";
import { type Block, type MessageBody, tokensOfBlock, tokensOfBody } from "../../models/module.ts";
import { unmarkableTypes } from "./marks.ts";

export type Ttl = "5m" | "1h";

export interface CachePrefix {
  /** Of everything up to here, as parsed: marks do not count, nor how the JSON was written. */
  hash: string;
  /** Of everything up to here. */
  tokens: number;
  /** A breakpoint stands on the block that ends here. */
  mark?: Ttl;
}

type Part = Readonly<Record<string, unknown>>;

/** Tools, then the system prompt, then messages. */
export function cachePrefixesOf(body: MessageBody): CachePrefix[] {
  const chain = new Chain();
  for (const tool of body.tools ?? [])
    chain.add(tool, tokensOfBody({ model: "", max_tokens: 0, messages: [], tools: [tool] }));
  for (const block of blocksOf(body.system)) chain.add(block, tokensOfBlock(block));
  for (const { role, content, ...rest } of body.messages) {
    chain.turn(role, rest);
    for (const block of blocksOf(content)) chain.add(block, tokensOfBlock(block));
  }
  const automatic = ttlOf(body["cache_control"]);
  const last = automatic && chain.prefixes[chain.lastMarkable];
  if (last) last.mark ??= automatic;
  return chain.prefixes;
}

/** A text alone is short for one block of it. */
function blocksOf(content: string | readonly Block[] | undefined): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
}

function ttlOf(mark: unknown): Ttl | undefined {
  if (typeof mark !== "object" || mark === null) return undefined;
  return (mark as Part)["ttl"] === "1h" ? "1h" : "5m";
}

/** A mark inside a tool's result cuts after the result. */
function markOf(part: Part): Ttl | undefined {
  const partTtl = ttlOf(part["cache_control"]);
  const inner = part["type"] === "tool_result" ? part["content"] : undefined;
  if (partTtl === "1h" || !Array.isArray(inner)) return partTtl;
  const marks = (inner as Part[]).map((block) => ttlOf(block["cache_control"]));
  return marks.includes("1h") ? "1h" : (partTtl ?? marks.find((mark) => mark !== undefined));
}

const tokensPerTurn = tokensOfBody({
  model: "",
  max_tokens: 0,
  messages: [{ role: "user", content: [] }],
});
const digestBytes = 32;
/** 144 bits: two prefixes of one workspace never meet by chance. */
const keptBytes = 18;

/** Each hash is taken over the one before and the next block: 2 µs a block and 1 µs a kilobyte. */
class Chain {
  readonly prefixes: CachePrefix[] = [];
  lastMarkable = -1;
  #bytes = Buffer.alloc(8 * 1024);
  #length = digestBytes;
  #tokens = 0;

  add(part: Part, tokens: number): void {
    this.#part(part);
    const digest = hash("sha256", this.#bytes.subarray(0, this.#length), "buffer");
    digest.copy(this.#bytes);
    this.#length = digestBytes;
    this.#tokens += tokens;
    const mark = markOf(part);
    this.prefixes.push({
      hash: digest.toString("base64url", 0, keptBytes),
      tokens: this.#tokens,
      ...(mark !== undefined && { mark }),
    });
    if (!unmarkableTypes.has(String(part["type"]))) this.lastMarkable = this.prefixes.length - 1;
  }

  /** Belongs to the first block that follows. */
  turn(role: string, rest: Part): void {
    this.#text("turn");
    this.#text(role);
    this.#part(rest);
    this.#tokens += tokensPerTurn;
  }

  /** What belongs to the wire and not to the prompt is left out: marks, and nulls for what is absent. */
  #part(part: Part): void {
    const names = Object.keys(part)
      .filter((name) => name !== "cache_control" && (part[name] ?? null) !== null)
      .sort();
    this.#tag("{", names.length);
    for (const name of names) {
      this.#text(name);
      this.#field(name, part[name]);
    }
  }

  /** Blocks stand within blocks in these two fields only; elsewhere `cache_control` is a field of the client's data. */
  #field(name: string, value: unknown): void {
    const mayHoldBlocks = name === "content" || name === "source";
    if (!mayHoldBlocks || typeof value !== "object" || value === null) return this.#value(value);
    if (!Array.isArray(value)) return this.#part(value as Part);
    this.#tag("[", value.length);
    for (const item of value as unknown[]) this.#field(name, item);
  }

  #value(value: unknown): void {
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return this.#tag(String(value), 0);
    if (Array.isArray(value)) {
      this.#tag("[", value.length);
      for (const item of value) this.#value(item);
      return;
    }
    const fields = value as Part;
    const names = Object.keys(fields).sort();
    this.#tag("{", names.length);
    for (const name of names) {
      this.#text(name);
      this.#value(fields[name]);
    }
  }

  #text(text: string): void {
    this.#reserve(5 + text.length * 3);
    const start = this.#length + 5;
    const size = this.#bytes.write(text, start);
    this.#tag('"', size);
    this.#length = start + size;
  }

  #number(value: number): void {
    this.#tag("#", 0);
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleBE(value, this.#length);
  }

  /** One letter is enough: true, false and null begin with different ones. */
  #tag(letter: string, count: number): void {
    this.#reserve(5);
    this.#bytes[this.#length] = letter.charCodeAt(0);
    this.#length = this.#bytes.writeUInt32BE(count, this.#length + 1);
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + size));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
