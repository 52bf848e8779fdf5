// Every route, called as it is meant: the house holds each reply against its schema, and a mismatch is a 500.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isSchema, type Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { openHouse, type House } from "../house.ts";
import { ask, fillPath, headersFor } from "./ask.ts";
import { callersOf, tenantsOf, whoMay, type Caller, type Tenant } from "./callers.ts";
import { fixtures } from "./fixtures.ts";

let house: House;
let callers: Caller[];
let tenants: Tenant[];
before(async () => {
  house = await openHouse();
  tenants = tenantsOf(house);
  callers = await callersOf(house);
});
after(() => house[Symbol.asyncDispose]());

const typeOfReply: Partial<Record<string, RegExp>> = {
  page: /^text\/html; charset=utf-8$/,
  text: /^(text|application)\//,
  events: /^text\/event-stream/,
};

async function callerFor(route: Route): Promise<{ tenant: Tenant; caller?: Caller }> {
  const first = tenants[0] ?? assert.fail("the house has no tenant");
  if (route.permission === null) return { tenant: first };
  const caller = (await whoMay(house.url, route, callers))[0] ?? assert.fail("nobody may");
  const tenant = tenants.find(({ name }) => name === caller.tenant) ?? first;
  const own = fixtures[route.operation]?.ownSignIn === true;
  return { tenant, caller: own ? await tenant.signIn() : caller };
}

for (const route of routes) {
  const { method, path, reply, operation } = route;
  const fixture = fixtures[operation] ?? {};
  if (fixture.elsewhere !== undefined) continue;

  test(`${method} ${path} works`, async () => {
    const { tenant, caller } = await callerFor(route);
    const filled = fillPath(path, (await fixture.params?.(tenant)) ?? {});
    const { status, headers, body, message } = await ask(house.url, {
      method,
      path: fixture.query === undefined ? filled : `${filled}?${fixture.query}`,
      ...(caller !== undefined && { caller }),
      headers: headersFor(route),
      body: await fixture.body?.(tenant),
    });
    assert.equal(status, fixture.status ?? 200, message);
    if (isSchema(reply)) assert.equal(typeof body, "object");
    if (reply === "none") assert.equal(body, "");
    const type = typeof reply === "string" ? typeOfReply[reply] : undefined;
    if (type !== undefined) assert.match(headers.get("content-type") ?? "", type);
  });
}

test("what is called elsewhere names its test", () => {
  for (const [operation, { elsewhere }] of Object.entries(fixtures))
    if (elsewhere !== undefined)
      assert.match(elsewhere, /^tests\/\S+\.test\.ts \[[A-Z]+\d+\]$/, operation);
});
