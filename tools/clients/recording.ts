// What a client sends, as it may lie in the repository: structure and names of fields as they came, texts not.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../run.ts";
import type { Exchange } from "./recorder.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
  status: number;
  /** Answered by events. */
  stream: boolean;
}

export interface Recording {
  client: string;
  requests: RecordedRequest[];
}

type Json = Record<string, unknown>;

export const recordings = join(root, "tests/conformance/recordings");

/** The only headers that change what a request means; the others name machines, programs and keys. */
const kept = ["anthropic-version", "anthropic-beta", "content-type"];

/** Names and addresses of schemas; all other words are a text of the client's makers. */
const plain = /^[\w.:@/+#$=*-]{1,64}$/;
const made = /[0-9a-f]{8}-[0-9a-f]{4}-|_[0-9a-z]{20,}/i;
const texts = new Set(["text", "thinking", "description", "title", "default", "data", "user_id"]);

/** A client asks much the same again and again: kept is what brings a new field, value or order of turns. */
export function recordingOf(
  client: string,
  exchanges: readonly Exchange[],
  scratch: string,
): Recording {
  const known = new Set<string>();
  const requests = exchanges.flatMap((exchange) => {
    const request = requestOf(exchange, scratch, known);
    if (request === undefined) return [];
    const { headers, status, method, path } = request;
    const facts = [`${method} ${path} ${status} ${JSON.stringify(headers)}`];
    const body = (request.body ?? {}) as Json;
    return isNew([...facts, ...orderOf(body), ...wordsIn(body)], known) ? [request] : [];
  });
  return { client, requests };
}

function isNew(words: readonly string[], known: Set<string>): boolean {
  const before = known.size;
  for (const word of words) known.add(word);
  return known.size > before;
}

/** Who speaks in which order, and with which kinds of blocks. */
const orderOf = ({ messages }: Json) =>
  Array.isArray(messages)
    ? [messages.map(({ role, content }: Json) => `${String(role)} ${kindsOf(content)}`).join("; ")]
    : [];

const kindsOf = (content: unknown) =>
  Array.isArray(content) ? content.map(({ type }: Json) => String(type)).join(" ") : "string";

/** Each field with its value, without the simulator's directives, ids, and the tools, which are compared alone. */
function wordsIn(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => wordsIn(each, `${path}[]`));
  if (typeof value !== "object" || value === null) {
    const isOwn = /\[\[|^toolu_/.test(String(value));
    return [isOwn ? path : `${path}=${String(value)}`];
  }
  return Object.entries(value).flatMap(([key, each]) =>
    (path === "" && key === "tools") || key === "input" ? [] : wordsIn(each, `${path}.${key}`),
  );
}

/** One request on a line: a change is seen as one. */
export function writeRecording({ client, requests }: Recording): void {
  const lines = requests.map((request) => JSON.stringify(request)).join(",\n");
  const text = `{"client":${JSON.stringify(client)},"requests":[\n${lines}\n]}\n`;
  mkdirSync(recordings, { recursive: true });
  writeFileSync(join(recordings, `${client}.json`), text);
}

export const readRecording = (file: string) =>
  JSON.parse(readFileSync(join(recordings, file), "utf8")) as Recording;

/** Undefined for what names a thing that only the first server had, and for a look whether it is there. */
function requestOf(
  exchange: Exchange,
  scratch: string,
  known: Set<string>,
): RecordedRequest | undefined {
  const { method, path, headers, status, contentType } = exchange;
  if (made.test(path) || method === "HEAD") return undefined;
  const given = kept.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return {
    method,
    path,
    headers: Object.fromEntries(given),
    ...(exchange.body !== "" && { body: bodyOf(exchange.body, scratch, known) }),
    status,
    stream: contentType.startsWith("text/event-stream"),
  };
}

function bodyOf(text: string, scratch: string, known: Set<string>): unknown {
  const ids = new Map<string, string>();
  const body = scrub(JSON.parse(text.replaceAll(scratch, "/scratch")), "", ids) as Json;
  if (Array.isArray(body["tools"]))
    body["tools"] = fewerTools(body, body["tools"] as Json[], known);
  return body;
}

function scrub(value: unknown, name: string, ids: Map<string, string>): unknown {
  if (typeof value === "string") return wordOf(value, name, ids);
  if (Array.isArray(value)) return value.map((each) => scrub(each, name, ids));
  if (typeof value !== "object" || value === null) return value;
  const pairs = Object.entries(value).map(([key, each]) => [key, scrub(each, key, ids)] as const);
  return Object.fromEntries(pairs);
}

/** A text's own kind stays: empty, blank, a directive of the simulator, a name, an id that stands in two places. */
function wordOf(value: string, name: string, ids: Map<string, string>): string {
  if (value.trim() === "") return value;
  if (name === "signature") return "c2lnbmF0dXJl";
  if (name === "id" || name === "tool_use_id") {
    const short = ids.get(value) ?? `toolu_${ids.size + 1}`;
    ids.set(value, short);
    return short;
  }
  const directives = directivesIn(value);
  if (directives !== "") return directives;
  return texts.has(name) || !plain.test(value) || made.test(value) ? "text" : value;
}

/** What steers the simulator, out of the words that a client puts around it. */
function directivesIn(text: string): string {
  const found: string[] = [];
  for (let at = text.indexOf("[["); at !== -1; at = text.indexOf("[[", at)) {
    const end = endOf(text, at);
    if (end === -1) break;
    found.push(text.slice(at, end));
    at = end;
  }
  return found.join(" ");
}

/** Directives may stand in the input of a directive. */
function endOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === "[[") depth++;
    if (pair === "]]") depth--;
    if (pair === "[[" || pair === "]]") at++;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** A dozen tools of one shape say no more than one: kept are those with something new, and those that are called. */
function fewerTools(body: Json, tools: readonly Json[], known: Set<string>): Json[] {
  const messages = JSON.stringify([body["messages"], body["tool_choice"]]);
  const kept = tools.filter(
    (tool) => isNew(wordsOf(tool), known) || messages.includes(String(tool["name"])),
  );
  return kept.length > 0 ? kept : tools.slice(0, 1);
}

/** The keys of a tool and the keywords of its schema, without the names that its makers gave. */
function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const inner = key === "properties" ? Object.values(each as Json) : each;
    return [key === "type" ? `tool type ${String(each)}` : `tool ${key}`, ...wordsOf(inner)];
  });
}
