// The route table as an OpenAPI 3.1 document: what the reference, the client and the tests read.
import assert from "node:assert/strict";
import { nounOf, verbs, type Info, type OpenApi, type Verb } from "./document.ts";
import { operationOf } from "./operation.ts";
import { makeComponents } from "./schemas.ts";
import {
  description,
  errorSchema,
  failureResponses,
  securitySchemes,
  sharedHeaders,
  sharedParameters,
} from "./shared.ts";
import type { Route } from "../route.ts";

export type { Info, OpenApi } from "./document.ts";

/** The same table gives the same text, in any order of its routes. */
export function openapi(routes: readonly Route[], { version, title }: Info): OpenApi {
  const components = makeComponents();
  const sorted = [...routes].sort((a, b) => compare(sortKeyOf(a), sortKeyOf(b)));
  const paths: OpenApi["paths"] = {};
  for (const route of sorted) {
    const item = (paths[route.path] ??= {});
    item[verbOf(route)] = operationOf(route, components);
  }
  const nouns = [...new Set(routes.map((route) => nounOf(route.operation)))].sort(compare);
  const schemas = components.all();
  assert(
    !Object.hasOwn(schemas, "ErrorEnvelope"),
    "ErrorEnvelope is the name of the document's own schema: choose another $id",
  );
  schemas["ErrorEnvelope"] = errorSchema;
  return {
    openapi: "3.1.0",
    info: { title, version, description },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [{ url: "/" }],
    tags: nouns.map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => compare(a, b))),
      parameters: sharedParameters,
      headers: sharedHeaders,
      responses: failureResponses,
      securitySchemes,
    },
  };
}

const verbOf = ({ method }: Route) => method.toLowerCase() as Verb;

const sortKeyOf = (route: Route) => `${route.path} ${verbs.indexOf(verbOf(route))}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
