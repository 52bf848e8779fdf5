// Cuts an event stream into blocks wherever its bytes were cut before; what is plain is not looked into.
import { parseShallow } from "../../../kernel/base/json.ts";
import { Failure } from "../../../kernel/base/failure.ts";
import type { StreamEvent, WireEvent } from "../types.ts";
import { upstreamLimits } from "./limits.ts";

export interface EventScanner {
  /** The blocks that these bytes completed, each with its closing blank line. */
  push(chunk: Buffer): string[];
  /** What stands behind the last blank line. */
  end(): string;
}

const lf = 10;
const cr = 13;

/**
 * Blocks end at an empty line, and no byte of a character of several bytes looks like a line's end: so
 * bytes are cut first and decoded after, and no character is ever cut. Lines may end in any of the
 * three ways of the standard; they come out ending in "\n".
 */
export function makeEventScanner(bytesMax: number = upstreamLimits.frameBytesMax): EventScanner {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let endsInLf = false;
  let isCrBefore = false;

  const keep = (bytes: Buffer) => {
    if (bytes.length === 0) return;
    kept.push(bytes);
    keptBytes += bytes.length;
    endsInLf = bytes[bytes.length - 1] === lf;
    if (keptBytes > bytesMax) throw tooLong(bytesMax);
  };
  const take = (last: Buffer) => {
    const text =
      kept.length === 0 ? last.toString("utf8") : Buffer.concat([...kept, last]).toString("utf8");
    kept = [];
    keptBytes = 0;
    endsInLf = false;
    return text;
  };
  return {
    push: (raw) => {
      let chunk = raw;
      if (isCrBefore || raw.includes(cr)) {
        chunk = withoutCr(isCrBefore && raw[0] === lf ? raw.subarray(1) : raw);
        isCrBefore = raw.length === 0 ? isCrBefore : raw[raw.length - 1] === cr;
      }
      const { length } = chunk;
      // The common chunk is whole events: nothing to search for, nothing to keep.
      if (length > 1 && chunk[length - 1] === lf && chunk[length - 2] === lf)
        return cutBlocks(take(chunk));
      const found = chunk.lastIndexOf("\n\n");
      // The blank line may lie across the border of two chunks.
      const until = found !== -1 ? found + 2 : endsInLf && chunk[0] === lf ? 1 : 0;
      if (until === 0) {
        keep(chunk);
        return [];
      }
      const text = take(chunk.subarray(0, until));
      keep(chunk.subarray(until));
      return cutBlocks(text);
    },
    end: () => take(Buffer.alloc(0)),
  };
}

/** Empty lines before a block are no part of it: with them it would not look plain any more. */
function cutBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (let start = 0; ;) {
    while (text.charCodeAt(start) === lf) start++;
    const end = text.indexOf("\n\n", start);
    if (end === -1) break;
    blocks.push(text.slice(start, end + 2));
    start = end + 2;
  }
  return blocks;
}

function withoutCr(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replace(/\r\n?/g, "\n"), "latin1");
}

const tooLong = (bytesMax: number) =>
  new Failure("api_error", `The upstream sent one event of more than ${bytesMax} bytes.`);

export interface SseFields {
  /** Empty where the block names no event. */
  event: string;
  data: string;
}

/** The standard's reading of one block; undefined where it carries no data. */
export function sseFieldsOf(block: string): SseFields | undefined {
  let event = "";
  let data: string | undefined;
  for (const line of block.replace(/^\uFEFF/, "").split("\n")) {
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") event = value;
    else if (name === "data") data = data === undefined ? value : `${data}\n${value}`;
  }
  return data === undefined ? undefined : { event, data };
}

const eventStart = "event: ";
const dataStart = "\ndata: {";
const closingBrace = 125;
const deltaName = "content_block_delta";
const deltaStart = `${eventStart}${deltaName}${dataStart}`;

/**
 * One block as an event. A block of exactly two lines, name and JSON object, is relayed as it came and
 * parsed only when a reader asks for its data; any other shape is read by the standard and framed anew.
 * Undefined for comments, and for what is no event of this wire: `[DONE]`.
 */
export function wireEventOf(block: string): WireEvent | undefined {
  // Compared by a slice: startsWith leaves compiled code, and nearly every event is one of these.
  if (block.slice(0, deltaStart.length) === deltaStart && isOneObject(block, deltaStart.length))
    return new LazyEvent(deltaName, block, deltaStart.length - 1);
  if (block.startsWith(eventStart)) {
    const nameEnd = block.indexOf("\n");
    const isPlain =
      block.startsWith(dataStart, nameEnd) && isOneObject(block, nameEnd + dataStart.length);
    const jsonAt = nameEnd + dataStart.length - 1;
    if (isPlain) return new LazyEvent(block.slice(eventStart.length, nameEnd), block, jsonAt);
  }
  const fields = sseFieldsOf(block);
  if (fields === undefined || fields.data.trim() === "[DONE]") return undefined;
  // Line ends between the tokens of JSON are blanks; inside its strings there are none.
  const json = fields.data.replaceAll("\n", " ");
  const event = parseEvent(json, fields.event);
  return fields.event === "" || json.includes(`"type"`) ? frameOf(event, json) : lazyFrame(event);
}

/** No line ends behind the brace that opens it but the last two. */
const isOneObject = (block: string, from: number) =>
  block.indexOf("\n", from) === block.length - 2 &&
  block.charCodeAt(block.length - 3) === closingBrace;

function frameOf(event: StreamEvent, json: string): WireEvent {
  const head = `${eventStart}${event.type}\ndata: `;
  return new LazyEvent(event.type, `${head}${json}\n\n`, head.length);
}

/** An event of our own making. */
export const lazyFrame = (event: StreamEvent): WireEvent => frameOf(event, JSON.stringify(event));

/** A stream is made of these: one object for each, where a closure made three. */
class LazyEvent implements WireEvent {
  readonly name: string;
  readonly raw: string;
  readonly #jsonAt: number;
  #event: StreamEvent | undefined;

  constructor(name: string, raw: string, jsonAt: number) {
    this.name = name;
    this.raw = raw;
    this.#jsonAt = jsonAt;
  }

  data(): StreamEvent {
    return (this.#event ??= parseEvent(this.raw.slice(this.#jsonAt, -2), this.name));
  }
}

/** Pings of some servers have a name and an empty object. */
function parseEvent(json: string, name: string): StreamEvent {
  const value = parsed(json);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const event = { type: name, ...value } as StreamEvent;
    if (typeof event.type === "string" && /^[\w.-]{1,64}$/.test(event.type)) return event;
  }
  // Without the text: it may be part of an answer.
  throw new Failure("api_error", "The upstream sent an event that is no JSON object with a type.");
}

function parsed(json: string): unknown {
  try {
    return parseShallow(json);
  } catch {
    return undefined;
  }
}
