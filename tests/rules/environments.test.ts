// Rules ENV1 to ENV12, over HTTP: environments themselves.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ManualClock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { routes } from "../../server/app.ts";
import { limits } from "../../server/environments/limits.ts";
import { openHouse, type House } from "../house.ts";
import { environmentsOf, environmentsPath, managedAgents } from "./environments-house.ts";
import { addWorkspace, errorOf } from "./memory-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";

const wall: ManualClock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
let house: House;
before(async () => {
  house = await openHouse({ clock: { ...systemClock, now: () => wall.now() } });
});
after(() => house[Symbol.asyncDispose]());
const env = environmentsOf(() => house);

const create = (body: unknown) => env.call("POST", "", { body });
const change = (id: string, body: unknown) => env.call("POST", `/${id}`, { body });
const named = (more: object) => ({ name: "tools", ...more });
const cloud = (more: object) => named({ config: { type: "cloud", ...more } });
const fill = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, "value"]));
const noPackages = { type: "packages", apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] };
const openCloud = { type: "cloud", networking: { type: "unrestricted" }, packages: noPackages };
const now = () => wall.now().toISOString();

test("[ENV1] a new environment is as it was asked for, and read so again", async () => {
  const plain = await env.make();
  assert.match(plain.id, /^env_\w+$/);
  assert.deepEqual(plain, {
    id: plain.id,
    type: "environment",
    name: "tools",
    description: null,
    config: openCloud,
    metadata: {},
    scope: "organization",
    created_at: now(),
    updated_at: now(),
    archived_at: null,
  });
  assert.deepEqual(await env.read(plain.id), plain);
  const nulls = { description: null, config: null, metadata: null, scope: null };
  const { id, ...empty } = await env.make(nulls);
  assert.deepEqual({ ...empty, id: plain.id }, plain);
  assert.notEqual(id, plain.id);
  const hosted = await env.makeHosted();
  assert.deepEqual(hosted.config, { type: "self_hosted" });
  const told = await env.make({ description: "", scope: "organization" });
  assert.deepEqual([told.description, told.scope], ["", "organization"]);
  const longest = { name: "😀".repeat(255), description: "é".repeat(1_024) };
  const long = await env.make(longest);
  assert.deepEqual([long.name, long.description], [longest.name, longest.description]);
});

test("[ENV1] what does not fit an environment is named", async () => {
  const wrong: [body: object, sentence: RegExp][] = [
    [{}, /^name: /],
    [{ name: "" }, /^name: /],
    [{ name: " " }, /^name: must have a character that can be seen/],
    [{ name: "a".repeat(256) }, /^name: must have at most 255 characters/],
    [{ name: "a\nb" }, /^name: /],
    [named({ description: "d".repeat(1_025) }), /^description: .*1024 characters/],
    [named({ scope: "account" }), /^scope: must be organization/],
    [named({ scope: "all" }), /^scope: /],
    [named({ config: {} }), /^config\.type: is required/],
    [named({ config: { type: "local" } }), /^config\.type: must be/],
    [named({ config: { type: "self_hosted", packages: {} } }), /^config\.packages: /],
    [cloud({ network: {} }), /^config\.network: /],
    [named({ archived_at: null }), /^archived_at: /],
  ];
  for (const [body, sentence] of wrong) assert.match(sentenceOf(await create(body), 400), sentence);
});

test("[ENV2] an update changes what it names", async () => {
  const { id } = await env.make({ description: "one", metadata: { team: "red" } });
  wall.advance(minutes(1));
  const renamed = await env.update(id, { name: "other" });
  assert.deepEqual(
    [renamed.name, renamed.description, renamed.metadata, renamed.updated_at],
    ["other", "one", { team: "red" }, now()],
  );
  wall.advance(minutes(1));
  const same = { name: null, metadata: null, config: null, scope: null };
  for (const body of [{}, { name: "other" }, { metadata: { none: null } }, same])
    assert.deepEqual(await env.update(id, body), renamed);
  assert.equal((await env.update(id, { description: null })).description, null);
  assert.equal((await env.update(id, { description: "" })).description, "");
  errorOf(await change(id, { scope: "account" }), 400);
  errorOf(await change(id, { name: "" }), 400);
});

test("[ENV2] what was read is sent back whole, and changes nothing or what is changed in it", async () => {
  const networking = {
    type: "limited",
    allowed_hosts: ["a.example"],
    allow_package_managers: true,
  };
  const limited = cloud({ networking, packages: { pip: ["numpy"] } });
  for (const made of [await env.make(limited), await env.makeHosted()]) {
    wall.advance(minutes(1));
    assert.deepEqual(await env.update(made.id, made), made);
    const renamed = await env.update(made.id, { ...made, name: "other" });
    assert.deepEqual(renamed, { ...made, name: "other", updated_at: now() });
    const wrong: [object, RegExp][] = [
      [{ id: "env_other" }, /^id: is "env_other", and env_\w+ is being updated/],
      [{ type: "agent" }, /^type: must be "environment"/],
      [{ archived_at: made.created_at }, /^archived_at: is not set by an update/],
      [{ version: 1 }, /^version: is not known here/],
    ];
    for (const [fields, sentence] of wrong)
      assert.match(sentenceOf(await change(made.id, { name: "b", ...fields }), 400), sentence);
    assert.equal((await env.read(made.id)).name, "other");
  }
});

test("[ENV2] a clock that runs back does not turn times", async () => {
  const { id, updated_at } = await env.make();
  wall.advance(-minutes(5));
  assert.equal((await env.update(id, { name: "other" })).updated_at, updated_at);
  assert.equal((await env.archive(id)).archived_at, updated_at);
  wall.advance(minutes(5));
});

test("[ENV3] metadata changes key by key, within its limits", async () => {
  const { id, metadata } = await env.make({ metadata: { one: "1", two: "2", none: "" } });
  assert.deepEqual(metadata, { one: "1", two: "2" });
  const next = await env.update(id, { metadata: { one: null, two: "", three: "3", gone: null } });
  assert.deepEqual(next.metadata, { three: "3" });
  const most = { ...fill(15), ["😀".repeat(64)]: "😀".repeat(512) };
  const full = await env.make({ metadata: most });
  assert.deepEqual(full.metadata, most);
  const tooMany = await change(full.id, { metadata: { another: "x" } });
  assert.match(errorOf(tooMany, 400, "invalid_metadata").message, /^metadata: .*would have 17/);
  await env.update(full.id, { metadata: { another: "x", "key-0": "" } });
  const wrong: [metadata: object, sentence: RegExp][] = [
    [fill(17), /at most 16 keys; it would have 17/],
    [{ "": "x" }, /each key must have 1 to 64 characters/],
    [{ ["k".repeat(65)]: "x" }, /each key must have 1 to 64 characters/],
    [{ key: "v".repeat(513) }, /^metadata\.key: must have at most 512 characters/],
    [{ "": "x", key: "v".repeat(513) }, /each key must .*; metadata\.key: must have at most 512/],
  ];
  for (const [metadata, sentence] of wrong) {
    const { message } = errorOf(await create(named({ metadata })), 400, "invalid_metadata");
    assert.match(message, sentence);
  }
  assert.match(sentenceOf(await create(named({ metadata: { a: null } })), 400), /^metadata\.a: /);
});

test("[ENV6] an archived environment takes no changes, and all the rest", async () => {
  const { id } = await env.makeHosted();
  const key = await env.makeKey(id);
  wall.advance(minutes(1));
  const archived = await env.archive(id);
  assert.deepEqual([archived.archived_at, archived.updated_at], [now(), now()]);
  wall.advance(minutes(1));
  assert.deepEqual(await env.archive(id), archived, "a second time");
  for (const answer of [
    await change(id, { name: "b" }),
    await change(id, {}),
    await env.call("POST", `/${id}/keys`, { body: {} }),
  ])
    assert.match(errorOf(answer, 400, "environment_archived").message, new RegExp(id));
  assert.deepEqual(await env.read(id), archived);
  const revoked = await env.good<{ revoked_at: string }>("POST", `/${id}/keys/${key.id}/revoke`);
  assert.equal(revoked.revoked_at, now());
  await env.good("DELETE", `/${id}`);
});

test("[ENV7] a deleted environment is gone at once, with its keys", async () => {
  const { id } = await env.makeHosted();
  const key = await env.makeKey(id);
  assert.deepEqual(await env.good("DELETE", `/${id}`), { id, type: "environment_deleted" });
  for (const [method, path] of [
    ["GET", ""],
    ["POST", ""],
    ["POST", "/archive"],
    ["DELETE", ""],
    ["GET", "/keys"],
    ["POST", "/keys"],
    ["POST", `/keys/${key.id}/revoke`],
  ] as const)
    errorOf(await env.call(method, `/${id}${path}`, method === "POST" ? { body: {} } : {}), 404);
  const rows = await house.world.db.query(sql`select from environment_keys where id = ${key.id}`);
  assert.equal(rows.length, 0);
});

test("[ENV8] environments are listed newest first, archived ones only for who asks", async () => {
  const key = house.organizations.other.api_key;
  const made: string[] = [];
  for (let at = 0; at < 4; at++) made.unshift((await env.make({}, { key })).id);
  await env.good("POST", `/${made[1]}/archive`, { key });
  const ids = async (query: object) =>
    (await env.all("", { limit: 1, ...query }, { key })).map(({ id }) => id);
  assert.deepEqual(await ids({}), [made[0], made[2], made[3]]);
  assert.deepEqual(await ids({ include_archived: true }), made);
  const { body } = await env.call("GET", "?limit=1", { key });
  errorOf(await env.call("GET", `?page=${encodeURIComponent(body.next_page)}`), 400);
});

test("[ENV9] a workspace has at most as many as it may", async () => {
  const { organization_id, workspace_id, api_key: key } = house.organizations.enterprise;
  const { environmentsPerWorkspace: most } = limits;
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into environments (id, organization_id, workspace_id, name, config, metadata,
        created_at, updated_at)
      select 'env_' || n, ${organization_id}, ${workspace_id}, 'n', ${JSON.stringify(openCloud)},
        '{}', now(), now()
      from generate_series(1, ${most - 1}) as n`),
  );
  const answers = await Promise.all(
    [1, 2, 3].map(() => env.call("POST", "", { key, body: { name: "last" } })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 2);
  for (const answer of refused) errorOf(answer, 400, "environment_limit_exceeded");
  await env.good("DELETE", "/env_1", { key });
  await env.make({}, { key });
});

test("[ENV10] each route wants the beta", async () => {
  const ours = routes.filter(({ path }) => path.startsWith(environmentsPath));
  assert.ok(ours.length >= 9, `only ${ours.length} routes were found`);
  const { api_key: key } = house.organizations.platform;
  for (const { method, path, body, operation } of ours) {
    const knock = (headers: Record<string, string>) =>
      house.ask(method, path.replaceAll(/\{\w+\}/g, "none"), {
        key,
        headers,
        ...(body !== undefined && {
          body: operation.startsWith("environments.work.") ? {} : { name: "a" },
        }),
      });
    for (const headers of [{}, { "vendor-beta": "agent-memory-2026-07-22" }])
      assert.match(sentenceOf(await knock(headers), 400), /in beta/);
    for (const headers of [managedAgents, { "anthropic-beta": "a-1, managed-agents-2026-04-01" }])
      assert.notEqual((await knock(headers)).status, 400, `${method} ${path}`);
  }
});

test("[ENV11] an environment of another workspace does not exist", async () => {
  const { platform } = house.organizations;
  const { id } = await env.makeHosted();
  const key = await env.makeKey(id);
  const elsewhere = await addWorkspace(house, platform.organization_id, "wrkspc_elsewhere");
  const strangers = [
    { key: house.organizations.other.api_key },
    { cookie: platform.cookie, ...elsewhere },
  ];
  for (const stranger of strangers)
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["POST", "/archive"],
      ["DELETE", ""],
      ["GET", "/keys"],
      ["POST", "/keys"],
      ["POST", `/keys/${key.id}/revoke`],
    ] as const) {
      const asking = method === "POST" ? { ...stranger, body: {} } : stranger;
      const { message } = errorOf(await env.call(method, `/${id}${path}`, asking), 404);
      assert.equal(message, `There is no environment ${id}.`);
    }
  for (const stranger of strangers)
    assert.ok((await env.all("", {}, stranger)).every((each) => each.id !== id));
  const other = await env.makeHosted();
  errorOf(await env.call("POST", `/${other.id}/keys/${key.id}/revoke`), 404);
  assert.equal((await env.read(id, { cookie: platform.cookie })).id, id);
});

test("[ENV12] changes leave an event each, and what changes nothing leaves none", async () => {
  const { platform } = house.organizations;
  const { id } = await env.makeHosted();
  const key = await env.makeKey(id, { name: "Worker" });
  await env.update(id, { name: "other" });
  await env.update(id, { name: "other" });
  for (const _ of [1, 2]) await env.good("POST", `/${id}/keys/${key.id}/revoke`);
  await env.archive(id);
  await env.archive(id);
  await env.good("DELETE", `/${id}`);
  const events = await eventsOf(house, platform, 6);
  assert.deepEqual(
    events.map(({ action, target }) => [action, (target as { id: string }).id]),
    [
      ["environment.deleted", id],
      ["environment.archived", id],
      ["environment_key.revoked", key.id],
      ["environment.updated", id],
      ["environment_key.created", key.id],
      ["environment.created", id],
    ],
  );
});
