// Rules SCM10 to SCM20, SCM32 and SCM33, over HTTP: who comes in, how errors look, and what is kept of requests.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/scim/limits.ts";
import { openHouse, type House } from "../house.ts";
import {
  controlled,
  openProvider,
  patchOf,
  providerOf,
  refused,
  type Provider,
} from "./scim-house.ts";
import { eventsOf, nearly, until } from "./support.ts";

let house: House;
let provider: Provider;
before(async () => {
  house = await openHouse();
  provider = await providerOf(house);
});
after(() => house[Symbol.asyncDispose]());

test("[SCM10] every other credential, a damaged one and none answer 401", async () => {
  const { api_key, admin_api_key, oauth_access_token, cookie } = provider.tenant;
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const strangers: Record<string, string>[] = [
    {},
    { cookie, origin: house.url },
    { "x-api-key": provider.token },
    bearer(api_key),
    bearer(admin_api_key),
    bearer(oauth_access_token),
    bearer(nearly(provider.token)),
    bearer("sk-plinth-scim-nobody"),
    { authorization: `Basic ${provider.token}` },
  ];
  for (const headers of strangers)
    for (const path of ["/Users", "/ServiceProviderConfig"])
      refused(await house.ask("GET", `/scim/v2${path}`, { headers }), 401);
});

test("[SCM11] a token of SCIM opens nothing else", async () => {
  for (const path of ["/v1/organizations/me", "/v1/models", "/console/api/me"])
    for (const headers of [
      { "x-api-key": provider.token },
      { authorization: `Bearer ${provider.token}` },
    ])
      assert.equal((await house.ask("GET", path, { headers })).status, 401, path);
});

test("[SCM12] a secret is shown once; two live side by side, and a third is refused", async () => {
  const { console, tenant } = await providerOf(house, "platform");
  const second = await console("POST", "scim/tokens", { name: "second" });
  assert.match(second.body.secret, /^sk-plinth-scim-\w{49}$/);
  assert.match(
    (await console("POST", "scim/tokens", { name: "third" })).body.error.message,
    /There are 2 tokens already/,
  );
  const { body } = await console("GET", "scim/tokens");
  assert.equal(body.data.length, 2);
  assert.equal(JSON.stringify(body).includes(second.body.secret), false);
  const stored = await house.world.db.query<{ row: string }>({
    text: "select to_jsonb(t)::text as row from scim_tokens t where organization_id = $1",
    values: [tenant.organization_id],
  });
  assert.equal(stored.length, 2);
  for (const { row } of stored) assert.equal(row.includes(second.body.secret), false);
});

test("[SCM12] of many that are made at once two are", async () => {
  const { console, tokenId } = await providerOf(house, "platform");
  await console("DELETE", `scim/tokens/${tokenId}`);
  const asked = Array.from({ length: 6 }, (_, at) =>
    console("POST", "scim/tokens", { name: `token ${at}` }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 400, 400, 400, 400],
  );
});

test("[SCM13] a revoked token is dead on every process within a second", async () => {
  const { console, scim, token, tokenId } = await providerOf(house);
  await using neighbour = await house.openSecondServer();
  const there = () =>
    fetch(`${neighbour.url}/scim/v2/Users`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal((await scim("GET", "/Users")).status, 200);
  assert.equal((await there()).status, 200);
  assert.equal((await console("DELETE", `scim/tokens/${tokenId}`)).status, 200);
  refused(await scim("GET", "/Users"), 401);
  await until(async () => (await there()).status === 401, "the neighbour to know", 1_000);
});

test("[SCM14] what belongs to another organization is absent", async () => {
  const other = await providerOf(house);
  const { id } = await other.user("absent");
  const group = await other.group("Absent");
  for (const [noun, path] of [
    ["user", `/Users/${id}`],
    ["group", `/Groups/${group}`],
  ] as const) {
    const change = patchOf({ op: "replace", path: "displayName", value: "Stolen" });
    assert.match(
      refused(await provider.scim("GET", path), 404),
      new RegExp(`There is no ${noun} `),
    );
    refused(await provider.scim("PATCH", path, change), 404);
    refused(await provider.scim("PUT", path, { userName: "s@x.example", displayName: "S" }), 404);
    refused(await provider.scim("DELETE", path), 404);
  }
  const filter = encodeURIComponent(`userName eq "absent@people.example" or id eq "${id}"`);
  assert.equal((await provider.scim("GET", `/Users?filter=${filter}`)).body.totalResults, 0);
  const mine = await provider.group("Mine");
  const add = patchOf({ op: "add", path: "members", value: [{ value: id }] });
  refused(await provider.scim("PATCH", `/Groups/${mine}`, add), 400, "invalidValue");
  assert.equal(await other.isMember("absent@people.example"), true);
});

test("[SCM15] reading works at once; writing waits for the owner's switch, groups for their own", async () => {
  const { scim, console } = await providerOf(house, "enterprise", { name: "Okta" });
  assert.equal((await scim("GET", "/Users")).body.totalResults, 1);
  const user = { userName: "late@people.example" };
  assert.match(refused(await scim("POST", "/Users", user), 403), /SCIM is not switched on/);
  await console("POST", "identity_provider", { provisioning: "scim" });
  assert.equal((await scim("POST", "/Users", user)).status, 201);
  const group = { displayName: "Late" };
  assert.match(refused(await scim("POST", "/Groups", group), 403), /Groups by SCIM are not/);
  await console("POST", "identity_provider", { controls_groups: true });
  assert.equal((await scim("POST", "/Groups", group)).status, 201);
});

test("[SCM15] organizations without groups have none by SCIM either", async () => {
  const { scim } = await openProvider(house, house.organizations.other);
  refused(await scim("GET", "/Groups"), 404);
  const types = (await scim("GET", "/ResourceTypes")).body.Resources as { id: string }[];
  assert.deepEqual(
    types.map(({ id }) => id),
    ["User"],
  );
});

test("[SCM19] what is too much at once is refused by name", async () => {
  const id = await provider.group("Too much");
  const path = `/Groups/${id}`;
  const one = { op: "replace", path: "displayName", value: "x" };
  const many = Array.from({ length: limits.operationsMax + 1 }, () => one);
  assert.match(
    refused(await provider.scim("PATCH", path, patchOf(...many)), 400, "tooMany"),
    /^Operations: are 1001/,
  );
  const value = Array.from({ length: limits.membersPerRequestMax + 1 }, (_, at) => ({
    value: `u${at}`,
  }));
  const members = patchOf({ op: "add", path: "members", value });
  assert.match(refused(await provider.scim("PATCH", path, members), 400, "tooMany"), /^members: /);
  const large = { displayName: "x".repeat(limits.bodyBytesMax) };
  refused(await provider.scim("POST", "/Groups", large), 413);
});

test("[SCM20] bad JSON, another content type and unknown paths have SCIM's own errors", async () => {
  const { scim } = provider;
  assert.match(
    refused(await scim("POST", "/Users", '{"userName":'), 400, "invalidSyntax"),
    /^The body is not JSON/,
  );
  refused(await scim("POST", "/Users", "[]"), 400, "invalidSyntax");
  assert.match(
    refused(
      await scim("POST", "/Users", '{"userName":"a@b.cd","user\\u004eame":"e@f.gh"}'),
      400,
      "invalidValue",
    ),
    /^userName: is given twice/,
  );
  refused(await scim("POST", "/Users"), 400, "invalidSyntax");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  refused(await scim("POST", "/Users", "a=b", form), 415);
  for (const type of ["application/json", "application/scim+json; charset=utf-8"]) {
    const userName = `${type.length}@types.example`;
    assert.equal(
      (await scim("POST", "/Users", { userName }, { "content-type": type })).status,
      201,
    );
  }
  refused(await scim("GET", "/Nothing"), 404);
  refused(await scim("PATCH", "/Users"), 405);
  refused(await scim("GET", "/Users?startIndex=first"), 400, "invalidValue");
  assert.equal((await scim("GET", "/Users?count=0&aadOptscim062020=")).status, 200);
});

test("[SCM20] the server says what it can do, and what its resources look like", async () => {
  const { scim } = provider;
  const { body: types } = await scim("GET", "/ResourceTypes");
  for (const { id, schema } of types.Resources as { id: string; schema: string }[]) {
    assert.equal((await scim("GET", `/ResourceTypes/${id}`)).body.schema, schema);
    assert.equal((await scim("GET", `/Schemas/${schema}`)).body.id, schema);
  }
  assert.deepEqual(
    (await scim("GET", "/Schemas")).body.Resources.map(({ name }: { name: string }) => name),
    ["User", "EnterpriseUser", "Group"],
  );
  refused(await scim("GET", "/Schemas/urn:nothing"), 404);
});

test("[SCM32] the last requests are kept with what went wrong, for the console", async () => {
  const { scim, console } = await providerOf(house);
  await scim("POST", "/Users", { userName: "not an address" });
  await scim("GET", "/Users");
  const kept = await until(async () => {
    const { body } = await console("GET", "scim/requests");
    return body.data.length === 2 && (body.data as Record<string, unknown>[]);
  }, "two requests");
  assert.deepEqual(
    kept.map(({ method, path, status }) => [method, path, status]),
    [
      ["GET", "/scim/v2/Users", 200],
      ["POST", "/scim/v2/Users", 400],
    ],
  );
  assert.match(String(kept[1]?.["problem"]), /^emails: is missing/);
  const { body } = await console("GET", "scim/tokens");
  assert.ok(body.data[0].last_used_at);
  for (let at = 0; at < limits.requestsKept; at += 1) await scim("GET", "/Schemas");
  await until(async () => {
    const { body } = await console("GET", "scim/requests");
    const paths = (body.data as { path: string }[]).map(({ path }) => path);
    return paths.length === limits.requestsKept && paths.every((path) => path.endsWith("/Schemas"));
  }, "the old ones to go");
});

test("[SCM33] each change leaves its event in the provider's name; what changes nothing leaves none", async () => {
  const { scim, tenant, user } = await providerOf(house, "platform");
  const { id } = await user("event");
  const change = patchOf({ op: "replace", path: "title", value: "Engineer" });
  await scim("PATCH", `/Users/${id}`, change);
  await scim("PATCH", `/Users/${id}`, change);
  const { body } = await scim("GET", `/Users/${id}`);
  await scim("PUT", `/Users/${id}`, { ...body, nickName: "Eve" });
  await scim("PUT", `/Users/${id}`, { ...body, nickName: "Eve" });
  const off = patchOf({ op: "replace", path: "active", value: false });
  await scim("PATCH", `/Users/${id}`, off);
  await scim("PATCH", `/Users/${id}`, off);
  await scim("DELETE", `/Users/${id}`);
  const events = (await eventsOf(house, tenant, 20)).filter(
    ({ actor }) => actor.type === "identity_provider",
  );
  assert.deepEqual(events.map(({ action }) => action).toReversed(), [
    "user.created",
    "scim_user.created",
    "scim_user.updated",
    "scim_user.updated",
    "user.removed",
    "scim_user.deactivated",
    "scim_user.deleted",
  ]);
  for (const { actor } of events) assert.equal(actor.name, controlled.name);
});
