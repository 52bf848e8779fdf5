// Who may use which route: every route of the table, asked by nobody, by strangers and by every kind of credential.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House } from "../house.ts";
import { anyPath, ask, headersFor, type Answer } from "./ask.ts";
import { callersOf, type Caller } from "./callers.ts";

let house: House;
let callers: Caller[];
before(async () => {
  house = await openHouse();
  callers = callersOf(house);
});
after(() => house[Symbol.asyncDispose]());

/** A query parameter that no route knows: whoever gets so far is told so, and nothing is done. */
const probe = "tidy_unknown";

const knock = ({ method, path, beta }: Route, caller: Pick<Caller, "headers">): Promise<Answer> =>
  ask(house.url, {
    method,
    path: `${anyPath(path)}?${probe}=1`,
    caller,
    headers: beta === undefined ? {} : { "vendor-beta": beta.name },
  });

const guarded = routes.filter(({ permission }) => permission !== null);
const open = routes.filter(({ permission }) => permission === null);

test("the table has routes of both kinds", () => {
  assert.ok(guarded.length > 5 && open.length > 3, `${guarded.length} and ${open.length}`);
});

for (const route of guarded) {
  const name = `${route.method} ${route.path}`;

  test(`${name}: nobody gets 401`, async () => {
    const { status, message } = await knock(route, { headers: {} });
    assert.equal(status, 401, message);
  });

  test(`${name}: a credential that this server never made gets 401`, async () => {
    const strangers: Record<string, string>[] = [
      { "x-api-key": "sk-plinth-api-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { "x-api-key": "garbage" },
      { authorization: "Bearer sk-plinth-admin-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" },
      { authorization: "Basic Z2FyYmFnZQ==" },
      { cookie: "__Host-plinth=garbage", origin: house.url },
      { cookie: "__Host-plinth=", origin: house.url },
    ];
    for (const headers of strangers) {
      const { status, message } = await knock(route, { headers });
      assert.equal(status, 401, `${JSON.stringify(headers)}: ${message}`);
    }
  });

  test(`${name}: a refused credential is told what is needed`, async () => {
    for (const caller of callers) {
      const { status, message, body } = await knock(route, caller);
      const said = `${caller.name}: ${status} ${message}`;
      const served = route.organizations?.includes(caller.organizationType) ?? true;
      if (!served) {
        assert.equal(status, 404, said);
        assert.match(JSON.stringify(body), /"error_code":"organization_type_not_supported"/, said);
      } else if (status === 403) {
        assert.ok(message.includes(route.operation), said);
        assert.ok(message.includes(route.permission ?? ""), said);
      } else {
        assert.equal(status, 400, said);
        assert.match(message, new RegExp(`^${probe}: `), said);
      }
    }
  });

  test(`${name}: somebody in the house may use it, and somebody may not`, async () => {
    const seen = new Set<number>();
    for (const caller of callers) seen.add((await knock(route, caller)).status);
    assert.ok(seen.has(400), "no caller of the house may: give the house one that may");
    assert.ok(seen.has(403) || seen.has(404), "every caller may: is it an open route?");
  });
}

for (const route of open)
  test(`${route.method} ${route.path}: open to everybody`, async () => {
    const { status, message } = await knock(route, { headers: {} });
    assert.equal(status, 400, message);
    assert.match(message, new RegExp(`^${probe}: `));
  });

test("a route that is not there is 404 to everybody", async () => {
  for (const caller of [{ headers: {} }, ...callers])
    for (const path of [
      "/v1/nothing",
      "/console/api/nothing",
      "/v1/organizations/",
      "/V1/messages",
    ])
      assert.equal((await ask(house.url, { path, caller })).status, 404, path);
});

/** Read by people when it changes: the table of who may do what. */
test("the access matrix is the golden one", async (t) => {
  const lines: string[] = [];
  for (const route of guarded) {
    lines.push(`${route.method} ${route.path} (${route.permission})`);
    const byTenant = Map.groupBy(callers, ({ tenant }) => tenant);
    for (const [tenant, group] of byTenant) {
      const cells: string[] = [];
      for (const caller of group) {
        const { status } = await knock(route, caller);
        cells.push(`${caller.kind} ${status === 400 ? "may" : status}`);
      }
      lines.push(
        `  ${tenant.padEnd(11)} ${cells
          .map((cell) => cell.padEnd(15))
          .join(" ")
          .trimEnd()}`,
      );
    }
  }
  const golden = join(import.meta.dirname, "access.golden");
  t.assert.fileSnapshot(`${lines.join("\n")}\n`, golden, { serializers: [String] });
});

test("beta routes want their header", async () => {
  for (const route of guarded.filter(({ beta }) => beta?.gate === "always")) {
    const name = route.beta?.name ?? "";
    const path = `${anyPath(route.path)}?${probe}=1`;
    for (const caller of callers) {
      const { status: may } = await knock(route, caller);
      if (may !== 400) continue;
      const { status, message } = await ask(house.url, { method: route.method, path, caller });
      assert.equal(status, 400);
      assert.ok(message.includes(name), message);
      assert.deepEqual(headersFor(route), { "vendor-beta": name });
    }
  }
});
