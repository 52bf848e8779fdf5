// Rules KEY14 to KEY16, over HTTP: how many keys, and whose they are to make and to see.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import type { Role } from "../../server/identity/module.ts";
import { limits } from "../../server/keys/limits.ts";
import { removeUser } from "../../server/members/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { groupsOf } from "./groups-house.ts";
import { askAt, makeKey, me, minutes, sentenceOf, setStatus } from "./support.ts";
import { makePerson, workspacesOf } from "./workspaces-house.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  ({ platform, enterprise, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const create = (tenant: Pick<Tenant, "cookie">, body: object = {}) =>
  house.ask("POST", "/console/api/keys", {
    cookie: tenant.cookie,
    body: { name: "One more", kind: "api", ...body },
  });
const codes = (answers: Answer[]) =>
  answers.map(({ status, body }) => (status === 200 ? 200 : body.error.details?.error_code));
const count = <T>(values: T[], wanted: T) => values.filter((value) => value === wanted).length;

/** Keys that nobody knows the secret of. */
const fill = (tenant: Tenant, workspaceId: string, rows: number, more = sql`null`) =>
  house.world.db.tx((tx) =>
    tx.query(sql`
      insert into keys (id, organization_id, workspace_id, kind, name, secret_sha256, hint, scopes,
                        status, created_at, expires_at)
      select ${`apikey_${workspaceId}_`} || n, ${tenant.organization_id}, ${workspaceId}, 'api', 'Many',
             sha256((${workspaceId} || n)::bytea), 'hint', '{}', 'active', now(), ${more}
      from generate_series(1, ${rows}::int) as n`),
  );
const active = async (tenant: Tenant, workspaceId: string | null) => {
  const [row] = await house.world.db.query<{ count: number }>(sql`
    select count(*)::int as count from keys
    where organization_id = ${tenant.organization_id} and status = 'active'
      and kind in ('api', 'admin')
      and (${workspaceId}::text is null or workspace_id = ${workspaceId})
      and (expires_at is null or expires_at > ${clock.now()})`);
  return row?.count ?? 0;
};

test("[KEY14] a workspace has no more active keys than it may: new ones and woken ones together", async () => {
  const w = workspacesOf(house);
  const workspace_id = await w.make(platform);
  const asleep: string[] = [];
  for (let made = 0; made < 4; made++) {
    const { id } = await makeKey(house, platform, { kind: "api", workspace_id });
    await setStatus(house, platform, id, "inactive");
    asleep.push(id);
  }
  await fill(platform, workspace_id, limits.keysPerWorkspaceMax - 3);
  const answers = await Promise.all([
    ...asleep.map((id) => setStatus(house, platform, id, "active")),
    ...[1, 2, 3, 4].map(() => create(platform, { workspace_id })),
  ]);
  assert.equal(count(codes(answers), 200), 3);
  assert.equal(count(codes(answers), "workspace_api_key_limit_exceeded"), 5);
  assert.equal(await active(platform, workspace_id), limits.keysPerWorkspaceMax);
  const late = await create(platform, { workspace_id });
  assert.match(sentenceOf(late, 400), /has 5000 active keys, the most .* Deactivate or archive/);
  assert.equal((await create(platform)).status, 200, "another workspace has room");
  assert.equal((await create(platform, { kind: "admin" })).status, 200);
  await setStatus(house, platform, `apikey_${workspace_id}_1`, "inactive");
  assert.equal((await create(platform, { workspace_id })).status, 200);
});

test("[KEY14] an organization has no more either; what is archived or expired does not count", async () => {
  const w = workspacesOf(house);
  const half = limits.keysPerOrganizationMax / 2;
  const places = [await w.make(other), await w.make(other), await w.make(other)];
  const past = new Date(clock.now().getTime() - 1);
  await fill(other, places[0] ?? "", half);
  await fill(other, places[1] ?? "", half - 8);
  await fill(other, places[2] ?? "", 20, sql`${past}::timestamptz`);
  const room = limits.keysPerOrganizationMax - (await active(other, null));
  assert.ok(room > 0 && room < 9, String(room));
  const answers = await Promise.all(
    Array.from({ length: room + 4 }, (_, at) =>
      create(other, at % 2 === 0 ? {} : { kind: "admin" }),
    ),
  );
  assert.equal(count(codes(answers), 200), room);
  assert.equal(count(codes(answers), "org_api_key_limit_exceeded"), 4);
  const archived = await w.inConsole(other, "POST", `/${places[1]}/archive`);
  assert.equal(archived.status, 200);
  assert.equal((await create(other)).status, 200);
});

test("[KEY14] an expired key is not woken, awake or asleep", async () => {
  await using neighbour = await house.openSecondServer();
  const expires_at = new Date(clock.now().getTime() + minutes(1)).toISOString();
  const awake = await makeKey(house, platform, { expires_at });
  const asleep = await makeKey(house, platform, { expires_at });
  await setStatus(house, platform, asleep.id, "inactive");
  assert.equal((await askAt(neighbour.url, "GET", me, { key: awake.secret })).status, 200);
  clock.advance(minutes(1));
  for (const { id } of [awake, asleep])
    assert.match(sentenceOf(await setStatus(house, platform, id, "active"), 400), /has expired/);
  assert.equal((await askAt(neighbour.url, "GET", me, { key: awake.secret })).status, 401);
  assert.equal((await setStatus(house, platform, awake.id, "archived")).status, 200);
});

test("[KEY15] admin keys are made by those who administer, and live on", async () => {
  const make = async (role: Role) => {
    const person = await makePerson(house, platform, role);
    return { person, answer: await create(person, { kind: "admin" }) };
  };
  for (const role of ["admin", "owner"] as const) {
    const { person, answer } = await make(role);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { secret } = answer.body as { secret: string };
    await house.world.db.tx((tx) =>
      removeUser(tx, house.world, operator, platform.organization_id, person.id),
    );
    assert.equal((await house.ask("GET", me, { key: secret })).status, 200);
  }
  for (const role of ["developer", "billing", "user"] as const)
    assert.match(sentenceOf((await make(role)).answer, 403), /^kind: admin keys are made by admin/);
});

test("[KEY15] in an enterprise organization the primary owner alone makes them", async () => {
  const scoped = { kind: "admin", scopes: ["read:members"] };
  const owner = await makePerson(house, enterprise, "owner");
  assert.match(sentenceOf(await create(owner, scoped), 403), /the primary owner alone/);
  assert.equal((await create(enterprise, scoped)).status, 200);
  const { id } = await makeKey(house, enterprise);
  assert.equal((await setStatus(house, { ...enterprise, ...owner }, id, "inactive")).status, 200);
});

test("[KEY16] lists are those of somebody, of a workspace, of a status", async () => {
  const w = workspacesOf(house);
  const workspace_id = await w.make(platform);
  const person = await makePerson(house, platform, "admin");
  const made = await create(person, { workspace_id });
  const theirs = await makeKey(house, platform, { kind: "api", workspace_id });
  await setStatus(house, platform, theirs.id, "inactive");
  const list = async (query: string) => {
    const { cookie, admin_api_key: key } = platform;
    const path = `?limit=100&workspace_id=${workspace_id}&${query}`;
    const over = await house.ask("GET", `/v1/organizations/api_keys${path}`, { key });
    const inside = await house.ask("GET", `/console/api/keys${path}`, { cookie });
    const [ids, same] = [over, inside].map(({ body }) =>
      (body.data as { id: string }[]).map(({ id }) => id),
    );
    assert.deepEqual(ids, same);
    return ids;
  };
  const mine = made.body.id as string;
  assert.deepEqual(await list(""), [theirs.id, mine]);
  assert.deepEqual(await list(`created_by_user_id=${person.id}`), [mine]);
  assert.deepEqual(await list("status=inactive"), [theirs.id]);
  assert.deepEqual(await list("status=expired"), []);
});

test("[KEY16] who has no role with keys is refused, whatever they ask", async () => {
  const { cookie } = await makePerson(house, platform);
  const { id } = await makeKey(house, platform, { kind: "api" });
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "", { name: "Mine", kind: "api" }],
    ["POST", `/${id}`, { status: "archived" }],
    ["POST", "/apikey_none", { status: "archived" }],
  ] as const) {
    const answer = await house.ask(method, `/console/api/keys${path}`, { cookie, body });
    assert.match(sentenceOf(answer, 403), /^Keys are managed by/);
  }
});

test("[KEY16] a custom role of an enterprise organization reaches all keys, to read or to change", async () => {
  const place = await workspacesOf(house).make(enterprise);
  const { id } = await makeKey(house, enterprise, { kind: "api", workspace_id: place });
  const may = async (...actions: string[]) => {
    const { cookie } = await groupsOf(house).managed(enterprise, actions);
    const list = await house.ask("GET", "/console/api/keys?limit=100", { cookie });
    const body = { name: "Renamed" };
    const change = await house.ask("POST", `/console/api/keys/${id}`, { cookie, body });
    const make = await create({ cookie }, { workspace_id: place });
    const seen = list.status === 200 && JSON.stringify(list.body).includes(id);
    return [seen, change.status, make.status];
  };
  const everything = ["capability_access_all", "model_access_all"];
  assert.deepEqual(await may("permission_api_keys_write", ...everything), [true, 200, 200]);
  // What they have not themselves they give to no key.
  assert.deepEqual(await may("permission_api_keys_write"), [true, 200, 403]);
  assert.deepEqual(await may("permission_api_keys_read"), [true, 403, 403]);
  assert.deepEqual(await may("permission_workspaces_write"), [false, 403, 403]);
});
