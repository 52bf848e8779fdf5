// A JSON Schema as the text of a TypeScript type.
import type { Schema } from "../openapi/document.ts";

export interface TypeOptions {
  /** Optional fields take an explicit undefined as well: what callers write, not what they read. */
  loose?: boolean;
}

/** `indent` is the depth of the line that the type begins on. */
export function typeText(schema: Schema | boolean, indent = 0, options: TypeOptions = {}): string {
  if (typeof schema === "boolean") return schema ? "unknown" : "never";
  const inner = (part: Schema | boolean) => typeText(part, indent, options);
  if (schema.$ref !== undefined) return schema.$ref.replace("#/components/schemas/", "");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((item) => JSON.stringify(item)).join(" | ");
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return [...new Set(members.map(inner))].join(" | ") || "never";
  if (schema.allOf !== undefined) return schema.allOf.map((part) => group(inner(part))).join(" & ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayText(schema, inner);
    case "object":
      return objectText(schema, indent, options);
    case undefined:
    default:
      return schema.properties === undefined ? "unknown" : objectText(schema, indent, options);
  }
}

function arrayText(schema: Schema, inner: (part: Schema | boolean) => string): string {
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(inner).join(", ")}]`;
  return `${group(inner(schema.items ?? true))}[]`;
}

function objectText(schema: Schema, indent: number, options: TypeOptions): string {
  const fields = Object.entries(schema.properties ?? {});
  const values = valuesOf(schema);
  const record =
    values === undefined ? undefined : `Record<string, ${typeText(values, indent, options)}>`;
  if (fields.length === 0) return record ?? emptyText(schema);
  const pad = "  ".repeat(indent + 1);
  const lines = fields.map(([name, part]) => {
    const optional = schema.required?.includes(name) !== true;
    const mark = optional ? "?" : "";
    const more = optional && options.loose === true ? " | undefined" : "";
    const type = typeText(part, indent + 1, options);
    return `${comment(part, pad)}${pad}${keyText(name)}${mark}: ${type}${more};\n`;
  });
  const text = `{\n${lines.join("")}${"  ".repeat(indent)}}`;
  return record === undefined ? text : `${text} & ${record}`;
}

const emptyText = ({ additionalProperties }: Schema) =>
  additionalProperties === false ? "Record<string, never>" : "Record<string, unknown>";

/** What fields without a name of their own hold. */
function valuesOf({ additionalProperties, patternProperties }: Schema): Schema | true | undefined {
  const [pattern] = Object.values(patternProperties ?? {});
  if (pattern !== undefined) return pattern;
  return additionalProperties === false ? undefined : additionalProperties;
}

const group = (text: string) => (/ [|&] /.test(outside(text)) ? `(${text})` : text);

/** The text without what stands in braces or angle brackets, taken out from within. */
function outside(text: string): string {
  const shorter = text.replace(/\{[^{}]*\}|<[^<>]*>/g, "");
  return shorter === text ? text : outside(shorter);
}

const keyText = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

export function comment(schema: { description?: string }, pad = ""): string {
  const text = schema.description?.replaceAll("*/", "*\\/").replace(/\s+/g, " ");
  return text === undefined ? "" : `${pad}/** ${text} */\n`;
}

/** `memory_stores.create` becomes `MemoryStoresCreate`. */
export const pascal = (name: string) =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
