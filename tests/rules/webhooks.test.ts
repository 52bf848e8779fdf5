// Rules WHK1 to WHK5 and WHK14, over HTTP: webhook endpoints, their addresses and their secrets.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addSignedIn } from "./members-house.ts";
import { eventsOf, makeKey, sentenceOf } from "./support.ts";
import { allText } from "./text.ts";
import { beta, failed, recovered, webhooksOf } from "./webhooks-house.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const hooks = webhooksOf(() => house);
const url = "https://hooks.example/take";
const path = "/v1/organizations/webhooks";

test("[WHK1] an endpoint is made with what was sent, and with nothing in place of the rest", async () => {
  const { signing_secret, ...made } = await hooks.make(platform, url);
  assert.match(made.id, /^whep_[0-9a-z]{26}$/);
  assert.equal(made["created_at"], made["updated_at"]);
  const { id, created_at, updated_at } = made;
  assert.deepEqual(made, {
    id,
    created_at,
    updated_at,
    url,
    name: "",
    description: "",
    disabled_reason: "",
    enabled_events: [failed],
    state: "enabled",
  });
  assert.match(signing_secret, /^whsec_/);
  assert.deepEqual((await hooks.call(platform, "GET", `/${id}`)).body, made);
  const more = {
    name: " Ops ",
    description: "For\nthe pager.",
    enabled_events: [recovered, failed],
  };
  const named = await hooks.make(platform, url, {
    ...more,
    enabled_events: [recovered, failed, failed],
  });
  assert.deepEqual([named["name"], named["description"]], ["Ops", "For\nthe pager."]);
  assert.deepEqual(named["enabled_events"], [failed, recovered]);
});

test("[WHK1] an organization has 32 endpoints, also when the last are made at once", async () => {
  const tenant = enterprise;
  for (let made = 0; made < 30; made++) await hooks.make(tenant, url);
  const body = { url, enabled_events: [failed] };
  await using neighbour = await house.openSecondServer();
  const asked = [0, 1, 2, 3, 4, 5].map((index) =>
    fetch((index % 2 === 0 ? house.url : neighbour.url) + path, {
      method: "POST",
      headers: {
        ...beta,
        cookie: tenant.cookie,
        origin: index % 2 === 0 ? house.url : neighbour.url,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 400, 400, 400, 400],
  );
  const { cookie } = tenant;
  const answer = await house.ask("POST", path, { cookie, headers: beta, body });
  assert.match(sentenceOf(answer, 400), /has 32 webhook endpoints, the most there may be/);
  const listed = await house.ask("GET", `${path}?limit=1000`, { cookie, headers: beta });
  const [{ id }] = listed.body.data;
  assert.equal(listed.body.data.length, 32);
  // One that is disabled counts; one that is deleted does not.
  const off = { cookie, headers: beta, body: { state: "disabled" } };
  assert.equal((await house.ask("POST", `${path}/${id}`, off)).status, 200);
  assert.equal((await house.ask("POST", path, { cookie, headers: beta, body })).status, 400);
  assert.equal((await house.ask("DELETE", `${path}/${id}`, { cookie, headers: beta })).status, 200);
  assert.equal((await house.ask("POST", path, { cookie, headers: beta, body })).status, 200);
});

test("[WHK1] [WHK2] what cannot be kept is refused with the field's name", async () => {
  const bad: [Record<string, unknown>, RegExp][] = [
    [{ enabled_events: [] }, /^enabled_events: /],
    [{ enabled_events: ["session.created"] }, /^enabled_events/],
    [{ name: "two\nlines" }, /^name: /],
    [{ name: "x".repeat(101) }, /^name: /],
    [{ description: "x".repeat(1001) }, /^description: /],
    [{ url: "hooks.example" }, /^url: must be an address/],
    [{ url: "ftp://hooks.example" }, /^url: must begin with https/],
    [{ url: "http://hooks.example" }, /^url: must begin with https/],
    [
      { url: "https://user:hunter2@hooks.example" },
      /^url: must not hold a user name or a password/,
    ],
    [{ url: "https://127.0.0.1/take" }, /^url: leads to 127\.0\.0\.1/],
    [{ url: "https://[::1]/take" }, /^url: leads to /],
    [{ url: "https://169.254.169.254/latest" }, /^url: leads to /],
    [{ url: "https://2130706433/" }, /^url: leads to 127\.0\.0\.1/],
    [{ url: `https://hooks.example/${"x".repeat(2000)}` }, /^url: /],
  ];
  const { id } = await hooks.make(platform, url);
  for (const [change, words] of bad) {
    const body = { url, enabled_events: [failed], ...change };
    const made = sentenceOf(await hooks.call(platform, "POST", "", body), 400);
    assert.match(made, words);
    assert.ok(!made.includes("hunter2"), made);
    if (change["enabled_events"] === undefined)
      assert.match(sentenceOf(await hooks.call(platform, "POST", `/${id}`, change), 400), words);
  }
});

test("[WHK3] without the beta the routes are absent, in either dialect; elsewhere they are there", async () => {
  const { id } = await hooks.make(platform, url);
  const { admin_api_key: key, cookie } = platform;
  for (const version of ["2023-06-01", "2026-10-21"])
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", ""],
      ["GET", `/${id}`],
      ["POST", `/${id}`],
      ["POST", `/${id}/regenerate_signing_secret`],
      ["DELETE", `/${id}`],
    ] as const) {
      const headers = { "vendor-version": version };
      const answer = await house.ask(method, path + rest, { key, headers });
      assert.match(sentenceOf(answer, 404), /There is no route/);
      assert.equal(answer.body.error.type, "not_found_error");
    }
  assert.equal((await house.ask("GET", path, { cookie, headers: beta })).status, 200);
  const cloud = house.organizations.cloud.admin_api_key;
  const none = await house.ask("GET", path, { key: cloud, headers: beta });
  assert.match(JSON.stringify(none.body), /organization_type_not_supported/);
});

test("[WHK3] an endpoint of another organization is absent, and members of no office may nothing", async () => {
  const { id } = await hooks.make(platform, url);
  const there = (tenant: Tenant, rest = "") => [
    hooks.call(tenant, "GET", `/${id}${rest}`),
    hooks.call(tenant, "POST", `/${id}${rest}`, { name: "Taken" }),
    hooks.call(tenant, "POST", `/${id}/regenerate_signing_secret`),
    hooks.call(tenant, "DELETE", `/${id}${rest}`),
    house.ask("GET", `/console/api/webhooks/${id}/deliveries`, { cookie: tenant.cookie }),
    house.ask("POST", `/console/api/webhooks/${id}/test`, { cookie: tenant.cookie, body: {} }),
  ];
  for (const answer of await Promise.all(there(other)))
    assert.equal(sentenceOf(answer, 404), `There is no webhook endpoint ${id}.`);
  assert.equal((await hooks.call(other, "GET", `?after_id=${id}`)).status, 400);
  assert.equal((await hooks.call(platform, "GET", `/${id}`)).body.name, "");
  const developer = await addSignedIn(house, platform, "developer");
  for (const method of ["GET", "POST"])
    assert.equal(
      (await house.ask(method, path, { cookie: developer.cookie, headers: beta })).status,
      403,
    );
  const audits = await makeKey(house, enterprise, { scopes: ["read:org_audit"] });
  const asked = { key: audits.secret, headers: beta };
  assert.equal((await house.ask("GET", path, asked)).status, 200);
  assert.equal((await house.ask("POST", path, asked)).status, 403);
});

test("[WHK4] an update changes what was sent, and nothing is written where nothing changes", async () => {
  const { id, signing_secret: _, ...made } = await hooks.make(platform, url, { name: "Ops" });
  const update = async (body: object) => (await hooks.call(platform, "POST", `/${id}`, body)).body;
  assert.deepEqual(await update({}), { id, ...made });
  assert.deepEqual(await update({ enabled_events: [], name: "Ops" }), { id, ...made });
  const changed = await update({ enabled_events: [recovered], name: "", url: `${url}/2` });
  assert.deepEqual(
    [changed.enabled_events, changed.name, changed.url, changed.description],
    [[recovered], "", `${url}/2`, ""],
  );
  assert.ok(changed.updated_at > changed.created_at);
  const off = await update({ state: "disabled" });
  assert.deepEqual([off.state, off.disabled_reason], ["disabled", ""]);
  assert.equal((await update({ state: "enabled" })).state, "enabled");
});

for (const whose of ["organization", "workspace"] as const)
  test(`[WHK4] an endpoint of the ${whose} that was read can be sent back, with changes`, async () => {
    const its = webhooksOf(() => house, whose);
    const { id } = await its.make(platform, url, { name: "Ops", description: "On call" });
    const update = (body: object) => its.call(platform, "POST", `/${id}`, body);
    const read = async () => (await its.call(platform, "GET", `/${id}`)).body;
    const made = await read();
    const same = await update(made);
    assert.deepEqual([same.status, same.body], [200, made]);
    const { name, updated_at } = (await update({ ...made, name: "Other" })).body;
    assert.equal(name, "Other");
    assert.ok(updated_at >= made.updated_at);
    await house.world.db.query(sql`
      update webhook_endpoints set state = 'disabled', disabled_reason = 'It was silent.'
      where id = ${id}`);
    const off = await read();
    assert.equal(off.disabled_reason, "It was silent.");
    const wrong = await update({ ...off, disabled_reason: "Mine" });
    assert.match(sentenceOf(wrong, 400), /^disabled_reason: .*leave it out\.$/);
    assert.match(sentenceOf(await update({ ...off, id: "whep_1" }), 400), /^id: is "whep_1"/);
    assert.deepEqual((await update(off)).body, off);
    const on = (await update({ ...off, state: "enabled" })).body;
    assert.deepEqual([on.state, on.disabled_reason], ["enabled", ""]);
    await its.remove(platform, id);
  });

test("[WHK4] pages begin behind an endpoint, in either order", async () => {
  const tenant = other;
  const ids: string[] = [];
  for (let made = 0; made < 5; made++) ids.push((await hooks.make(tenant, url)).id);
  const list = async (query: string) => {
    const { status, body } = await hooks.call(tenant, "GET", `?${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    const { data, ...rest } = body;
    return [data.map(({ id }: { id: string }) => ids.indexOf(id)), rest.has_more];
  };
  assert.deepEqual(await list("limit=3"), [[4, 3, 2], true]);
  assert.deepEqual(await list(`limit=3&after_id=${ids[2]}`), [[1, 0], false]);
  assert.deepEqual(await list(`limit=2&before_id=${ids[1]}`), [[3, 2], true]);
  assert.deepEqual(await list("limit=3&order=asc"), [[0, 1, 2], true]);
  assert.deepEqual(await list(`limit=3&order=asc&after_id=${ids[2]}`), [[3, 4], false]);
  assert.deepEqual(await list(`limit=2&order=asc&before_id=${ids[3]}`), [[1, 2], true]);
  assert.match(
    sentenceOf(await hooks.call(tenant, "GET", "?before_id=whep_nothing"), 400),
    /^before_id: is not the id of a webhook endpoint/,
  );
});

test("[WHK5] a secret is shown by the reply that made it alone, and kept encrypted", async () => {
  const { id, signing_secret: first } = await hooks.make(platform, url);
  const renew = () => hooks.call(platform, "POST", `/${id}/regenerate_signing_secret`);
  const { body } = await renew();
  assert.deepEqual(Object.keys(body), ["signing_secret"]);
  const { signing_secret: second } = body;
  assert.notEqual(first, second);
  for (const secret of [first, second]) {
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(Buffer.from(secret.slice(6), "base64").length, 32);
  }
  const kept = (await allText(house.world.db)) + JSON.stringify(house.log);
  assert.ok(kept.includes(id));
  const replies = [
    await hooks.call(platform, "GET", `/${id}`),
    await hooks.call(platform, "GET"),
    await hooks.call(platform, "POST", `/${id}`, { name: "Seen" }),
    await hooks.call(platform, "DELETE", `/${id}`),
  ];
  for (const reply of replies) {
    assert.equal(reply.status, 200);
    assert.ok(
      !/whsec_|signing_secret/.test(JSON.stringify(reply.body)),
      JSON.stringify(reply.body),
    );
  }
  for (const secret of [first, second])
    for (const shape of [secret, secret.slice(6), encodeURIComponent(secret)])
      assert.ok(!kept.includes(shape), "a secret stands in a column or in the log");
});

test("[WHK14] every change leaves an event that names the host and not the rest of the address", async () => {
  const at = "https://hooks.example/services/T0/B0/secretpath?token=secretquery";
  const { id } = await hooks.make(platform, at, { name: "Chat" });
  const changes: [string, string, object?][] = [
    ["POST", `/${id}`, { url: `${at}2`, description: "New" }],
    ["POST", `/${id}`, { state: "disabled" }],
    ["POST", `/${id}`, { state: "enabled" }],
    ["POST", `/${id}/regenerate_signing_secret`],
    ["DELETE", `/${id}`],
  ];
  for (const [method, rest, body] of changes)
    assert.equal((await hooks.call(platform, method, rest, body)).status, 200);
  const events = (await eventsOf(house, platform)).filter(({ target }) => target?.id === id);
  assert.deepEqual(events.map(({ action }) => action).toReversed(), [
    "webhook_endpoint.created",
    "webhook_endpoint.updated",
    "webhook_endpoint.disabled",
    "webhook_endpoint.enabled",
    "webhook_endpoint.signing_secret_regenerated",
    "webhook_endpoint.deleted",
  ]);
  const words = JSON.stringify(events);
  assert.ok(words.includes("hooks.example"), words);
  assert.ok(!/secretpath|secretquery/.test(words), words);
  assert.ok(!/secretpath|secretquery/.test(JSON.stringify(house.log)));
});
