// Query strings: `a[]=1&a[]=2`, repeated keys, `created_at[gte]=…`, numbers and booleans, by the route's schema.
import type { TObject, TSchema } from "typebox";
import { invalid } from "../../base/failure.ts";

const rangeKeys = new Set(["gte", "gt", "lte", "lt"]);

/** Turns the text after `?` into the value that the schema is checked against. */
export function parseQuery(text: string, schema: TObject | undefined): Record<string, unknown> {
  const value: Record<string, unknown> = Object.create(null); // `__proto__` is a key like any other
  if (text === "") return value;
  expectUtf8(text);
  for (const [rawKey, rawValue] of new URLSearchParams(text)) {
    if (rawValue.includes("\0"))
      throw invalid("The query holds the character U+0000; leave it out.");
    if (rawKey === "beta") continue; // older clients mark beta routes with `?beta=true`
    const { key, sub } = splitKey(rawKey);
    const property = propertyOf(schema, key);
    const isList = sub === "list" || (sub === undefined && typeOf(property) === "array");
    // The official client sends null as an empty value; in a list an empty item means something.
    if (rawValue === "" && !isList && property !== undefined && !isGuard(property)) continue;
    const list = value[key];
    if (isList && Array.isArray(list)) list.push(convert(rawValue, itemsOf(property)));
    else if (isList && !(key in value)) value[key] = [convert(rawValue, itemsOf(property))];
    else if (!isList && sub !== undefined)
      setBound(value, key, sub, convert(rawValue, propertyOf(property, sub)));
    else if (key in value) throw twice(key);
    else value[key] = convert(rawValue, property);
  }
  return value;
}

/** A guard that is forgotten, as by `?expected=$SHA` without SHA, must not open the door. */
export const refusedWhenEmpty = { "x-empty": "refused" };
const isGuard = (schema: TSchema) => Reflect.get(schema, "x-empty") !== undefined;

/** URLSearchParams would add replacement characters where the client sent none. A lone percent sign it leaves alone. */
function expectUtf8(text: string): void {
  if (/[^\x21-\x7e]/.test(text))
    throw invalid("The query holds a character that has to be percent-encoded.");
  try {
    for (const [bytes] of text.matchAll(/(?:%[0-9a-f]{2})+/gi)) decodeURIComponent(bytes);
  } catch {
    throw invalid("The query is not percent-encoded UTF-8: its bytes are those of no character.");
  }
}

const twice = (key: string) => invalid(`${key.slice(0, 40)}: is given twice; give it once.`);

function splitKey(raw: string): { key: string; sub: string | undefined } {
  const match = /^([^[\]]+)\[(\w*)\]$/.exec(raw);
  if (match === null) return { key: raw, sub: undefined };
  const inside = match[2] ?? "";
  if (inside === "" || /^\d+$/.test(inside)) return { key: match[1] ?? "", sub: "list" };
  return rangeKeys.has(inside)
    ? { key: match[1] ?? "", sub: inside }
    : { key: raw, sub: undefined };
}

function setBound(value: Record<string, unknown>, key: string, sub: string, bound: unknown): void {
  const range = (value[key] ??= {});
  if (typeof range !== "object" || Array.isArray(range)) throw twice(key);
  if (Object.hasOwn(range, sub)) throw twice(`${key}[${sub}]`);
  Reflect.set(range, sub, bound);
}

/** Text that is not what its schema wants stays text, so that the check names the field. */
function convert(text: string, schema: TSchema | undefined): unknown {
  switch (typeOf(schema)) {
    case "integer":
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    default:
      return (
        anyOf(schema)
          .map((member) => convert(text, member))
          .find((converted) => converted !== text) ?? text
      );
  }
}

function anyOf(schema: TSchema | undefined): TSchema[] {
  const members: unknown = schema && Reflect.get(schema, "anyOf");
  return Array.isArray(members) ? members : [];
}

function propertyOf(schema: TSchema | undefined, key: string): TSchema | undefined {
  const properties: unknown = schema && Reflect.get(schema, "properties");
  if (typeof properties !== "object" || properties === null || !Object.hasOwn(properties, key))
    return undefined;
  return Reflect.get(properties, key) as TSchema;
}

const itemsOf = (schema: TSchema | undefined) =>
  schema && (Reflect.get(schema, "items") as TSchema | undefined);

const typeOf = (schema: TSchema | undefined): unknown => schema && Reflect.get(schema, "type");
