// Who may use which route: each route of the table, called without, with a wrong and with every kind of credential.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House } from "../house.ts";
import { anyPath, ask, headersFor } from "./ask.ts";
import { holdAgainstTheSpecification } from "./access-spec.ts";
import type { CredentialHolder, OrganizationCredentials } from "./every-credential.ts";
import { probeEveryRoute, guarded, probeRoute, probe, type AccessMatrix } from "./access-matrix.ts";

let house: House;
let matrix: AccessMatrix;
before(async () => {
  house = await openHouse();
  matrix = await probeEveryRoute(house);
});
after(() => house[Symbol.asyncDispose]());

const takesAnything = ({ query }: Route) =>
  query !== undefined &&
  (query as { additionalProperties?: unknown }).additionalProperties !== false;
const open = routes.filter(({ permission }) => permission === null);

test("the table has routes of both kinds", () => {
  assert.ok(guarded.length > 5 && open.length > 3, `${guarded.length} and ${open.length}`);
});

for (const route of guarded) {
  const name = `${route.method} ${route.path}`;

  test(`${name}: nobody and strangers get 401`, async () => {
    const nobodies: Record<string, string>[] = [
      {},
      { "x-api-key": "sk-plinth-api-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { "x-api-key": "garbage" },
      { authorization: "Bearer sk-plinth-admin-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { authorization: "Bearer sk-plinth-oat-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { authorization: "Basic Z2FyYmFnZQ==" },
      { cookie: "__Host-plinth=garbage", origin: house.url },
      { cookie: "__Host-plinth=", origin: house.url },
    ];
    const asked = nobodies.map(async (headers) => {
      const { status, message } = await probeRoute(house.url, route, { headers });
      assert.equal(status, 401, `${JSON.stringify(headers)}: ${message}`);
    });
    await Promise.all(asked);
  });

  test(`${name}: a refused credential is told what is needed`, () => {
    for (const { type, holders } of matrix.scenes)
      for (const holder of holders) {
        const { status, message, body } = matrix.of(route, holder);
        const said = `${type}, ${holder.words}: ${status} ${message}`;
        if (!(route.organizations?.includes(type) ?? true)) {
          assert.equal(status, 404, said);
          assert.match(JSON.stringify(body), /"error_code":"organization_type_not_supported"/);
        } else if (status === 403) {
          assert.ok(message.includes(route.operation), said);
          assert.ok(message.includes(route.permission ?? ""), said);
        } else {
          assert.equal(status, 400, said);
          assert.match(message, new RegExp(`^${probe}: `), said);
        }
      }
  });

  test(`${name}: somebody may use it, and somebody may not`, () => {
    const seen = new Set(
      matrix.scenes.flatMap(({ holders }) =>
        holders.map((holder) => matrix.of(route, holder).status),
      ),
    );
    assert.ok(seen.has(400), "nobody of the cast may: give the cast somebody who may");
    assert.ok(seen.has(403) || seen.has(404), "everybody may: is it an open route?");
  });
}

for (const route of open)
  test(`${route.method} ${route.path}: open to everybody`, async () => {
    const { status, message } = await probeRoute(house.url, route, { headers: {} });
    // An identity provider may add to an address as it likes.
    if (takesAnything(route)) return assert.ok(![401, 403].includes(status), message);
    assert.equal(status, 400, message);
    assert.match(message, new RegExp(`^${probe}: `));
  });

test("a route that is not there is 404 to everybody", async () => {
  const paths = ["/v1/nothing", "/console/api/nothing", "/v1/organizations/", "/V1/messages"];
  const everyCaller = [{ headers: {} }, ...matrix.scenes.flatMap(({ holders }) => holders)];
  for (const caller of everyCaller)
    for (const path of paths)
      assert.equal((await ask(house.url, { path, caller })).status, 404, path);
});

const legend = `Who may use which route.

A letter: may. A dot: 403. 404: the route is not there for the type of organization.
console:use is had by every person: what such a route shows and does, it asks of the person itself.
`;

const groups = ["people", "keys", "tokens"] as const;

function cast({ type, holders }: OrganizationCredentials): string {
  const lines = groups.map((group) => {
    const named = holders
      .filter((holder) => holder.group === group)
      .map(({ letter, words }) => `    ${letter} ${words}`);
    return `  ${group}\n${named.join("\n")}`;
  });
  return `${type}\n${lines.join("\n")}\n`;
}

function line(route: Route, { type, holders }: OrganizationCredentials): string {
  const cell = (holder: CredentialHolder) => {
    const { status } = matrix.of(route, holder);
    return status === 400 ? holder.letter : status === 403 ? "." : String(status);
  };
  const isThere = route.organizations?.includes(type) ?? true;
  const cells = groups.map((group) =>
    holders
      .filter((holder) => holder.group === group)
      .map(cell)
      .join(""),
  );
  return `  ${type.padEnd(15)}${isThere ? cells.join("  ") : "404"}`;
}

/** Read by people when it changes: the table of who may do what. */
test("the access matrix is the golden one", (t) => {
  const table = guarded.map((route) => {
    const { method, path, permission, credentials } = route;
    const only = credentials === undefined ? "" : `, ${credentials.join(" or ")} only`;
    const lines = matrix.scenes.map((organization) => line(route, organization));
    return `${method} ${path} (${permission}${only})\n${lines.join("\n")}`;
  });
  const text = [legend, ...matrix.scenes.map(cast), ...table].join("\n");
  const golden = join(import.meta.dirname, "access.golden");
  t.assert.fileSnapshot(`${text}\n`, golden, { serializers: [String] });
});

holdAgainstTheSpecification(() => matrix);

test("beta routes want their header", async () => {
  const first = (route: Route) =>
    matrix.scenes
      .flatMap(({ holders }) => holders)
      .find((holder) => matrix.of(route, holder).status === 400) ?? assert.fail("no holder may");
  for (const route of guarded.filter(({ beta }) => beta !== undefined)) {
    const { name, gate } = route.beta ?? assert.fail("no beta");
    const path = `${anyPath(route.path)}?${probe}=1`;
    const asked = { method: route.method, path, caller: first(route) };
    const older = { ...asked, headers: { "vendor-version": "2023-06-01" } };
    const { status, message } = await ask(house.url, older);
    assert.equal(status, gate === "always" ? 400 : 404, message);
    if (gate === "always") assert.ok(message.includes(name), message);
    const newer = { ...asked, headers: { "vendor-version": "2026-10-21" } };
    const { message: said } = await ask(house.url, newer);
    const isOpen = gate !== "always" && gate !== "hidden";
    assert.equal(said.startsWith(`${probe}: `), isOpen, said);
    assert.deepEqual(headersFor(route), { "vendor-beta": name });
  }
});
