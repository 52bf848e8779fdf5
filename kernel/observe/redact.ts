// What must never stand in a log, found in any text by how it looks.
import { keyPatterns } from "../base/redact-keys.ts";

const removed = "[redacted]";

/** A longer text is cut; a secret that straddles the cut is found in the window behind it. */
const textCharactersMax = 16 * 1024;
const windowCharacters = 8 * 1024;

/** Fields whose value is a secret, of any form. */
const secretNames =
  "authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|password|passwd|pwd|" +
  "secret|client[-_]?secret|token|access[-_]?token|refresh[-_]?token|id[-_]?token|master[-_]?key|" +
  "private[-_]?key|metrics[-_]?token";
const secretName = new RegExp(`^(?:${secretNames})$`, "i");
const endsAsSecretName = new RegExp(`(?:^|[-_])(?:${secretNames})$`, "i");

/** Also with a word before it, as in `authorization_token`. */
export const namesSecret = (field: string): boolean => endsAsSecretName.test(field);

// All repetitions are bounded or cannot overlap what follows: time grows with the length of the
// text only.
const patterns: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g, removed],
  ...keyPatterns,
  [/\bwhsec_[\w+/=-]{12,}/g, removed],
  [/\b(?:whsec|ghp|gho|ghs|xoxb|xoxp|AKIA)_?[\w-]{12,}/g, removed],
  [/\beyJ[\w-]{8,}\.[\w-]{2,}\.[\w-]*/g, removed],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${removed}`],
  [/\b((?:set-)?cookie\s*:\s*)[^\r\n]+/gi, `$1${removed}`],
  [/(:\/\/[^\s:/@"'<>]{0,256}:)[^\s"'<>]{1,1024}@/g, `$1${removed}@`],
  [new RegExp(`\\b((?:${secretNames})=)[^\\s&"'<>;,]+`, "gi"), `$1${removed}`],
  // Also inside JSON that was quoted once or twice more.
  [
    new RegExp(`(["'](?:${secretNames})\\\\{0,8}["']\\s{0,8}:\\s{0,8}\\\\{0,8}["'])[^"']+`, "gi"),
    `$1${removed}`,
  ],
];

/** One test that most texts fail decides whether the patterns have to run. */
const suspicious =
  /sk-|bearer|basic|cookie|:\/\/|-----BEGIN|eyJ|whsec|gh[pos]_|xox|AKIA|(?:key|token|secret|passwd|password|pwd|authorization)[\\"']{0,10}\s{0,8}[=:]/i;

/** The whole text, however long. */
export function withoutSecrets(text: string): string {
  if (!suspicious.test(text)) return text;
  let clean = text;
  for (const [pattern, replacement] of patterns) clean = clean.replace(pattern, replacement);
  return clean;
}

export function redactText(text: string): string {
  const head =
    text.length > textCharactersMax ? text.slice(0, textCharactersMax + windowCharacters) : text;
  const clean = withoutSecrets(head);
  if (text.length <= textCharactersMax) return clean;
  return `${clean.slice(0, textCharactersMax)}… (${text.length} characters)`;
}

const depthMax = 8;
const itemsMax = 200;
const causesMax = 8;

/** A copy that is safe to write: secrets removed, errors described, sizes bounded, cycles cut. */
export function redactFields(fields: object): Record<string, unknown> {
  return copyObject(fields, 0, new Set([fields]));
}

/** The same as JSON. */
export function redactedJson(fields: object): string {
  return harmlessJson(fields) ?? JSON.stringify(redactFields(fields));
}

/** Fields that are JSON already, without braces around them, and hold no secret. */
export class JsonFields {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }
}

/**
 * `outside` are those parts of it, as JSON, that the house did not make: only there may a secret stand, and looking
 * through all of a line costs half of what it costs to write it. Undefined for what has to be looked at field by field.
 */
export const harmlessFields = (json: string, outside: string): JsonFields | undefined =>
  json.length <= plainCharactersMax && !suspicious.test(outside) ? new JsonFields(json) : undefined;

const plainCharactersMax = 2_000;

/**
 * The line of every request is a few short texts and numbers: one look at all of it costs 0.5 µs, a look at
 * each field 2.3 µs. Names stand in quotes before a colon there, so secret names are found too.
 */
function harmlessJson(fields: object): string | undefined {
  for (const value of Object.values(fields)) {
    const type = typeof value;
    const isPlain = type === "string" || type === "number" || type === "boolean";
    if (!isPlain && value !== null) return undefined;
  }
  const json = JSON.stringify(fields);
  return json.length <= plainCharactersMax && !suspicious.test(json) ? json : undefined;
}

function copyObject(from: object, depth: number, above: Set<object>): Record<string, unknown> {
  const to: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of Object.entries(from)) {
    if (++count > itemsMax) {
      to["…"] = `${Object.keys(from).length - itemsMax} more`;
      break;
    }
    const isSecret = secretName.test(name) && value !== null && value !== undefined;
    to[redactText(name)] =
      isSecret && typeof value !== "boolean" ? removed : copy(value, depth, above);
  }
  return to;
}

function copy(value: unknown, depth: number, above: Set<object>): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "function" || typeof value === "symbol") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value)) return "[circular]";
  if (depth >= depthMax) return "[deeper]";
  if (value instanceof Date)
    return Number.isNaN(value.getTime()) ? "[no date]" : value.toISOString();
  if (value instanceof URL || value instanceof RegExp) return redactText(String(value));
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    return `[${value.byteLength} bytes]`;
  above.add(value);
  const copied = copyContainer(value, depth + 1, above);
  above.delete(value);
  return copied;
}

function copyContainer(value: object, depth: number, above: Set<object>): unknown {
  if (value instanceof Error) return describeErrors(value, depth, above);
  if (value instanceof Map) return copyObject(Object.fromEntries(value), depth, above);
  const list = value instanceof Set ? [...value] : value;
  if (!Array.isArray(list)) return copyObject(value, depth, above);
  const items = list.slice(0, itemsMax).map((item: unknown, index): unknown => {
    // Raw headers are a flat list: a name, then its value.
    const before: unknown = list[index - 1];
    if (typeof item === "string" && typeof before === "string" && secretName.test(before))
      return removed;
    return copy(item, depth, above);
  });
  return list.length > itemsMax ? [...items, `… ${list.length - itemsMax} more`] : items;
}

/** The error and what caused it, as a flat list: each stands there once. */
function describeErrors(error: Error, depth: number, above: Set<object>): Record<string, unknown> {
  const described = describeError(error, depth, above);
  const causes: unknown[] = [];
  const seen = new Set<unknown>([error]);
  for (let cause = error.cause; cause !== undefined && cause !== null;) {
    if (seen.has(cause) || causes.length === causesMax) break;
    seen.add(cause);
    causes.push(
      cause instanceof Error ? describeError(cause, depth, above) : copy(cause, depth, above),
    );
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  if (causes.length > 0) described["causes"] = causes;
  if (error instanceof AggregateError) described["errors"] = copy(error.errors, depth, above);
  return described;
}

function describeError(error: Error, depth: number, above: Set<object>): Record<string, unknown> {
  const described: Record<string, unknown> = {
    type: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ""),
  };
  for (const [name, value] of Object.entries(error))
    if (!(name in described) && !["name", "cause", "errors"].includes(name) && value !== undefined)
      described[name] = secretName.test(name) ? removed : copy(value, depth, above);
  return described;
}
