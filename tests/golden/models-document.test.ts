// The tables of fields in docs/MODELS.md are the schemas, and its directives are directives.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { consoleModelOf, modelFromEntry } from "../../server/models/catalog/entries.ts";
import { ModelEntry, UpstreamEntry } from "../../server/models/schema.ts";
import { readDirectives } from "../../server/models/steering/directives.ts";
import { ScenarioTurn } from "../../server/models/steering/scenario.ts";
import { defaultTimeouts } from "../../server/models/upstreams/limits.ts";

const text = readFileSync(join(import.meta.dirname, "../../docs/MODELS.md"), "utf8");

interface Shape {
  type?: string;
  enum?: readonly string[];
  anyOf?: readonly Shape[];
  items?: Shape;
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
}

const shapeOf = (schema: unknown) => schema as Shape;

const grouped = (value: number) => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ",");

function takes(shape: Shape): string {
  const { type, anyOf, items, format, minimum, maximum, maxLength, maxItems } = shape;
  if (shape.enum !== undefined) return shape.enum.map((each) => `\`${each}\``).join(", ");
  if (anyOf !== undefined) return anyOf.map(takes).join(" or ");
  const upTo = (most: number | undefined) => (most === undefined ? "" : `, up to ${grouped(most)}`);
  if (type === "array") return `list${upTo(maxItems)}: ${takes(items ?? {})}`;
  if (type === "string") return format === "date-time" ? "time" : `text${upTo(maxLength)}`;
  if (type === "integer") return `whole number from ${grouped(minimum ?? 0)}${to(maximum)}`;
  return type ?? "anything";
}

const to = (maximum: number | undefined) =>
  maximum === undefined ? "" : ` to ${grouped(maximum)}`;

/** Objects within are told field by field: `prices.input`, `classifiers[].pattern`. */
function rowsOf(shape: Shape, fallbacks: Readonly<Record<string, string>>, path = ""): string[][] {
  return Object.entries(shape.properties ?? {}).flatMap(([name, field]) => {
    const place = path + name;
    const inner = field.type === "array" ? field.items : field;
    const within = field.type === "array" ? `${place}[].` : `${place}.`;
    if (inner?.properties !== undefined) return rowsOf(inner, fallbacks, within);
    const isNeeded = shape.required?.includes(name) === true;
    return [[`\`${place}\``, takes(field), isNeeded ? "needed" : (fallbacks[place] ?? "")]];
  });
}

/** Of the table under a heading: the cells but the last, which is for people. */
function told(heading: string): string[][] {
  const [, after = ""] = text.split(`\n## ${heading}\n`);
  const rows = (after.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  return rows.map((row) =>
    row
      .split(" | ")
      .map((cell) => cell.replace(/^\| | \|$/g, ""))
      .slice(0, 3),
  );
}

const plain = (kind: string) => {
  const upstream = { name: "upstream's", kind };
  const model = modelFromEntry({ id: "the id" }, upstream, undefined);
  return consoleModelOf({ model, origin: "settings" }) as Readonly<Record<string, unknown>>;
};

function inWords(value: unknown): string {
  if (value === "the id") return "the id";
  if (typeof value === "string" && /^\d{4}-/.test(value)) return `\`${value.slice(0, 10)}\``;
  return Array.isArray(value) && value.length === 0 ? "none" : `\`${String(value)}\``;
}

test("the fields of a model are those of its schema, with their defaults", () => {
  const [chat, messages] = [plain("chat"), plain("messages")];
  const fallbacks = Object.fromEntries(
    Object.keys(ModelEntry.properties).map((name) => [
      name,
      chat[name] === messages[name] || Array.isArray(chat[name])
        ? inWords(chat[name])
        : `${inWords(messages[name])} for \`messages\`, else ${inWords(chat[name])}`,
    ]),
  );
  // An entry that overrides another has its upstream.
  const rows = rowsOf(shapeOf(ModelEntry), { ...fallbacks, upstream: "" });
  assert.ok(rows.length > 30);
  assert.deepEqual(told("The section models"), rows);
});

test("the fields of an upstream are those of its schema, with their defaults", () => {
  const { connectMs, firstByteMs, betweenBytesMs, totalMs } = defaultTimeouts;
  const milliseconds = (value: number) => `\`${value}\``;
  const rows = rowsOf(shapeOf(UpstreamEntry), {
    "timeouts.connect_ms": milliseconds(connectMs),
    "timeouts.first_byte_ms": milliseconds(firstByteMs),
    "timeouts.between_bytes_ms": milliseconds(betweenBytesMs),
    "timeouts.total_ms": milliseconds(totalMs),
  }).filter(([name]) => name !== "`scenario`");
  assert.deepEqual(
    told("The section upstreams").filter(([name]) => name !== "`scenario`"),
    rows,
  );
});

test("the fields of a scenario's turn are those of its schema", () => {
  const rows = rowsOf(shapeOf(ScenarioTurn), {});
  assert.deepEqual(told("A scenario"), rows);
});

test("every directive in the document is one", () => {
  const directives = [...text.matchAll(/`(\[\[.*?\]\])`/g)].map(([, directive = ""]) => directive);
  assert.ok(directives.length >= 12, `only ${directives.length} were found`);
  for (const directive of directives) assert.equal(readDirectives(directive).rest, "", directive);
});
