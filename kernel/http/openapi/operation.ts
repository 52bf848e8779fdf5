// One route as an operation of the document.
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import type { Multipart } from "../input/multipart.ts";
import type { BetaRule, Route } from "../route.ts";
import { isSchema, pathParams } from "../route.ts";
import {
  nounOf,
  type MediaType,
  type Operation,
  type Parameter,
  type Reference,
  type RequestBody,
  type Response,
  type Schema,
} from "./document.ts";
import type { Components } from "./schemas.ts";
import { failureNames, requestIdHeader } from "./shared.ts";

export const isConsole = (path: string) => path.startsWith("/console/api/");

export function operationOf(route: Route, components: Components): Operation {
  const { operation, permission, credentials, organizations, beta } = route;
  const noun = nounOf(operation);
  const pages = pagesOf(route);
  const requestBody = requestBodyOf(route, components);
  return {
    operationId: operation,
    tags: isConsole(route.path) ? [noun, "console"] : [noun],
    summary: route.summary,
    security: securityOf(route),
    ...(permission !== null && { "x-permission": permission }),
    ...(credentials !== undefined && { "x-credentials": credentials }),
    ...(organizations !== undefined && { "x-organizations": organizations }),
    ...(beta !== undefined && { "x-beta": beta }),
    ...(pages !== undefined && { "x-pages": pages }),
    ...(isStreamed(route) && { "x-streamed-body": true as const }),
    parameters: [
      ...pathParameters(route, components),
      ...queryParameters(route, components),
      ...headerParameters(route),
    ],
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(route, components),
  };
}

function securityOf({ permission, credentials }: Route): Operation["security"] {
  if (permission === null) return [];
  const byHeader = credentials === undefined || credentials.some((kind) => kind !== "console");
  const byCookie = credentials === undefined || credentials.includes("console");
  return [
    ...(byHeader ? [{ apiKey: [] }, { bearer: [] }] : []),
    ...(byCookie ? [{ console: [] }] : []),
  ];
}

const isStreamed = ({ body }: Route) => typeof body === "object" && "streamedJson" in body;

function pagesOf({ query, reply }: Route): Operation["x-pages"] {
  if (query === undefined || !hasProperty(reply, "data")) return undefined;
  for (const name of ["page", "page_token", "after_id"] as const)
    if (hasProperty(query, name)) return name;
  return undefined;
}

/** None for everything that is no schema of an object. */
const propertiesOf = (schema: unknown): Record<string, object> => {
  if (typeof schema !== "object" || schema === null) return {};
  const properties: unknown = Reflect.get(schema, "properties");
  return typeof properties === "object" && properties !== null
    ? (properties as Record<string, object>)
    : {};
};

const hasProperty = (schema: unknown, name: string) => Object.hasOwn(propertiesOf(schema), name);

function pathParameters({ path, params, operation }: Route, components: Components): Parameter[] {
  const names = pathParams(path);
  const declared = params === undefined ? undefined : propertiesOf(params);
  for (const name of Object.keys(declared ?? {}))
    assert(names.includes(name), `${operation}: ${path} has no {${name}}`);
  return names.map((name) => {
    const schema = declared?.[name];
    assert(
      declared === undefined || schema !== undefined,
      `${operation}: params say nothing of {${name}}`,
    );
    return parameter("path", name, schema ? components.read(schema) : { type: "string" }, true);
  });
}

function queryParameters({ query }: Route, components: Components): Parameter[] {
  if (query === undefined) return [];
  const required: unknown = Reflect.get(query, "required");
  return Object.entries(propertiesOf(query)).flatMap(([name, raw]) => {
    const schema = components.read(raw);
    const needed = Array.isArray(required) && required.includes(name);
    // As they stand on the wire: `created_at[gte]=…` and `statuses[]=a&statuses[]=b`.
    if (schema.properties !== undefined)
      return Object.entries(schema.properties).map(([sub, part]) =>
        parameter("query", `${name}[${sub}]`, part, false),
      );
    if (schema.type !== "array") return [parameter("query", name, schema, needed)];
    const list = parameter("query", `${name}[]`, schema, needed);
    return [{ ...list, style: "form" as const, explode: true as const }];
  });
}

/** The description stands on the parameter, where readers of the document look for it. */
function parameter(location: Parameter["in"], name: string, schema: Schema, required: boolean) {
  const { description, ...rest } = schema;
  const found: Parameter = {
    name,
    in: location,
    ...(description !== undefined && { description }),
    required,
    schema: rest,
  };
  return found;
}

function headerParameters({ path, beta, permission }: Route): (Parameter | Reference)[] {
  if (permission === null || isConsole(path)) return beta === undefined ? [] : [betaHeader(beta)];
  const version = { $ref: "#/components/parameters/Version" };
  return beta === undefined ? [version] : [betaHeader(beta), version];
}

function betaHeader({ name, gate, or, excludes }: BetaRule): Parameter {
  const words = ["`anthropic-beta` is understood as well; several betas stand in one header."];
  if (gate !== "always") words.push(`Needed only where the version is ${gate}.`);
  if (or !== undefined) words.push(`Or, instead of it, ${or}.`);
  if (excludes !== undefined) words.push(`Not beside betas that start with ${excludes}.`);
  return {
    name: "vendor-beta",
    in: "header",
    description: words.join(" "),
    required: gate === "always",
    schema: { type: "string", examples: [name] },
  };
}

function requestBodyOf({ body }: Route, components: Components): RequestBody | undefined {
  if (body === undefined) return undefined;
  if (body === "stream") return { required: true, content: { "application/octet-stream": {} } };
  if ("multipart" in body) return formBody(body);
  if ("streamedJson" in body) return jsonBody(body.streamedJson, components);
  if ("originalJson" in body) return jsonBody(body.originalJson, components);
  return jsonBody(body, components);
}

function jsonBody(body: TSchema, components: Components): RequestBody {
  const required: unknown = Reflect.get(body, "required");
  return {
    required: Array.isArray(required) && required.length > 0,
    content: { "application/json": { schema: components.read(body) } },
  };
}

function formBody({ multipart: { fields, filesMax } }: Multipart): RequestBody {
  const file: Schema = { type: "string", contentMediaType: "application/octet-stream" };
  const files: Record<string, Schema> =
    filesMax === 1 ? { file } : { "files[]": { type: "array", items: file, maxItems: filesMax } };
  const texts = fields.filter((name) => !(name in files));
  const properties = {
    ...files,
    ...Object.fromEntries(texts.map((name) => [name, { type: "string" as const }])),
  };
  return {
    required: true,
    content: {
      "multipart/form-data": {
        schema: { type: "object", required: Object.keys(files), properties },
      },
    },
  };
}

function responsesOf(route: Route, components: Components): Operation["responses"] {
  const [status, good] = success(route, components);
  const failures = failuresOf(route).map((name) => [
    name,
    { $ref: `#/components/responses/${failureNames[name]}` },
  ]);
  return { [status]: good, ...Object.fromEntries(failures) };
}

function success({ reply, body }: Route, components: Components): [string, Response] {
  const found = (description: string, content: Record<string, MediaType>): [string, Response] => [
    "200",
    { description, headers: requestIdHeader, content },
  ];
  const text = { schema: { type: "string" } };
  switch (reply) {
    case "none":
      return ["204", { description: "Done; there is nothing to say.", headers: requestIdHeader }];
    case "events":
      return found("Events, as they happen.", { "text/event-stream": text });
    case "bytes":
      return found("The bytes.", { "*/*": {} });
    case "page":
      return found("A page for people.", { "text/html": text });
    case "text":
      return found("Text.", { "text/plain": text });
    default: {
      if ("jsonLines" in reply)
        return found("JSON lines: one of these on each line. A `range` gets its part, as 206.", {
          "application/x-jsonl": { schema: components.read(reply.jsonLines) },
        });
      const json = { "application/json": { schema: components.read(reply) } };
      // `stream: true` in the body turns the reply into events.
      const isOriginal = typeof body === "object" && "originalJson" in body;
      const streams = isOriginal ? body.streams : hasProperty(body, "stream");
      return found("It worked.", streams ? { ...json, "text/event-stream": text } : json);
    }
  }
}

function failuresOf(route: Route): (keyof typeof failureNames)[] {
  const types = new Set<keyof typeof failureNames>([...usual(route), ...(route.errors ?? [])]);
  return [...types].sort((a, b) => (a < b ? -1 : 1));
}

function usual(route: Route): (keyof typeof failureNames)[] {
  const known = route.permission !== null;
  const hides =
    route.path.includes("{") ||
    route.organizations !== undefined ||
    (route.beta !== undefined && route.beta.gate !== "always");
  return [
    400,
    ...(known ? ([401, 403] as const) : []),
    ...(hides ? ([404] as const) : []),
    ...(route.body === undefined ? [] : ([408, 413] as const)),
    ...(isSchema(route.body) || isStreamed(route) ? ([415] as const) : []),
    ...(known || route.method !== "GET" ? ([429] as const) : []),
    500,
    "default",
  ];
}
