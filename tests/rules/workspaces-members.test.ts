// Rules WSP9 to WSP15 and WSP17, over HTTP: what people do in workspaces, and who lets them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { operator } from "../../server/audit/module.ts";
import { removeUser } from "../../server/members/module.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/workspaces/limits.ts";
import { workspaceRoles } from "../../server/workspaces/schema.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { eventsOf, makeKey, sentenceOf } from "./support.ts";
import { makePerson, workspacesOf, type Person } from "./workspaces-house.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
let w: ReturnType<typeof workspacesOf>;
before(async () => {
  house = await openHouse();
  ({ platform, other } = house.organizations);
  w = workspacesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const send = ({ cookie }: Pick<Person, "cookie">, workspace?: string): Promise<Answer> =>
  house.ask("POST", "/v1/messages", {
    cookie,
    ...(workspace !== undefined && { headers: { "anthropic-workspace-id": workspace } }),
    body: {
      model: "sim-small",
      max_tokens: 8,
      messages: [{ role: "user", content: "[[tokens 1]]" }],
    },
  });
const account = async ({ cookie }: Pick<Person, "cookie">) => {
  const { body } = await house.ask("GET", "/console/api/me", { cookie });
  return body as {
    workspaces: { id: string; role: string | null; makes_keys: boolean }[];
    permissions: string[];
  };
};
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
const withRole = async (role: string) => {
  const id = await w.make(platform);
  const person = await makePerson(house, platform);
  await w.join(platform, id, person, role);
  return { id, person };
};

test("[WSP9] somebody who is no member works in the default workspace alone", async () => {
  const id = await w.make(platform);
  for (const role of ["user", "developer", "billing"] as const) {
    const person = await makePerson(house, platform, role);
    assert.equal((await send(person)).status, 200);
    assert.equal((await send(person, platform.workspace_id)).status, 200);
    const refused = sentenceOf(await send(person, id), 404);
    const never = sentenceOf(await send(person, "wrkspc_none"), 404);
    assert.equal(refused.replace(id, "…"), never.replace("wrkspc_none", "…"), role);
  }
});

test("[WSP9] members work there, but for those with the role workspace_billing", async () => {
  for (const role of workspaceRoles) {
    const { id, person } = await withRole(role);
    const answer = await send(person, id);
    if (role === "workspace_billing") assert.match(sentenceOf(answer, 403), /workspace_billing/);
    else assert.equal(answer.status, 200, JSON.stringify(answer.body));
  }
});

test("[WSP9] who administers the organization works everywhere, and no longer than that", async () => {
  const id = await w.make(platform);
  for (const role of ["admin", "owner"] as const) {
    const person = await makePerson(house, platform, role);
    assert.equal((await send(person, id)).status, 200, role);
    await house.world.db.tx((tx) =>
      tx.query(sql`update users set role = 'user' where id = ${person.id}`),
    );
    const again = await house.signIn({
      owner_email: person.email,
      owner_password: "a password of somebody",
    });
    assert.equal((await send({ cookie: again }, id)).status, 404, role);
  }
});

test("[WSP9] who is removed from a workspace is out with the next request", async () => {
  const { id, person } = await withRole("workspace_user");
  assert.equal((await send(person, id)).status, 200);
  assert.equal((await w.inConsole(platform, "DELETE", `/${id}/members/${person.id}`)).status, 200);
  assert.equal((await send(person, id)).status, 404);
});

test("[WSP10] to who does not stand above, a workspace where they are no member is absent", async () => {
  const { id: mine, person } = await withRole("workspace_user");
  const theirs = await w.make(platform);
  const list = await w.inConsole(person, "GET", "?limit=1000&include_default=true");
  assert.deepEqual(ids(list.body.data), [mine, platform.workspace_id]);
  assert.deepEqual(ids((await w.inConsole(person, "GET", `?ids[]=${theirs}`)).body.data), []);
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["POST", "", { name: "Taken" }],
    ["POST", "/archive", undefined],
    ["GET", "/members", undefined],
    ["GET", "/candidates", undefined],
    ["POST", "/members", { user_id: person.id, workspace_role: "workspace_admin" }],
    ["POST", `/members/${person.id}`, { workspace_role: "workspace_admin" }],
    ["DELETE", `/members/${person.id}`, undefined],
  ] as const)
    assert.match(
      sentenceOf(await w.inConsole(person, method, `/${theirs}${path}`, body), 404),
      new RegExp(`no workspace ${theirs}`),
      `${method} ${path}`,
    );
  const cursor = await w.inConsole(person, "GET", `?after_id=${theirs}`);
  assert.match(sentenceOf(cursor, 400), /^after_id/);
});

test("[WSP11] workspace_admin manages members; workspaces are for who stands above", async () => {
  const somebody = await makePerson(house, platform);
  for (const role of workspaceRoles) {
    const { id, person } = await withRole(role);
    const body = { user_id: somebody.id, workspace_role: "workspace_user" };
    const added = await w.inConsole(person, "POST", `/${id}/members`, body);
    const found = await w.inConsole(person, "GET", `/${id}/candidates?email=person`);
    if (role === "workspace_admin") {
      assert.equal(added.status, 200, JSON.stringify(added.body));
      const emails = (found.body.data as { email: string }[]).map(({ email }) => email);
      assert.ok(emails.length > 0 && !emails.includes(somebody.email));
      const path = `/${id}/members/${somebody.id}`;
      assert.equal((await w.inConsole(person, "DELETE", path)).status, 200);
    } else {
      assert.match(sentenceOf(added, 403), /workspace_admin/);
      assert.match(sentenceOf(found, 403), /workspace_admin/);
    }
    for (const [path, change] of [
      ["", { name: "Mine" }],
      ["/archive", undefined],
    ] as const)
      assert.match(
        sentenceOf(await w.inConsole(person, "POST", `/${id}${path}`, change), 403),
        /administrators of the organization/,
      );
    assert.equal((await w.inConsole(person, "POST", "", { name: "New" })).status, 403);
    assert.equal((await w.inConsole(person, "GET", `/${id}/members`)).status, 200);
  }
});

test("[WSP12] keys are made and managed as the role in the workspace says", async () => {
  const keys = (cookie: string, method = "GET", path = "", body?: unknown) =>
    house.ask(method, `/console/api/keys${path}`, { cookie, body });
  for (const role of workspaceRoles) {
    const { id: workspace_id, person } = await withRole(role);
    const elsewhere = await w.make(platform);
    const foreign = await makeKey(house, platform, { kind: "api", workspace_id });
    const beside = await makeKey(house, platform, { kind: "api", workspace_id: elsewhere });
    const { cookie } = person;
    const make = (place: string) =>
      keys(cookie, "POST", "", { name: "Own", kind: "api", workspace_id: place });
    const own = await make(workspace_id);
    if (
      !["workspace_admin", "workspace_developer", "workspace_restricted_developer"].includes(role)
    ) {
      assert.match(sentenceOf(own, 403), /developers of a workspace/);
      assert.match(sentenceOf(await keys(cookie), 403), /Keys are managed by/);
      continue;
    }
    assert.equal(own.status, 200, JSON.stringify(own.body));
    const isWhole = role !== "workspace_restricted_developer";
    const mine = own.body.id as string;
    assert.deepEqual(ids((await keys(cookie)).body.data), isWhole ? [mine, foreign.id] : [mine]);
    const touch = async (id: string) =>
      (await keys(cookie, "POST", `/${id}`, { name: "Renamed" })).status;
    assert.deepEqual(
      [await touch(mine), await touch(foreign.id), await touch(beside.id)],
      [200, isWhole ? 200 : 404, 404],
      role,
    );
    assert.equal((await make(elsewhere)).status, 404);
    assert.match(sentenceOf(await make(platform.workspace_id), 403), /makes no keys there/);
    const admin = await keys(cookie, "POST", "", { name: "Above", kind: "admin" });
    assert.match(sentenceOf(admin, 403), /admin keys are made by administrators/);
  }
});

test("[WSP12] a developer of the organization manages the keys of the default workspace", async () => {
  const person = await makePerson(house, platform, "developer");
  const id = await w.make(platform);
  const foreign = await makeKey(house, platform, { kind: "api", workspace_id: id });
  const list = await house.ask("GET", "/console/api/keys?limit=100", { cookie: person.cookie });
  const rows = list.body.data as { id: string; kind: string; workspace_id: string }[];
  assert.ok(rows.length > 0 && !ids(rows).includes(foreign.id));
  for (const row of rows) assert.deepEqual(row.workspace_id, platform.workspace_id);
  const body = { name: "Made", kind: "api" };
  const make = (more = {}) =>
    house.ask("POST", "/console/api/keys", { cookie: person.cookie, body: { ...body, ...more } });
  assert.equal((await make()).status, 200);
  assert.equal((await make({ workspace_id: id })).status, 404);
  await w.join(platform, id, person, "workspace_developer");
  assert.equal((await make({ workspace_id: id })).status, 200);
});

test("[WSP13] what a workspace spends is shown by the role in it", async () => {
  for (const role of workspaceRoles) {
    const { id, person } = await withRole(role);
    const { secret: key } = await makeKey(house, platform, { kind: "api", workspace_id: id });
    const content = "[[tokens 1000]]";
    const body = { model: "sim-large", max_tokens: 1000, messages: [{ role: "user", content }] };
    assert.equal((await house.ask("POST", "/v1/messages", { key, body })).status, 200);
    const seen = await w.inConsole(person, "GET", `/${id}/spend`);
    if (role !== "workspace_admin" && role !== "workspace_billing") {
      assert.match(sentenceOf(seen, 403), /workspace_billing/, role);
      continue;
    }
    const [limit, ...more] = seen.body.data as Record<string, unknown>[];
    assert.deepEqual(limit?.["scope"], { type: "workspace", workspace_id: id });
    assert.ok(Number(limit?.["period_to_date_spend"]) > 0, JSON.stringify(limit));
    assert.deepEqual(more, []);
    const beside = await w.inConsole(person, "GET", `/${await w.make(platform)}/spend`);
    assert.equal(beside.status, 404);
  }
  const billing = await makePerson(house, platform, "billing");
  for (const id of [platform.workspace_id, await w.make(platform)])
    assert.equal((await w.inConsole(billing, "GET", `/${id}/spend`)).status, 200);
  const foreign = await w.inConsole(billing, "GET", `/${other.workspace_id}/spend`);
  assert.equal(foreign.status, 404);
});

test("[WSP14] a workspace has each member once, of its own organization, and not without end", async () => {
  const id = await w.make(platform);
  const person = await makePerson(house, platform);
  const stranger = await makePerson(house, other);
  const add = (user_id: string, workspace_role = "workspace_user", place = id) =>
    w.overApi(platform, "POST", `/${place}/members`, { user_id, workspace_role });
  const added = await add(person.id, "workspace_developer");
  assert.deepEqual(added.body, {
    type: "workspace_member",
    user_id: person.id,
    workspace_id: id,
    workspace_role: "workspace_developer",
  });
  const twice = await add(person.id);
  assert.match(sentenceOf(twice, 400), /^user_id: .*already; change the role/);
  assert.equal(twice.body.error.details.error_code, "already_member");
  const [theirs, nobodys] = [await add(stranger.id), await add("user_nobody")];
  assert.equal(
    sentenceOf(theirs, 404).replace(stranger.id, "…"),
    sentenceOf(nobodys, 404).replace("user_nobody", "…"),
  );
  const late = await makePerson(house, platform);
  assert.match(sentenceOf(await add(late.id, "workspace_billing"), 400), /^workspace_role/);
  const home = await add(late.id, "workspace_user", platform.workspace_id);
  assert.match(sentenceOf(home, 400), /default one: everybody belongs to it/);
  const path = `/${id}/members/${person.id}`;
  const updated = await w.overApi(platform, "POST", path, { workspace_role: "workspace_billing" });
  assert.equal(updated.body.workspace_role, "workspace_billing");
  const event = (await eventsOf(house, platform, 1))[0];
  assert.match(JSON.stringify(event), /"workspace_role_before":"workspace_developer"/);
  assert.deepEqual((await w.overApi(platform, "GET", path)).body, updated.body);
  const removed = await w.overApi(platform, "DELETE", path);
  assert.deepEqual(removed.body, {
    type: "workspace_member_deleted",
    user_id: person.id,
    workspace_id: id,
  });
  for (const method of ["GET", "DELETE"])
    assert.match(sentenceOf(await w.overApi(platform, method, path), 404), /no workspace member/);
  await w.overApi(platform, "POST", `/${id}/archive`);
  assert.match(sentenceOf(await add(late.id), 400), /archived/);
});

test("[WSP14] the limit of members holds when many come at once", async () => {
  const id = await w.make(other);
  const { organization_id } = other;
  await house.world.db.tx(async (tx) => {
    // What follows changes of people does so row by row, and is not what is looked at.
    await tx.query(sql`alter table users disable trigger user`);
    await tx.query(sql`
      insert into users (id, organization_id, email, email_key, name, role, added_at)
      select 'user_many' || n, ${organization_id}, n || '@many.example', n || '@many.example',
             'Many', 'user', now()
      from generate_series(1, ${limits.membersPerWorkspaceMax + 6}::int) as n`);
    await tx.query(sql`
      insert into workspace_members (workspace_id, user_id, organization_id, role, added_at)
      select ${id}, 'user_many' || n, ${organization_id}, 'workspace_user', now()
      from generate_series(1, ${limits.membersPerWorkspaceMax - 3}::int) as n`);
    await tx.query(sql`alter table users enable trigger user`);
  });
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, at) =>
      w.inConsole(other, "POST", `/${id}/members`, {
        user_id: `user_many${limits.membersPerWorkspaceMax - 2 + at}`,
        workspace_role: "workspace_user",
      }),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 6);
  for (const answer of refused) {
    assert.match(sentenceOf(answer, 400), /has 10000 members/);
    assert.equal(answer.body.error.details.error_code, "workspace_member_limit_exceeded");
  }
});

test("[WSP15] who is removed from the organization is removed from its workspaces; their keys work on", async () => {
  const { id, person } = await withRole("workspace_developer");
  const body = { name: "Left behind", kind: "api", workspace_id: id };
  const key = await house.ask("POST", "/console/api/keys", { cookie: person.cookie, body });
  assert.equal(key.status, 200, JSON.stringify(key.body));
  await house.world.db.tx((tx) =>
    removeUser(tx, house.world, operator, platform.organization_id, person.id),
  );
  const path = `/${id}/members`;
  assert.deepEqual((await w.overApi(platform, "GET", path)).body.data, []);
  assert.equal((await w.overApi(platform, "GET", `${path}/${person.id}`)).status, 404);
  const { secret } = key.body as { secret: string };
  assert.equal((await house.ask("GET", "/v1/models", { key: secret })).status, 200);
  const list = await house.ask("GET", `/console/api/keys?workspace_id=${id}`, {
    cookie: platform.cookie,
  });
  const [shown] = list.body.data as { created_by: { id: string; type: string; name: string } }[];
  assert.equal(shown?.created_by.id, person.id);
  assert.match(shown?.created_by.name ?? "", /^Person /);
});

test("[WSP17] the console shows where somebody may work, and what their roles add", async () => {
  const { id, person } = await withRole("workspace_developer");
  const { id: billed } = await withRole("workspace_user");
  await w.join(platform, billed, person, "workspace_billing");
  const own = await account(person);
  assert.deepEqual(
    own.workspaces.map(({ id, role, makes_keys }) => [id, role, makes_keys]),
    [
      [platform.workspace_id, null, false],
      [id, "workspace_developer", true],
    ],
  );
  for (const permission of ["api_keys:read", "api_keys:write", "workspaces:read"])
    assert.ok(own.permissions.includes(permission), permission);
  const plain = await account(await makePerson(house, platform));
  assert.deepEqual(ids(plain.workspaces), [platform.workspace_id]);
  assert.ok(!plain.permissions.some((permission) => /^(api_keys|workspaces):/.test(permission)));
  const owner = await account(platform);
  assert.ok(ids(owner.workspaces).includes(id) && ids(owner.workspaces).includes(billed));
});

test("[WSP18] a list of members goes on behind somebody who left the workspace or the organization", async () => {
  const id = await w.make(platform);
  const people: Person[] = [];
  for (let n = 0; n < 5; n++) {
    const person = await makePerson(house, platform);
    await w.join(platform, id, person, "workspace_user");
    people.unshift(person);
  }
  const userIds = (answer: Answer) =>
    (answer.body.data as { user_id: string }[]).map(({ user_id }) => user_id);
  const lists = [
    (query: string) => w.overApi(platform, "GET", `/${id}/members?${query}`),
    (query: string) => w.inConsole(platform, "GET", `/${id}/members?${query}`),
  ];
  const [first, second, third, fourth, fifth] = people.map((person) => person.id);
  await w.overApi(platform, "DELETE", `/${id}/members/${second}`);
  await house.world.db.tx((tx) =>
    removeUser(tx, house.world, operator, platform.organization_id, fourth as string),
  );
  for (const list of lists) {
    assert.deepEqual(userIds(await list(`limit=2&after_id=${second}`)), [third, fifth]);
    assert.deepEqual(userIds(await list(`limit=2&before_id=${second}`)), [first]);
    assert.deepEqual(userIds(await list(`limit=2&after_id=${fourth}`)), [fifth]);
    assert.deepEqual(userIds(await list(`limit=2&before_id=${fourth}`)), [first, third]);
    const theirs = await makePerson(house, other);
    for (const field of ["after_id", "before_id"])
      for (const never of [theirs.id, "user_never"])
        assert.match(
          sentenceOf(await list(`${field}=${never}`), 400),
          new RegExp(`^${field}: is not the id of a member of the organization`),
        );
  }
});

test("[WSP18] members are removed one after the other while the official client lists them", async () => {
  const id = await w.make(platform);
  for (let n = 0; n < 5; n++)
    await w.join(platform, id, await makePerson(house, platform), "workspace_user");
  const client = new Anthropic({ baseURL: house.url, apiKey: platform.admin_api_key });
  let removed = 0;
  for await (const { user_id } of client.organization.workspaces.members.list(id, { limit: 2 })) {
    await client.organization.workspaces.members.remove(user_id, { workspace_id: id });
    removed += 1;
  }
  assert.equal(removed, 5);
});
