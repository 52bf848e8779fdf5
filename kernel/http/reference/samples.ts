// Example values for the reference: what a request may hold, what a reply may look like.
import { resolveReference, type OpenApi, type Schema } from "../openapi/document.ts";

/** Deeper than this, an example no longer helps. */
const depthMax = 6;

export interface SampleOptions {
  /** Leaves out optional fields. */
  requiredOnly?: boolean;
}

export function sampleOf(
  document: OpenApi,
  schema: Schema | boolean,
  options: SampleOptions = {},
  name = "",
  depth = 0,
): unknown {
  if (typeof schema === "boolean") return {};
  const at = (part: Schema | boolean, field = name) =>
    sampleOf(document, part, options, field, depth + 1);
  if (depth > depthMax) return null;
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.$ref !== undefined) return at(resolveReference(document, schema));
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.allOf !== undefined) return Object.assign({}, ...schema.allOf.map((part) => at(part)));
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return at(members.find((part) => part.type !== "null") ?? {});
  switch (schema.type) {
    case "string":
      return stringOf(schema, name);
    case "integer":
    case "number":
      return schema.minimum ?? Math.min(schema.maximum ?? 1, 1);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return schema.prefixItems?.map((part) => at(part)) ?? itemsOf(schema, at, depth);
    default:
      return objectOf(schema, at, options);
  }
}

function itemsOf(schema: Schema, at: (part: Schema | boolean) => unknown, depth: number) {
  return depth >= depthMax || schema.items === undefined ? [] : [at(schema.items)];
}

function objectOf(
  schema: Schema,
  at: (part: Schema | boolean, field: string) => unknown,
  { requiredOnly = false }: SampleOptions,
): Record<string, unknown> {
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([field]) => !requiredOnly || schema.required?.includes(field),
  );
  return Object.fromEntries(fields.map(([field, part]) => [field, at(part, field)]));
}

function stringOf(schema: Schema, name: string): string {
  if (schema.format === "date-time" || name.endsWith("_at")) return "2026-11-02T09:30:00Z";
  if (schema.format === "date") return "2026-11-02";
  if (schema.format === "email" || name === "email") return "ada@example.com";
  if (schema.format === "uri" || name === "url") return "https://example.com";
  return "…";
}
