// The document: pointers that resolve, names that are unique, parameters that are declared.
import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { operationEntries, resolveReference, type Parameter } from "./document.ts";
import { openapi } from "./openapi.ts";
import { noContent } from "../output/reply.ts";
import { closed, openRoute, originalJson, route, type Route } from "../route.ts";

const info = { title: "Sample", version: "1" };
const Thing = Type.Object({ id: Type.String() }, { $id: "Thing" });

const things = (more: Partial<Route> = {}): Route => ({
  ...route({
    operation: "things.retrieve",
    method: "GET",
    path: "/v1/things/{thing_id}",
    summary: "Reads a thing.",
    permission: "things:read",
    reply: Thing,
    handle: () => ({ id: "1" }),
  }),
  ...more,
});

const make = (...routes: Route[]) => openapi(routes, info);
const only = (route: Route) => operationEntries(make(route))[0]!.operation;
const statuses = (route: Route) => Object.keys(only(route).responses).join(" ");

test("a route's own refusals stand beside the usual ones", () => {
  const open = openRoute({
    operation: "doors.open",
    method: "GET",
    path: "/doors",
    summary: "Opens.",
    errors: [409, 401],
    reply: "none",
    handle: () => assert.fail(),
  });
  const document = openapi([open], { title: "T", version: "1" });
  const statuses = Object.keys(document.paths["/doors"]?.get?.responses ?? {});
  assert.deepEqual(statuses, ["204", "400", "401", "409", "500", "default"].sort());
});

test("a schema with an id is written once and pointed at", () => {
  const List = Type.Object({ data: Type.Array(Thing), first: Thing });
  const list = things({ operation: "things.list", path: "/v1/things", reply: List });
  const document = make(things(), list);
  assert.deepEqual(document.components.schemas["Thing"], {
    type: "object",
    required: ["id"],
    properties: { id: { type: "string" } },
  });
  const reply = document.paths["/v1/things"]?.get?.responses["200"];
  assert.match(JSON.stringify(reply), /"items":\{"\$ref":"#\/components\/schemas\/Thing"\}/);
  assert.doesNotMatch(JSON.stringify(document), /\$id/);
});

test("schemas that point at themselves become components", () => {
  const Node = Type.Cyclic(
    { Node: Type.Object({ next: Type.Optional(Type.Ref("Node")) }) },
    "Node",
  );
  const document = make(things({ reply: Node }));
  assert.deepEqual(document.components.schemas["Node"]?.properties?.["next"], {
    $ref: "#/components/schemas/Node",
  });
});

test("a name that means two things, or nothing, is refused", () => {
  const Other = Type.Object({ id: Type.Integer() }, { $id: "Thing" });
  const other = things({ operation: "things.list", path: "/v1/things", reply: Other });
  assert.throws(() => make(things(), other), /two different schemas have the \$id Thing/);
  const lost = things({ reply: Type.Object({ a: Type.Ref("Nowhere") }) });
  assert.throws(() => make(lost), /no schema has the \$id Nowhere/);
  const taken = things({ reply: Type.Object({}, { $id: "ErrorEnvelope" }) });
  assert.throws(() => make(taken), /ErrorEnvelope/);
});

test("tuples and records are written as JSON Schema 2020-12 reads them", () => {
  const reply = Type.Object({
    pair: Type.Tuple([Type.String(), Type.Integer()]),
    map: Type.Record(Type.String(), Type.Integer()),
  });
  const response = resolveReference(make(), only(things({ reply })).responses["200"]!);
  assert.deepEqual(response.content?.["application/json"]?.schema?.properties, {
    pair: {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "integer" }],
      items: false,
      minItems: 2,
    },
    map: { type: "object", additionalProperties: { type: "integer" } },
  });
});

test("the order of the routes and of the keys of a schema does not matter", () => {
  const list = things({ operation: "things.list", path: "/v1/things" });
  const put = things({ operation: "things.replace", method: "PUT" });
  const one = JSON.stringify(make(things(), put, list));
  assert.equal(JSON.stringify(make(list, put, things())), one);
  const turned = Type.Object({ id: Type.String() }, { description: "A", title: "B" });
  const straight = Type.Object({ id: Type.String() }, { title: "B", description: "A" });
  const text = (reply: typeof turned) => JSON.stringify(only(things({ reply })));
  assert.equal(text(turned), text(straight));
});

test("parameters are named as they stand on the wire", () => {
  const query = closed({
    statuses: Type.Optional(Type.Array(Type.String(), { description: "Any of." })),
    created_at: Type.Optional(closed({ gte: Type.Optional(Type.String()) })),
    q: Type.String(),
  });
  const found = only(things({ query })).parameters.filter(
    (item): item is Parameter => "in" in item,
  );
  assert.deepEqual(
    found.map((item) => `${item.in} ${item.name} ${item.required}`),
    ["path thing_id true", "query statuses[] false", "query created_at[gte] false", "query q true"],
  );
  assert.equal(found[1]?.description, "Any of.");
});

test("path parameters and the schema of them have to agree", () => {
  assert.throws(() => make(things({ params: closed({}) })), /say nothing of \{thing_id\}/);
  const params = closed({ thing_id: Type.String(), other_id: Type.String() });
  assert.throws(() => make(things({ params })), /has no \{other_id\}/);
});

test("what may be streamed says so, also where the body's own bytes are kept", () => {
  const body = Type.Object({ stream: Type.Optional(Type.Boolean()) });
  const types = (of: Parameters<typeof things>[0]) => {
    const document = make(things({ method: "POST", ...of }));
    const found = operationEntries(document)[0]?.operation.responses["200"] ?? assert.fail();
    return Object.keys(resolveReference(document, found).content ?? {});
  };
  assert.deepEqual(types({ body }), ["application/json", "text/event-stream"]);
  const streaming = originalJson(body, { streams: true });
  assert.deepEqual(types({ body: streaming }), ["application/json", "text/event-stream"]);
  assert.deepEqual(types({ body: originalJson(body) }), ["application/json"]);
});

test("each operation names the errors that it can answer with", () => {
  const body = closed({ a: Type.Optional(Type.String()) });
  assert.equal(statuses(things()), "200 400 401 403 404 429 500 default");
  const create = things({ path: "/v1/things", method: "POST", body });
  assert.equal(statuses(create), "200 400 401 403 408 413 415 429 500 default");
  const beta = { name: "b", gate: "2023-06-01" } as const;
  assert.equal(statuses(things({ path: "/v1/things", beta })), statuses(things()));
  const open = { operation: "health.read", method: "GET", path: "/healthz", summary: "" } as const;
  const health = openRoute({ ...open, reply: "none", handle: () => noContent() });
  assert.equal(statuses(health), "204 400 500 default");
});

test("credentials and gates stand on the operation", () => {
  const console = only(things({ path: "/console/api/a", credentials: ["console"] }));
  assert.deepEqual(console.security, [{ console: [] }]);
  assert.deepEqual(console.tags, ["things", "console"]);
  const keyed = only(things({ credentials: ["admin_key"], organizations: ["enterprise"] }));
  assert.deepEqual(keyed.security, [{ apiKey: [] }, { bearer: [] }]);
  assert.deepEqual(keyed["x-organizations"], ["enterprise"]);
  assert.equal(keyed["x-permission"], "things:read");
  assert.deepEqual(only(things({ permission: null })).security, []);
  const beta = only(things({ beta: { name: "b", gate: "always" } }));
  const header = beta.parameters.find((item) => "name" in item && item.name === "vendor-beta");
  assert.equal(header !== undefined && "required" in header && header.required, true);
});
