// The parts of an OpenAPI 3.1 document that we write, as types.

import assert from "node:assert/strict";
/** A JSON Schema 2020-12 as plain data: no `$id`, every `$ref` a JSON pointer into the document. */
export interface Schema {
  $ref?: string;
  type?: string;
  title?: string;
  description?: string;
  deprecated?: boolean;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: readonly unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  patternProperties?: Readonly<Record<string, Schema>>;
  additionalProperties?: Schema | boolean;
  items?: Schema | boolean;
  prefixItems?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  not?: Schema;
  contentMediaType?: string;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description?: string;
  required: boolean;
  schema: Schema;
  style?: "form";
  explode?: true;
}

export interface MediaType {
  schema?: Schema;
}

export interface RequestBody {
  required: boolean;
  content: Record<string, MediaType>;
}

export interface Response {
  description: string;
  headers?: Record<string, Reference | { description?: string; schema: Schema }>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  "x-permission"?: string;
  "x-credentials"?: readonly string[];
  "x-organizations"?: readonly string[];
  "x-beta"?: { name: string; gate: string; excludes?: string };
  /** How `pages` of the client walks this list: by which query field. */
  "x-pages"?: "page" | "page_token" | "after_id";
  /** The body may be too large to be held: the client takes it as bytes too. */
  "x-streamed-body"?: true;
  parameters: (Parameter | Reference)[];
  requestBody?: RequestBody;
  responses: Record<string, Response | Reference>;
}

export const verbs = ["get", "post", "put", "patch", "delete"] as const;
export type Verb = (typeof verbs)[number];

export interface Info {
  version: string;
  title: string;
}

export interface OpenApi {
  openapi: "3.1.0";
  info: Info & { description: string };
  jsonSchemaDialect: string;
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Partial<Record<Verb, Operation>>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { description: string; schema: Schema }>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, Record<string, string>>;
  };
}

export interface OperationEntry {
  path: string;
  verb: Verb;
  operation: Operation;
}

/** Every operation with its path and verb, in the document's order. */
export function operationEntries(document: OpenApi): OperationEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb];
      return operation === undefined ? [] : [{ path, verb, operation }];
    }),
  );
}

/** The noun of `memory_stores.memories.create` is `memory_stores.memories`. */
export const nounOf = (operation: string) => operation.slice(0, operation.lastIndexOf("."));

/** What a pointer points at; anything else is returned as it is. */
export function resolveReference<T extends object>(document: OpenApi, value: T | Reference): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  let at: unknown = document;
  for (const step of value.$ref.split("/").slice(1)) {
    at = typeof at === "object" && at !== null ? Reflect.get(at, step) : undefined;
  }
  assert(at !== undefined, `${value.$ref} points at nothing`);
  return at as T;
}

/** What programs call. The noun `pages` holds what browsers load: pages, their scripts and styles. */
export const callable = (document: OpenApi): OperationEntry[] =>
  operationEntries(document).filter(({ operation }) => nounOf(operation.operationId) !== "pages");
