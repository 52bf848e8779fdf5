// Reads the body of a new batch as its chunks come: finds the requests, and holds no more of them than their ids.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import { nearest } from "../../../kernel/base/nearest.ts";
import { fieldName } from "../../../kernel/http/validate/field-path.ts";
import { limits } from "../limits.ts";
import {
  valueBegan,
  byteChunkOf,
  valueEnded,
  expectEnd,
  leave,
  makeScan,
  fieldNamed,
  run,
  textOf,
} from "./scanner.ts";
import type { Scan } from "./scanner.ts";
import { makeUtf8Check, type Utf8Check } from "./utf8.ts";

export interface ScannedItem {
  customId: string;
  /** Bytes of its params as they stood in the body; 0 where it has none. */
  length: number;
  /** What is wrong with the item itself; its result says it, not the answer to the body. */
  fault?: string;
}

export interface Scanned {
  /** The bytes of params that this chunk held, in order; one line feed behind each item's, also where it has none. */
  kept: readonly Buffer[];
  /** Items whose end this chunk held. */
  items: readonly ScannedItem[];
}

export interface EnvelopeReader {
  /** The chunk must stay as it is while what is kept of it is needed. After a throw the reader is of no use. */
  push(chunk: Buffer): Scanned;
  /** Throws where the body ended too early, or had no requests. */
  end(): void;
  /** How many whose end was read. */
  readonly requests: number;
}

interface Reading {
  readonly scan: Scan;
  readonly utf8: Utf8Check;
  /** The index of the request that has this id. */
  readonly indexById: Map<string, number>;
  requests: number;
  /** Bytes of a byte order mark that were passed over; a part of one is not JSON. */
  markBytes: number;
  hasRequests: boolean;
  /** A value of the wrong kind has begun: thrown when it has ended, for until then it may not even be JSON. */
  misfit: Failure | undefined;
  item: Item;
  kept: Buffer[];
  items: ScannedItem[];
}

interface Item {
  field: string;
  hasId: boolean;
  customId: string;
  hasParams: boolean;
  length: number;
  /** Where in the chunk the params begin that are being read: 0 when they began in one before. */
  paramsAt: number | undefined;
  fault: string | undefined;
}

const newItem = (): Item => ({
  field: "",
  hasId: false,
  customId: "",
  hasParams: false,
  length: 0,
  paramsAt: undefined,
  fault: undefined,
});

const lineFeed = Buffer.from("\n");
const mark = Buffer.from("\ufeff");
const itemFields = ["custom_id", "params"];
const plainId = new RegExp(`^[a-zA-Z0-9_-]{1,${limits.customIdCharactersMax}}$`);

export function makeEnvelopeReader(): EnvelopeReader {
  const inRequest = () => (reading.scan.depth > 2 ? `, in requests.${reading.requests}` : "");
  const reading: Reading = {
    scan: makeScan(inRequest),
    utf8: makeUtf8Check(),
    indexById: new Map(),
    requests: 0,
    markBytes: 0,
    hasRequests: false,
    misfit: undefined,
    item: newItem(),
    kept: [],
    items: [],
  };
  return {
    push: (chunk) => push(reading, chunk),
    end: () => end(reading),
    get requests() {
      return reading.requests;
    },
  };
}

function push(reading: Reading, bytes: Buffer): Scanned {
  const { scan } = reading;
  const kept: Buffer[] = (reading.kept = []);
  const items: ScannedItem[] = (reading.items = []);
  const bad = reading.utf8.push(bytes);
  // What comes before a bad byte is read first: which fault is reported must not depend on how the body was cut.
  const chunk = byteChunkOf(bad < bytes.length ? bytes.subarray(0, Math.max(0, bad)) : bytes);
  const { length } = chunk.bytes;
  for (let at = skipMark(reading, chunk.bytes); at < length;) {
    at = run(scan, chunk, at);
    if (scan.stop === valueBegan) begin(reading, chunk.bytes, at - 1);
    else if (scan.stop === valueEnded) finish(reading, chunk.bytes, at);
    else if (scan.stop === fieldNamed) name(reading, textOf(scan, chunk.bytes, at));
  }
  if (bad < bytes.length) throw notUtf8(scan.offset + bad);
  if (reading.item.paramsAt !== undefined) {
    keep(reading, chunk.bytes, length);
    reading.item.paramsAt = 0;
  }
  leave(scan, chunk.bytes);
  return { kept, items };
}

function end({ scan, utf8, misfit }: Reading): void {
  const bad = utf8.end();
  if (bad !== 0) throw notUtf8(bad === undefined ? undefined : scan.offset + bad);
  // Where the whole body is a number, only its end shows that it is complete.
  if (misfit !== undefined && scan.depth === 0) throw misfit;
  expectEnd(scan);
}

function skipMark(reading: Reading, bytes: Buffer): number {
  const { scan } = reading;
  let at = 0;
  while (scan.offset + at === reading.markBytes && at < bytes.length) {
    if (reading.markBytes === mark.length || bytes[at] !== mark[reading.markBytes]) break;
    reading.markBytes++;
    at++;
  }
  return at;
}

function begin(reading: Reading, bytes: Buffer, at: number): void {
  const { scan, item } = reading;
  const first = String.fromCharCode(bytes[at] ?? 0);
  if (scan.level === 2) {
    if (reading.requests === limits.requestsMax)
      throw invalid(
        `requests: must have at most ${limits.requestsMax} items; send the others in another batch.`,
      );
    reading.item = newItem();
  }
  if (scan.level === 3 && item.field === "params") {
    item.paramsAt = at;
    if (first !== "{") item.fault ??= `params: must be an object; found ${kindOf(first)}.`;
  }
  reading.misfit = misfitOf(reading, first);
  if (reading.misfit !== undefined && (first === "{" || first === "[")) throw reading.misfit;
}

/** An outer value that begins like this is not of the kind that belongs there. */
function misfitOf({ scan, item, requests }: Reading, first: string): Failure | undefined {
  const found = kindOf(first);
  if (scan.level === 0)
    return first === "{" ? undefined : invalid(`The body must be an object; found ${found}.`);
  if (scan.level === 1)
    return first === "[" ? undefined : misfit("requests", "must be an array", found);
  if (scan.level === 2)
    return first === "{" ? undefined : misfit(`requests.${requests}`, "must be an object", found);
  return item.field !== "custom_id" || first === '"'
    ? undefined
    : misfit(`requests.${requests}.custom_id`, "must be a string", found);
}

function finish(reading: Reading, bytes: Buffer, at: number): void {
  const { scan, item, requests } = reading;
  if (reading.misfit !== undefined) throw reading.misfit;
  if (scan.level === 3 && item.field === "params") {
    keep(reading, bytes, at);
    reading.kept.push(lineFeed);
    item.paramsAt = undefined;
  } else if (scan.level === 3 && item.field === "custom_id") {
    item.customId = takeId(reading, textOf(scan, bytes, at));
  } else if (scan.level === 2) {
    finishItem(reading);
  } else if (scan.level === 1 && requests === 0) {
    throw invalid("requests: must not be empty; a batch has at least one request.");
  } else if (scan.level === 0 && !reading.hasRequests) {
    throw invalid("requests: is required and must be an array.");
  }
}

function finishItem(reading: Reading): void {
  const { hasId, customId, hasParams, length, fault } = reading.item;
  if (!hasId)
    throw invalid(`requests.${reading.requests}.custom_id: is required and must be a string.`);
  const reported = fault ?? (hasParams ? undefined : "params: is required and must be an object.");
  if (!hasParams) reading.kept.push(lineFeed);
  reading.items.push({ customId, length, ...(reported !== undefined && { fault: reported }) });
  reading.requests++;
}

function keep({ item, kept }: Reading, bytes: Buffer, to: number): void {
  const part = bytes.subarray(item.paramsAt, to);
  item.length += part.length;
  if (part.length > 0) kept.push(part);
}

/** The name of a field of the body or of an item. */
function name(reading: Reading, field: string): void {
  const { scan, item, requests } = reading;
  if (scan.level === 1) {
    if (field !== "requests") throw invalid(unknownField(field, ["requests"]));
    if (reading.hasRequests) throw twice("requests");
    reading.hasRequests = true;
    return;
  }
  const isRepeated =
    (field === "custom_id" && item.hasId) || (field === "params" && item.hasParams);
  if (isRepeated) throw twice(`requests.${requests}.${field}`);
  item.field = field;
  if (field === "custom_id") item.hasId = true;
  else if (field === "params") item.hasParams = true;
  else item.fault ??= unknownField(field, itemFields);
}

function takeId({ indexById, requests }: Reading, id: string): string {
  const path = `requests.${requests}.custom_id`;
  if (!plainId.test(id))
    throw misfit(
      path,
      `must be 1 to ${limits.customIdCharactersMax} letters a-z and A-Z, digits, _ and -`,
      foundInId(id),
    );
  const before = indexById.get(id);
  if (before !== undefined)
    throw invalid(
      `${path}: must be unique within the batch; ${id} is the custom_id of requests.${before} too.`,
    );
  indexById.set(id, requests);
  return id;
}

/** A malformed id is the client's own text: described by its size, or by where it goes wrong. */
function foundInId(id: string): string {
  const max = limits.customIdCharactersMax;
  if (id.length > max) return `more than ${max} characters`;
  return id === "" ? "an empty string" : `another character at place ${id.search(/[^\w-]/) + 1}`;
}

/** A sentence like those of bodies that are read at once. */
function unknownField(field: string, known: readonly string[]): string {
  const close = nearest(field.slice(0, 80), known);
  const hint = close === undefined ? `known are ${known.join(", ")}.` : `did you mean ${close}?`;
  return `${fieldName(field)}: is not known here; ${hint}`;
}

const misfit = (path: string, rule: string, found: string) =>
  invalid(`${path}: ${rule}; found ${found}.`);

const twice = (path: string) => invalid(`${path}: is there twice; send it once.`);

const notUtf8 = (bad: number | undefined) =>
  invalid(
    bad === undefined
      ? "The body is not UTF-8: it ends within a character."
      : `The body is not UTF-8: byte ${bad + 1} does not belong to any character.`,
    { code: "request_body_encoding_invalid" },
  );

const kinds: Record<string, string> = {
  "{": "an object",
  "[": "an array",
  '"': "a string",
  t: "true",
  f: "false",
  n: "null",
};

const kindOf = (first: string) => kinds[first] ?? "a number";
