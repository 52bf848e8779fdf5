// Rules OVR1 to OVR7, over HTTP: what the overview tells, of whom, and to whom.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Clock, makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Overview } from "../../server/overview/schema.ts";
import { trafficPart, upstreamTrafficPart } from "../../server/traffic/module.ts";
import { nodeOf } from "../../server/usage/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { batchesPath, params } from "./batches-house.ts";
import { addMember, addSignedIn, ownerOf } from "./members-house.ts";
import { sessionsOf } from "./sessions-house.ts";
import { hours, me, minutes, until } from "./support.ts";

/** The wall clock is set, so that no hour ends unasked; waits and leases go on as usual. */
const wall = makeManualClock(new Date("2026-11-20T12:00:30Z"));
const clock: Clock = { ...systemClock, now: () => wall.now() };

let house: House;
let owner: string;
before(async () => {
  house = await openHouse({ clock });
  owner = await ownerOf(house, house.organizations.platform);
});
after(() => house[Symbol.asyncDispose]());

const platform = () => house.organizations.platform;
const other = () => house.organizations.other;
const path = "/v1/organizations/overview";

async function overview(as: { key: string } | { cookie: string }, query = ""): Promise<Overview> {
  await trafficPart.of(house.world).flush();
  await upstreamTrafficPart.of(house.world).flush();
  const { status, body } = await house.ask("GET", `${path}${query}`, as);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Overview;
}
const ofTenant = (tenant: Tenant, query = "") => overview({ key: tenant.admin_api_key }, query);

const message = (tenant: Tenant, model = "sim-large") =>
  house.ask("POST", "/v1/messages", {
    key: tenant.api_key,
    body: { model, max_tokens: 60, messages: [{ role: "user", content: "Hello" }] },
  });

test("[OVR1] requests and errors of this hour and of the one before, of the own organization", async () => {
  const { requests: none } = await ofTenant(other());
  assert.deepEqual(none.has_asked_a_model, false);
  await house.ask("GET", "/v1/organizations/api_keys/none", { key: other().admin_api_key });
  wall.advance(hours(1));
  await house.ask("GET", me, { key: other().admin_api_key });
  const told = await ofTenant(other());
  // The overview itself was a request, of this hour and of the one before.
  assert.deepEqual(told.requests.hour_before, { requests: 2, errors: 1 });
  assert.deepEqual(told.requests.last_hour, { requests: 1, errors: 0 });
  assert.deepEqual([told.requests.by_minute.length, told.requests.by_minute.at(-1)], [60, 1]);
  assert.equal(told.requests.has_asked_a_model, false);
  await message(other());
  await until(
    async () => (await ofTenant(other())).requests.has_asked_a_model,
    "the first question to a model",
  );
  assert.equal((await ofTenant(platform())).requests.has_asked_a_model, false);
});

test("[OVR2] limits that are reached come first, then those that are nearest to it", async () => {
  const { db, ids } = house.world;
  const { organization_id: id, workspace_id: workspace } = platform();
  const now = nodeOf(house.world).now();
  const month = now.toISOString().slice(0, 7);
  const [node] = await db.query<{ id: string }>(sql`select id from ledger_nodes limit 1`);
  assert.ok(node !== undefined);
  assert.deepEqual((await ofTenant(platform())).spend?.limits, []);
  await db.query(sql`
    insert into spend_months (organization_id, month, workspace_id, node, spent_nano)
    values (${id}, ${month}, ${workspace}, ${node.id}, 5000000000)`);
  await db.query(sql`
    insert into spend_user_days (organization_id, user_id, day, node, spent_nano)
    values (${id}, ${owner}, ${now.toISOString().slice(0, 10)}::date, ${node.id}, 1000000000)`);
  await db.query(sql`
    insert into spend_limits (organization_id, workspace_id, limit_nano)
    values (${id}, '', 50000000000), (${id}, ${workspace}, 5000000000)`);
  await db.query(sql`
    insert into user_spend_limits (organization_id, user_id, period, id, limit_nano, created_at, updated_at)
    values (${id}, ${owner}, 'daily', ${ids.next("spl_")}, 2000000000, ${now}, ${now})`);
  const { spend } = await ofTenant(platform());
  assert.deepEqual([spend?.month, spend?.spent, spend?.blocked], [month, "500", 1]);
  assert.deepEqual(
    spend?.limits.map(({ scope, period, limit, spent, is_blocked }) => [
      scope,
      period,
      limit,
      spent,
      is_blocked,
    ]),
    [
      ["workspace", "monthly", "500", "500", true],
      ["member", "daily", "200", "100", false],
      ["organization", "monthly", "5000", "500", false],
    ],
  );
  const [blocked, near] = spend?.limits ?? [];
  assert.equal(blocked?.name, "Default");
  assert.match(blocked?.resets_at ?? "", /-01T00:00:00.000Z$/);
  assert.equal(near?.id, owner);
  assert.deepEqual((await ofTenant(other())).spend?.limits, []);
  const refuse = (holder: string, key: string, nano: bigint) =>
    db.query(sql`
      insert into spend_refusals (organization_id, holder_id, period_key, limit_nano, refused_at)
      values (${id}, ${holder}, ${key}, ${String(nano)}::bigint, ${now})`);
  const blockedNow = async () =>
    (await ofTenant(platform())).spend?.limits.flatMap((each) =>
      each.is_blocked ? [each.scope] : [],
    );
  await refuse(owner, now.toISOString().slice(0, 10), 2_000_000_000n);
  assert.deepEqual(await blockedNow(), ["workspace"], "half of it is left");
  await db.query(sql`update spend_user_days set spent_nano = 1800000000 where user_id = ${owner}`);
  assert.deepEqual(await blockedNow(), ["workspace", "member"], "what is left was too little");
  await db.query(sql`update user_spend_limits set limit_nano = 1900000000`);
  assert.deepEqual(await blockedNow(), ["workspace"], "the limit that refused was another");
  const many = await Promise.all([1, 2].map(() => addMember(house, platform())));
  for (const { id: user } of many)
    for (const period of ["daily", "weekly", "monthly"])
      await db.query(sql`
        insert into user_spend_limits (organization_id, user_id, period, id, limit_nano, created_at,
          updated_at)
        values (${id}, ${user}, ${period}, ${ids.next("spl_")}, 2000000000, ${now}, ${now})`);
  const shown = (await ofTenant(platform())).spend?.limits.map(({ scope }) => scope);
  assert.deepEqual(shown?.slice(0, 3), ["workspace", "member", "organization"]);
  assert.equal(shown?.length, 5);
  await db.query(sql`delete from spend_limits where organization_id = ${id}`);
  await db.query(sql`delete from user_spend_limits where organization_id = ${id}`);
});

test("[OVR6] a member with few permissions gets no spend, no upstreams and no names", async () => {
  const { cookie } = await addSignedIn(house, platform(), "user");
  const told = await overview({ cookie });
  assert.deepEqual([told.spend, told.upstreams, told.top, told.storage], [null, null, null, null]);
  assert.equal(told.requests.by_minute.length, 60);
  const biller = await addSignedIn(house, platform(), "billing");
  const billing = await overview({ cookie: biller.cookie });
  assert.ok(billing.spend !== null && billing.top !== null && billing.storage === null);
});

test("[OVR3] models, keys and people that spent most, by name, of the day that was whole", async () => {
  await message(platform(), "sim-large");
  for (const _ of ["once", "twice"]) await message(platform(), "sim-small");
  assert.deepEqual((await ofTenant(platform())).top?.models, []);
  const { top: month } = await ofTenant(platform(), "?period=month");
  assert.deepEqual(
    month?.models.map(({ id, name }) => [id, name]),
    [
      ["sim-large", "sim-large"],
      ["sim-small", "sim-small"],
    ],
  );
  assert.ok(Number(month?.models[0]?.amount) > Number(month?.models[1]?.amount));
  wall.advance(hours(24));
  const { top } = await ofTenant(platform());
  assert.deepEqual([top?.period, top?.from], ["yesterday", "2026-11-20T00:00:00.000Z"]);
  assert.equal(top?.models[0]?.amount, month?.models[0]?.amount);
  const [key] = top?.keys ?? [];
  assert.match(key?.id ?? "", /^apikey_/);
  assert.notEqual(key?.name, key?.id);
  const [person] = top?.people ?? [];
  assert.equal(person?.id, owner);
  assert.notEqual(person?.name, person?.id);
  assert.equal((await ofTenant(platform(), "?period=week")).top?.models.length, 2);
  wall.advance(hours(24));
  assert.deepEqual((await ofTenant(platform())).top?.keys, []);
});

test("[OVR4] an upstream answers, fails, is slow or quiet, beside the hour before", async () => {
  const part = upstreamTrafficPart.of(house.world);
  const { organization_id: id } = platform();
  const count = (upstream: string, times: number, more: { firstMs?: number; outcome?: string }) => {
    const attempt = { upstream, askedMs: 0, firstMs: 250, outcome: "served", why: null, ...more };
    for (let at = 0; at < times; at++) part.count(id, [attempt]);
  };
  const failed = { outcome: "failed" };
  count("slower", 9, { firstMs: 1_400 });
  count("quiet", 1, {});
  wall.advance(hours(1));
  count("slower", 9, { firstMs: 4_900 });
  count("slow", 2, { firstMs: 14_000 });
  count("well", 17, {});
  count("well", 3, failed);
  count("failing", 12, {});
  count("failing", 3, failed);
  count("down", 1, failed);
  const { upstreams } = await ofTenant(platform());
  const known = new Set(["slower", "quiet", "slow", "well", "failing", "down"]);
  const told = (upstreams ?? []).filter(({ name }) => known.has(name));
  assert.deepEqual(
    told.map(({ name, state }) => [name, state]),
    [
      ["down", "failing"],
      ["failing", "failing"],
      ["quiet", "quiet"],
      ["slow", "slow"],
      ["slower", "slow"],
      ["well", "answering"],
    ],
  );
  const well = told.find(({ name }) => name === "well");
  assert.deepEqual([well?.last_hour.answered, well?.last_hour.failed], [17, 3]);
  assert.equal(told.find(({ name }) => name === "slower")?.hour_before.answered, 9);
  const theirs = (await ofTenant(other())).upstreams ?? [];
  assert.deepEqual(
    theirs.filter(({ name }) => known.has(name)),
    [],
  );
});

test("[OVR5] what is under way, by workspace", async () => {
  const requests = [{ custom_id: "a", params: params("[[tokens 600]] [[rate 1]]") }];
  const { body } = await house.ask("POST", batchesPath, {
    key: platform().api_key,
    body: { requests },
  });
  const { under_way: told } = await ofTenant(platform());
  assert.deepEqual(told.batches, [
    {
      workspace_id: platform().workspace_id,
      workspace_name: "Default",
      batches: 1,
      requests: 1,
      done: 0,
    },
  ]);
  assert.deepEqual((await ofTenant(other())).under_way.batches, []);
  await house.ask("POST", `${batchesPath}/${body.id}/cancel`, { key: platform().api_key });
});

test("[OVR5] what the server stopped, cannot renew or was asked for waits, in the own organization", async () => {
  const { db } = house.world;
  const { organization_id: id, workspace_id: workspace } = platform();
  const { id: session } = await sessionsOf(() => house).make();
  await db.query(sql`
    insert into session_calls (session_id, event_id, thread_id, kind, needs_confirmation, needs_result)
    values (${session}, 'sevt_1', 'thread', 'question', false, true)`);
  for (const pausedBy of ["manual", "session_limit_error"])
    await db.query(sql`
      insert into deployments (id, organization_id, workspace_id, name, agent_id, agent_version,
        environment_id, initial_events, resources, vault_ids, metadata, paused_by, credential_id,
        created_at, updated_at)
      values (${`depl_${pausedBy}`}, ${id}, ${workspace}, ${pausedBy}, 'agent', 1, 'env', '[]', '[]',
        '{}', '{}', ${pausedBy}, 'key', now(), now())`);
  await db.query(sql`
    insert into vaults (id, organization_id, workspace_id, display_name, metadata, created_at, updated_at)
    values ('vault_1', ${id}, ${workspace}, 'Tokens', '{}', now(), now())`);
  for (const [slot, since] of [
    ["well", null],
    ["failing", wall.now()],
  ] as const)
    await db.query(sql`
      insert into vault_credentials (id, organization_id, workspace_id, vault_id, display_name, auth,
        metadata, slot, refresh_failing_since, created_at, updated_at)
      values (${slot}, ${id}, ${workspace}, 'vault_1', ${slot}, '{}', '{}', ${slot},
        ${since}::timestamptz, now(), now())`);
  for (const [name, reason] of [
    ["by hand", ""],
    ["by the server", "failed"],
  ])
    await db.query(sql`
      insert into webhook_endpoints (id, organization_id, name, description, url, enabled_events,
        state, disabled_reason, signing_secret, created_at, updated_at)
      values (${`whe_${name}`}, ${id}, ${name}, '', 'https://x.example', '{}', 'disabled', ${reason},
        'x', now(), now())`);
  await db.query(sql`
    insert into spend_limit_increase_requests (id, organization_id, user_id, period, status, created_at)
    values ('slir_1', ${id}, ${owner}, 'daily', 'pending', now())`);
  const { waiting } = await ofTenant(platform());
  assert.deepEqual(
    waiting.map(({ kind, count, items }) => [kind, count, items.map((item) => item.name)]),
    [
      ["session", 1, ["Default"]],
      ["spend_request", 1, ["owner"]],
      ["deployment", 1, ["session_limit_error"]],
      ["credential", 1, ["failing"]],
      ["webhook", 1, ["by the server"]],
    ],
  );
  assert.equal(waiting.find(({ kind }) => kind === "credential")?.items[0]?.id, "vault_1");
  assert.deepEqual((await ofTenant(other())).waiting, []);
  const { cookie } = await addSignedIn(house, platform(), "user");
  const kinds = (await overview({ cookie })).waiting.map(({ kind }) => kind);
  assert.deepEqual(kinds, ["session", "deployment", "credential"]);
});

test("[OVR5] invites that end soon wait, until they are taken or gone", async () => {
  const invited = await house.ask("POST", "/v1/organizations/invites", {
    key: platform().admin_api_key,
    body: { email: "soon@example.com", role: "user" },
  });
  assert.equal(invited.status, 200, JSON.stringify(invited.body));
  const invites = async (tenant: Tenant) =>
    (await ofTenant(tenant)).waiting.find(({ kind }) => kind === "invite");
  assert.equal(await invites(platform()), undefined);
  const endsMs = Date.parse(invited.body.expires_at);
  wall.advance(endsMs - wall.now().getTime() - hours(24));
  const waiting = await invites(platform());
  assert.deepEqual([waiting?.count, waiting?.items[0]?.name], [1, "soon@example.com"]);
  assert.equal(await invites(other()), undefined);
  wall.advance(hours(24) + minutes(1));
  assert.equal(await invites(platform()), undefined);
});

test("[OVR7] files take bytes of the organization that has them", async () => {
  const { db } = house.world;
  await db.query(sql`
    insert into file_storage (organization_id, bytes, files)
    values (${platform().organization_id}, 4096, 1)
    on conflict (organization_id) do update set bytes = 4096`);
  const { storage } = await ofTenant(platform());
  assert.equal(storage?.files, 4096);
  assert.ok(storage.disk_size > 0 && storage.disk_free <= storage.disk_size);
  assert.equal((await ofTenant(other())).storage?.files, 0);
});
