// The fields of a schema as rows of a table: nested ones under their parent's name, variants under their own.
import { resolveReference, type OpenApi, type Schema } from "../openapi/document.ts";
import { html, prose, type Html } from "./html.ts";

/** Readers stop at this depth and length; the document has the rest. */
const depthMax = 4;
const rowsMax = 150;

interface Row {
  name: string;
  depth: number;
  type: string;
  required: boolean;
  limits: string[];
  description: string | undefined;
  /** Says which of several shapes the rows below belong to. */
  heading?: true;
}

export interface NamedField {
  name: string;
  schema: Schema;
  required: boolean;
  description?: string;
}

/** The table of a request marks the fields that it must have, that of a reply those that may be missing. */
export type Direction = "request" | "reply";

/** For what is not an object: nothing. */
export function fieldTable(
  document: OpenApi,
  label: string,
  schema: Schema,
  direction: Direction,
): Html | undefined {
  const rows: Row[] = [];
  addChildren(document, rows, schema, "", 0, []);
  return rows.length === 0 ? undefined : table(label, rows, direction);
}

export function parameterTable(document: OpenApi, label: string, fields: readonly NamedField[]) {
  const rows: Row[] = [];
  for (const field of fields) addField(document, rows, field, 0, []);
  return table(label, rows, "request");
}

function addField(
  document: OpenApi,
  rows: Row[],
  { name, schema, required, description }: NamedField,
  depth: number,
  trail: readonly string[],
): void {
  const resolved = resolveReference(document, schema);
  rows.push({
    name,
    depth,
    type: typeName(document, schema),
    required,
    limits: limitsOf(resolved),
    description: description ?? schema.description ?? resolved.description,
  });
  addChildren(document, rows, schema, name, depth + 1, trail);
}

/** `trail` holds the named schemas that we are in, so that one that holds itself ends. */
function addChildren(
  document: OpenApi,
  rows: Row[],
  schema: Schema,
  prefix: string,
  depth: number,
  trail: readonly string[],
): void {
  if (depth > depthMax || rows.length > rowsMax) return;
  if (schema.$ref !== undefined) {
    if (trail.includes(schema.$ref)) return;
    const inside = [...trail, schema.$ref];
    return addChildren(document, rows, resolveReference(document, schema), prefix, depth, inside);
  }
  for (const part of schema.allOf ?? []) addChildren(document, rows, part, prefix, depth, trail);
  addVariants(document, rows, schema, prefix, depth, trail);
  if (typeof schema.items === "object")
    addChildren(document, rows, schema.items, `${prefix}[]`, depth, trail);
  for (const [name, part] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) === true;
    const full = prefix === "" ? name : `${prefix}.${name}`;
    addField(document, rows, { name: full, schema: part, required }, depth, trail);
  }
}

function addVariants(
  document: OpenApi,
  rows: Row[],
  schema: Schema,
  prefix: string,
  depth: number,
  trail: readonly string[],
): void {
  const members = (schema.anyOf ?? schema.oneOf ?? []).filter((part) =>
    fieldsWithin(document, part),
  );
  for (const member of members) {
    const name = members.length > 1 ? variantName(resolveReference(document, member)) : undefined;
    if (name !== undefined)
      rows.push({
        name: `${prefix === "" ? "" : `${prefix} `}${name}`,
        depth,
        type: "",
        required: false,
        limits: [],
        description: resolveReference(document, member).description,
        heading: true,
      });
    addChildren(document, rows, member, prefix, depth, trail);
  }
}

function fieldsWithin(document: OpenApi, schema: Schema): boolean {
  const { properties, items, anyOf, oneOf, allOf } = resolveReference(document, schema);
  return [properties, items, anyOf, oneOf, allOf].some((part) => part !== undefined);
}

/** `where type is "text"` */
function variantName({ properties = {} }: Schema): string | undefined {
  const found = Object.entries(properties).find(([, part]) => part.const !== undefined);
  return found && `where ${found[0]} is ${JSON.stringify(found[1].const)}`;
}

export function typeName(document: OpenApi, schema: Schema | boolean): string {
  if (typeof schema === "boolean") return "any";
  if (schema.$ref !== undefined) {
    const { type } = resolveReference(document, schema);
    const name = schema.$ref.split("/").at(-1) ?? "";
    return type === undefined || type === "object" ? name : `${name} (${type})`;
  }
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined)
    return [...new Set(members.map((part) => typeName(document, part)))].join(" or ");
  if (schema.allOf !== undefined)
    return schema.allOf.map((part) => typeName(document, part)).join(" and ");
  if (schema.prefixItems !== undefined)
    return `list of ${schema.prefixItems.map((part) => typeName(document, part)).join(", ")}`;
  if (schema.type === "array") return `array of ${typeName(document, schema.items ?? true)}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object")
    return `map of ${typeName(document, schema.additionalProperties)}`;
  return (
    schema.type ??
    ((schema.const ?? schema.enum?.[0]) ? typeof (schema.const ?? schema.enum?.[0]) : "any")
  );
}

/** `1 to 500 characters` */
function count(min: number | undefined, max: number | undefined, units = ""): string[] {
  const of = (value: number) => {
    const unit = value === 1 ? units.replace(/ies$/, "y").replace(/s$/, "") : units;
    return `${value.toLocaleString("en-US")} ${unit}`.trimEnd();
  };
  if (min === undefined) return max === undefined ? [] : [`at most ${of(max)}`];
  if (max === undefined) return [`at least ${of(min)}`];
  return [min === max ? of(min) : `${min.toLocaleString("en-US")} to ${of(max)}`];
}

function limitsOf(schema: Schema): string[] {
  const { exclusiveMinimum: above, exclusiveMaximum: below, default: usual } = schema;
  return [
    ...valuesOf(schema),
    ...count(schema.minimum, schema.maximum),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...count(schema.minLength, schema.maxLength, "characters"),
    ...count(schema.minItems, schema.maxItems, "items"),
    ...count(schema.minProperties, schema.maxProperties, "entries"),
    ...(schema.format === undefined ? [] : [schema.format]),
    ...(schema.pattern === undefined ? [] : [`matches \`${schema.pattern}\``]),
    ...(usual === undefined ? [] : [`default \`${JSON.stringify(usual)}\``]),
  ];
}

/** The values that are possible, also where `null` or a list stands around them. */
function valuesOf(schema: Schema): string[] {
  const members = schema.anyOf ?? schema.oneOf ?? [];
  const inner = typeof schema.items === "object" ? schema.items : undefined;
  const values = [schema, ...members, ...(inner === undefined ? [] : [inner])].flatMap(
    (part) => part.enum ?? (part.const === undefined ? [] : [part.const]),
  );
  return values.length === 0
    ? []
    : [values.map((value) => `\`${JSON.stringify(value)}\``).join(", ")];
}

function table(label: string, rows: readonly Row[], direction: Direction): Html {
  const shown = rows.slice(0, rowsMax);
  return html`<table class="fields" aria-label="${label}">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">About</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map((row) => rowHtml(row, direction))}
      </tbody>
    </table>
    ${rows.length > rowsMax && html`<p class="quiet">More fields stand in <a href="/openapi.json">openapi.json</a>.</p>`}`;
}

/** The parents stand back, and a long name breaks after a dot. */
function nameHtml(name: string): Html {
  const at = name.lastIndexOf(".") + 1;
  if (at === 0) return html`${name}`;
  const parents = name.slice(0, at).split(/(?<=\.)/);
  return html`<span>${parents.map((part) => html`${part}<wbr />`)}</span>${name.slice(at)}`;
}

function rowHtml(row: Row, direction: Direction): Html {
  if (row.heading)
    return html`<tr class="variant d${row.depth}">
      <td colspan="3">
        ${row.name}${row.description !== undefined && html` <span>${prose(row.description)}</span>`}
      </td>
    </tr> `;
  const needed =
    direction === "request"
      ? row.required && html` <span class="required">required</span>`
      : !row.required && html` <span class="quiet">optional</span>`;
  const description = row.description !== undefined && html`<p>${prose(row.description)}</p>`;
  const limits =
    row.limits.length > 0 && html`<p class="quiet">${prose(row.limits.join("; "))}</p>`;
  return html`<tr class="d${row.depth}">
    <th scope="row"><code>${nameHtml(row.name)}</code>${needed}</th>
    <td>${row.type}</td>
    <td>${description}${limits}</td>
  </tr> `;
}
