// A value that fits a JSON schema: always the same one for the same schema and key.
import { hashOf } from "./words.ts";

type Schema = Record<string, unknown>;

/** Deeper than this only what is required is filled in, so that a schema of itself comes to an end. */
const optionalDepthMax = 3;
const depthMax = 12;
const itemsMax = 100;
const charactersMax = 4_096;

export function exampleOf(schema: unknown, key = ""): unknown {
  return valueOf(schema, { root: isObject(schema) ? schema : {}, hash: hashOf(key), depth: 0 });
}

interface Position {
  root: Schema;
  /** Of the key and the path to here: chooses between values that fit alike. */
  hash: number;
  depth: number;
}

function valueOf(schema: unknown, position: Position): unknown {
  if (!isObject(schema)) return {};
  if (position.depth > depthMax) return null;
  if (typeof schema["$ref"] === "string")
    return valueOf(follow(position.root, schema["$ref"]), deeper(position));
  if ("const" in schema) return schema["const"];
  const choices = listOf(schema["enum"]);
  if (choices.length > 0) return pick(choices, position.hash);
  if ("default" in schema) return schema["default"];
  const parts = listOf(schema["allOf"]);
  if (parts.length > 0) return valueOf(joined(schema, parts, position.root), position);
  const branches = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])];
  // The first branch: it is the plainest one, and the others may lead back to this schema.
  if (branches.length > 0) return valueOf(branches[0], deeper(position));
  return ofType(schema, position);
}

function ofType(schema: Schema, position: Position): unknown {
  const { type } = schema;
  const first: unknown = Array.isArray(type) ? type.find((each) => each !== "null") : type;
  switch (first ?? ("properties" in schema ? "object" : "items" in schema ? "array" : undefined)) {
    case "object":
      return objectOf(schema, position);
    case "array":
      return arrayOf(schema, position);
    case "string":
      return stringOf(schema, position.hash);
    case "integer":
      return numberOf(schema, 1);
    case "number":
      return numberOf(schema, 0.5);
    case "boolean":
      return position.hash % 2 === 0;
    case undefined:
      return Array.isArray(type) ? null : {};
    default:
      return null;
  }
}

function objectOf(schema: Schema, position: Position): Schema {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = listOf(schema["required"]).map(String);
  const names =
    position.depth > optionalDepthMax
      ? required
      : [...Object.keys(properties), ...required.filter((name) => !(name in properties))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      valueOf(properties[name] ?? { type: "string" }, within(position, name)),
    ]),
  );
}

function arrayOf(schema: Schema, position: Position): unknown[] {
  const fixed = listOf(schema["prefixItems"]);
  const least = Math.min(Number(schema["minItems"] ?? 0), itemsMax);
  const wanted = position.depth > optionalDepthMax ? least : Math.max(least, 1);
  const count = Math.min(Math.max(wanted, fixed.length), Number(schema["maxItems"] ?? itemsMax));
  return Array.from({ length: count }, (_, index) =>
    valueOf(fixed[index] ?? schema["items"] ?? { type: "string" }, within(position, String(index))),
  );
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-01",
  time: "12:00:00Z",
  "date-time": "2026-01-01T12:00:00Z",
  duration: "P1D",
  email: "somebody@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A `pattern` is not read: such a string may not fit it. */
function stringOf(schema: Schema, hash: number): string {
  const { format } = schema;
  if (typeof format === "string" && formats[format] !== undefined) return formats[format];
  const most = Math.min(Number(schema["maxLength"] ?? charactersMax), charactersMax);
  const least = Math.min(Number(schema["minLength"] ?? 0), charactersMax);
  const words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot"];
  return String(pick(words, hash)).padEnd(least, ".").slice(0, Math.max(most, 0));
}

function numberOf(schema: Schema, step: number): number {
  const multiple = Number(schema["multipleOf"] ?? 0);
  const above = schema["exclusiveMinimum"];
  const below = schema["exclusiveMaximum"];
  const least = typeof above === "number" ? above + step : Number(schema["minimum"] ?? -Infinity);
  const most = typeof below === "number" ? below - step : Number(schema["maximum"] ?? Infinity);
  const value = Math.min(Math.max(1, least), most);
  if (multiple > 0) return Math.ceil(value / multiple) * multiple;
  return step === 1 ? Math.ceil(value) : value;
}

function joined(schema: Schema, parts: readonly unknown[], root: Schema): Schema {
  const all = [schema, ...parts].flatMap((part) => {
    const whole =
      isObject(part) && typeof part["$ref"] === "string" ? follow(root, part["$ref"]) : part;
    return isObject(whole) ? [whole] : [];
  });
  const { allOf: _, ...result } = Object.assign({}, ...all) as Schema;
  result["properties"] = Object.assign({}, ...all.map((part) => part["properties"] ?? {}));
  result["required"] = all.flatMap((part) => listOf(part["required"]));
  return result;
}

function follow(root: Schema, ref: string): unknown {
  if (!ref.startsWith("#")) return {};
  let at: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) ? at[name] : undefined;
  }
  return at;
}

const deeper = (position: Position): Position => ({ ...position, depth: position.depth + 1 });
const within = (position: Position, step: string): Position =>
  deeper({ ...position, hash: hashOf(step, position.hash) });
const pick = (values: readonly unknown[], hash: number) => values[hash % values.length];
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
