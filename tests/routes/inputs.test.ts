// What every route does with input that is not for it: unknown fields, other methods, other people's ids.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isSchema, openRoute, pathParams, route as makeRoute } from "../../kernel/http/route.ts";
import type { Route } from "../../kernel/http/route.ts";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House } from "../house.ts";
import { anyPath, ask, fillPath, headersFor } from "./ask.ts";
import { callersOf, tenantsOf, whoMay, type Caller, type Tenant } from "./callers.ts";
import { missingFixtures } from "./fixture.ts";
import { fixtures } from "./fixtures.ts";

let house: House;
let callers: Caller[];
let tenants: Tenant[];
before(async () => {
  house = await openHouse({ rival: true });
  tenants = tenantsOf(house);
  callers = await callersOf(house);
});
after(() => house[Symbol.asyncDispose]());

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const noCredential = { headers: {} };

async function permitted(route: Route): Promise<Pick<Caller, "headers">> {
  if (route.permission === null) return noCredential;
  return (await whoMay(house.url, route, callers))[0] ?? assert.fail("nobody may");
}

test("every route has what its tests need", () => {
  assert.deepEqual(missingFixtures(routes, fixtures), []);
});

test("a route without a fixture is found", () => {
  const text = { summary: "", reply: "text", handle: () => assert.fail() } as const;
  const table = [
    openRoute({ ...text, operation: "a.read", method: "GET", path: "/a/{a_id}" }),
    openRoute({ ...text, operation: "a.write", method: "POST", path: "/a", body: closed({}) }),
    makeRoute({
      operation: "a.list",
      method: "GET",
      path: "/a",
      summary: "",
      permission: "a:read",
      query: closed(cursorQuery),
      reply: cursorPage(closed({})),
      handle: () => assert.fail(),
    }),
  ];
  assert.deepEqual(missingFixtures(table, { "b.read": {} }), [
    "a.read has no params: add it in tests/routes/fixtures*.ts.",
    "a.write has no body: add it in tests/routes/fixtures*.ts.",
    "a.list has no items: add it in tests/routes/fixtures*.ts.",
    "b.read is no route any more: take it off the fixtures.",
  ]);
});

/** Others write it, by a protocol that has what is unknown ignored. */
const isOpenQuery = ({ query }: Route) =>
  query !== undefined && Reflect.get(query, "additionalProperties") === true;

/** A client takes `x/..` out of a path before it sends it: what is left may be another route, found or not allowed. */
const isRouteAbove = (path: string) => {
  const shortened = new URL(path, "http://localhost").pathname;
  return routes.some((route) =>
    new RegExp(`^${route.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(shortened),
  );
};

for (const route of routes) {
  const { method, path } = route;
  const name = `${method} ${path}`;

  test(`${name}: an unknown query parameter is named`, async () => {
    const caller = await permitted(route);
    const { status, message } = await ask(house.url, {
      method,
      path: `${anyPath(path)}?tidy_unknown=1`,
      caller,
      headers: headersFor(route),
    });
    if (isOpenQuery(route)) return assert.doesNotMatch(message, /tidy_unknown/);
    assert.equal(status, 400, message);
    assert.match(message, /^tidy_unknown: /);
  });

  // What speaks another standard ignores what it does not know, where that standard says so.
  if (method !== "GET" && (route.body === undefined || isSchema(route.body)) && !route.refusal)
    test(`${name}: an unknown field is named`, async () => {
      const caller = await permitted(route);
      const { status, message } = await ask(house.url, {
        method,
        path: anyPath(path),
        caller,
        headers: headersFor(route),
        body: { tidy_unknown: 1 },
      });
      assert.equal(status, 400, message);
      assert.match(message, /^tidy_unknown: /);
    });

  if (isSchema(route.body))
    test(`${name}: a body that is no JSON, or no object, is refused`, async () => {
      const caller = await permitted(route);
      for (const body of ["{", "[]", '"x"', "7", '{"a":1,}', "\u0000"]) {
        const { status, message } = await ask(house.url, {
          method,
          path: anyPath(path),
          caller,
          headers: headersFor(route),
          body,
        });
        assert.equal(status, 400, `${body}: ${message}`);
      }
    });

  test(`${name}: a NUL in text is the caller's mistake, never the server's`, async () => {
    const caller = await permitted(route);
    const query = fieldsOf(route.query).map((field) => ({
      path: `${anyPath(path)}?${field}=%00`,
      body: undefined,
    }));
    const body = fieldsOf(route.body).map((field) => ({
      path: anyPath(path),
      body: { [field]: "a\u0000b" },
    }));
    for (const asked of [...query, ...body]) {
      const answer = await ask(house.url, { method, ...asked, caller, headers: headersFor(route) });
      assert.ok(answer.status < 500, `${JSON.stringify(asked)}: ${answer.message}`);
    }
  });

  test(`${name}: another method is 405 and says which there are`, async () => {
    const shape = shapeOf(path);
    const known = routes.filter((other) => shapeOf(other.path) === shape).map((r) => r.method);
    const allow = new Set<string>([...known, ...(known.includes("GET") ? ["HEAD"] : [])]);
    for (const wrong of methods.filter((candidate) => !allow.has(candidate))) {
      const { status, headers } = await ask(house.url, { method: wrong, path: anyPath(path) });
      assert.equal(status, 405, wrong);
      assert.deepEqual(new Set(headers.get("allow")?.split(", ")), allow);
    }
  });

  if (pathParams(path).length > 0 && !isOpenQuery(route))
    test(`${name}: what is not there and what is another tenant's are absent alike`, async () => {
      const [home, ...others] = await placesFor(route);
      const neighbour = others.find(({ tenant }) => tenant !== home?.tenant);
      assert.ok(home && neighbour, "two tenants must have this route: give the house another one");
      const fixture = fixtures[route.operation];
      const body = await fixture?.body?.(home.tenant);
      const get = (params: Record<string, string>) =>
        ask(house.url, {
          method,
          path: fillPath(path, params) + (fixture?.query === undefined ? "" : `?${fixture.query}`),
          caller: home.caller,
          headers: headersFor(route),
          body,
        });
      const own = (await fixture?.params?.(home.tenant)) ?? {};
      const isShared = fixture?.shared === true;
      const theirs = isShared ? undefined : ((await fixture?.params?.(neighbour.tenant)) ?? {});
      // The same sentence for both, but for the id: a caller cannot tell one from the other.
      const neutral = (text: string) => text.replace(/\b[a-z]+_\w+|\b(?:zzz|\d+)(?=\.$)/g, "ID");
      const sentences = new Set<string>();
      for (const param of pathParams(path)) {
        const { message } = await get({ ...own, [param]: otherId(own[param] ?? "") });
        sentences.add(neutral(message));
      }
      for (const param of pathParams(path)) {
        const id = own[param] ?? "";
        const absent = [otherId(id), "x", "..", "%", "a/b", "ü€", "'; --"];
        for (const value of absent) {
          if (value === ".." && isRouteAbove(fillPath(path, { ...own, [param]: value }))) continue;
          const { status, message } = await get({ ...own, [param]: value });
          assert.equal(status, 404, `${JSON.stringify(value)}: ${message}`);
        }
        for (const value of ["\u0000", "x".repeat(3000)]) {
          const { status, message } = await get({ ...own, [param]: value });
          assert.ok([400, 404].includes(status), `${value.length} characters: ${message}`);
        }
        const unknown = await get({ ...own, [param]: otherId(id) });
        if (theirs === undefined) continue;
        for (const params of [{ ...own, [param]: theirs[param] ?? "" }, theirs]) {
          const { status, message } = await get(params);
          assert.equal(status, 404, `another tenant's: ${message}`);
          if (params !== theirs) assert.equal(neutral(unknown.message), neutral(message));
          else assert.ok(sentences.has(neutral(message)), message);
        }
      }
    });
}

function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const properties: unknown = Reflect.get(schema, "properties");
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
}

const shapeOf = (path: string) => path.replace(/\{\w+\}/g, "{}");

/** As long and of the same letters, but of nothing. */
const otherId = (id: string) => id.slice(0, -3) + (id.endsWith("zzz") ? "yyy" : "zzz");

async function placesFor(route: Route): Promise<{ tenant: Tenant; caller: Caller }[]> {
  const may = await whoMay(house.url, route, callers);
  return tenants.flatMap((tenant) => {
    const caller = may.find((candidate) => candidate.tenant === tenant.name);
    return caller === undefined ? [] : [{ tenant, caller }];
  });
}
