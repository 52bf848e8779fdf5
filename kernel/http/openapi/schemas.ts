// Turns TypeBox schemas into the document's schemas: what has a name becomes a component, keys stand in one order.
import assert from "node:assert/strict";
import type { Schema } from "./document.ts";

/** Keys come in this order, so that two documents differ only where their meaning does. */
const order: readonly string[] = [
  "$ref",
  "title",
  "description",
  "deprecated",
  "type",
  "const",
  "enum",
  "format",
  "pattern",
  "contentMediaType",
  "required",
  "properties",
  "patternProperties",
  "additionalProperties",
  "prefixItems",
  "items",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
];

const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const maps = new Set(["properties", "patternProperties"]);
const nested = new Set(["items", "additionalProperties", "not"]);

export interface Components {
  /** The schema as the document holds it; named parts go to the components. */
  read(schema: object): Schema;
  /** Sorted by name. Throws when a `$ref` names what no schema defines. */
  all(): Record<string, Schema>;
}

export function makeComponents(): Components {
  const named = new Map<string, { schema: Schema; text: string }>();
  const wanted = new Set<string>();

  const pointTo = (name: string): Schema => {
    wanted.add(name);
    return { $ref: `#/components/schemas/${name}` };
  };

  const define = (name: string, schema: object): void => {
    assert(/^[\w.-]+$/.test(name), `a schema has the $id ${JSON.stringify(name)}`);
    const text = JSON.stringify(schema);
    const known = named.get(name);
    if (known !== undefined) {
      assert(known.text === text, `two different schemas have the $id ${name}`);
      return;
    }
    const entry = { schema: {}, text };
    named.set(name, entry); // before its parts, which may point back at it
    entry.schema = body(schema);
  };

  const read = (schema: object): Schema => {
    const id: unknown = Reflect.get(schema, "$id");
    if (typeof id !== "string") return body(schema);
    define(id, schema);
    return pointTo(id);
  };

  const value = (key: string, inner: unknown): unknown => {
    if (lists.has(key)) return (inner as object[]).map(read);
    if (maps.has(key))
      return Object.fromEntries(
        Object.entries(inner as object).map(([name, part]) => [name, read(part as object)]),
      );
    return nested.has(key) && typeof inner === "object" && inner !== null ? read(inner) : inner;
  };

  const body = (schema: object): Schema => {
    const { $defs, $ref, $id: _id, ...rest } = modern(schema);
    if (typeof $defs === "object" && $defs !== null)
      for (const [name, part] of Object.entries($defs)) define(name, part as object);
    const pairs = Object.entries(rest).map(([key, inner]) => [key, value(key, inner)] as const);
    const target = typeof $ref === "string" ? pointTo($ref.replace(/^.*\//, "")) : {};
    return { ...target, ...Object.fromEntries(pairs.sort(([a], [b]) => compare(a, b))) };
  };

  return {
    read,
    all: () => {
      for (const name of wanted)
        assert(named.has(name), `no schema has the $id ${name}, which a $ref names`);
      const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
      return Object.fromEntries(sorted.map(([name, entry]) => [name, entry.schema]));
    },
  };
}

/** TypeBox writes tuples and records in the older spelling, which 2020-12 no longer reads. */
function modern(schema: object): Record<string, unknown> {
  const { additionalItems, ...rest } = schema as Record<string, unknown>;
  const { items, patternProperties } = rest;
  if (Array.isArray(items)) {
    rest["prefixItems"] = items;
    rest["items"] = additionalItems ?? true;
  }
  const values = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  const [only] = values;
  if (values.length === 1 && only?.[0] === "^.*$") {
    delete rest["patternProperties"];
    rest["additionalProperties"] = only[1];
  }
  return rest;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function compare(a: string, b: string): number {
  const [rankA, rankB] = [rank(a), rank(b)];
  return rankA === rankB ? (a < b ? -1 : 1) : rankA - rankB;
}

const rank = (key: string) => {
  const index = order.indexOf(key);
  return index === -1 ? order.length : index;
};
