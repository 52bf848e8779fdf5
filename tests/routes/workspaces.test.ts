// Rule KEY13 for every route of the table: a key of one workspace, and what belongs to another one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathParams, type Route } from "../../kernel/http/route.ts";
import { routes } from "../../server/app.ts";
import { workspaceUsePermissions } from "../../server/workspaces/module.ts";
import { openHouse, type House } from "../house.ts";
import { makeKey } from "../rules/support.ts";
import { ask, fillPath, headersFor } from "./ask.ts";
import { tenantsOf, type Tenant } from "./callers.ts";
import { isList } from "./fixture.ts";
import { fixtures } from "./fixtures.ts";
import { workspaceIn } from "./fixtures-workspaces.ts";

let house: House;
let tenant: Tenant;
/** A key of another workspace than the one in which the fixtures make things. */
let beside: { headers: Record<string, string> };
let home: { headers: Record<string, string> };
before(async () => {
  house = await openHouse();
  const { platform } = house.organizations;
  tenant = tenantsOf(house).find(({ name }) => name === "platform") ?? assert.fail("no platform");
  const { secret } = await makeKey(house, platform, {
    kind: "api",
    ...(await workspaceIn(tenant)),
  });
  beside = { headers: { "x-api-key": secret } };
  home = { headers: { "x-api-key": platform.api_key } };
});
after(() => house[Symbol.asyncDispose]());

const takesKeys = ({ credentials }: Route) =>
  credentials === undefined || credentials.includes("api_key");
const ofWorkspaces = routes.filter(
  (route) => workspaceUsePermissions.includes(route.permission ?? "") && takesKeys(route),
);

test("the table has routes of workspaces", () => {
  assert.ok(ofWorkspaces.length > 20, String(ofWorkspaces.length));
});

for (const route of ofWorkspaces) {
  const { method, path, operation } = route;
  const fixture = fixtures[operation] ?? {};
  const headers = headersFor(route);

  if (pathParams(path).length > 0 && fixture.shared !== true)
    test(`[KEY13] ${method} ${path}: of another workspace it is absent`, async () => {
      const params = (await fixture.params?.(tenant)) ?? {};
      const body = await fixture.body?.(tenant);
      const get = (caller: { headers: Record<string, string> }, of = params) =>
        ask(house.url, { method, path: fillPath(path, of), caller, headers, body });
      const refused = await get(beside);
      assert.equal(refused.status, 404, refused.message);
      const none = Object.fromEntries(
        Object.entries(params).map(([name, id]) => [name, `${id.slice(0, -3)}zzz`]),
      );
      const neutral = (text: string) => text.replace(/\b[a-z]+_\w+/g, "ID");
      assert.equal(neutral(refused.message), neutral((await get(beside, none)).message));
      // It is there, and nothing was done to it.
      const own = await get(home);
      assert.equal(own.status, fixture.status ?? 200, own.message);
    });

  if (isList(route) && fixture.items !== undefined)
    test(`[KEY13] ${method} ${path}: the list of another workspace shows none of it`, async () => {
      const params = (await fixture.params?.(tenant)) ?? {};
      await fixture.items?.(tenant);
      const query = fixture.query === undefined ? "" : `?${fixture.query}`;
      const get = (caller: { headers: Record<string, string> }) =>
        ask(house.url, { method, path: `${fillPath(path, params)}${query}`, caller, headers });
      const own = (await get(home)).body as { data: unknown[] };
      assert.ok(own.data.length >= 2);
      const { status, body } = await get(beside);
      if (status === 404) return;
      assert.deepEqual((body as { data: unknown[] }).data, []);
    });
}

test("[KEY13] a body that names what belongs to another workspace finds nothing", async () => {
  const form = new FormData();
  form.append("file", new Blob(["a word"]), "notes.txt");
  const file = (await tenant.console("POST", "/v1/files", form)) as { id: string };
  const document = { type: "document", source: { type: "file", file_id: file.id } };
  const body = {
    model: "sim-small",
    max_tokens: 8,
    messages: [{ role: "user", content: [document, { type: "text", text: "[[tokens 1]]" }] }],
  };
  const send = (caller: { headers: Record<string, string> }) =>
    ask(house.url, { method: "POST", path: "/v1/messages", caller, body });
  assert.equal((await send(home)).status, 200);
  const refused = await send(beside);
  assert.equal(refused.status, 404, refused.message);
  assert.ok(refused.message.includes(file.id));
});
