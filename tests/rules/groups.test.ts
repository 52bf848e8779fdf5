// Rules GRP1 to GRP9, over HTTP: groups and their members.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import * as groupsNoun from "../../server/groups/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { beta, groupsOf, type Group } from "./groups-house.ts";
import { addSignedIn } from "./members-house.ts";

let house: House;
let enterprise: Tenant;
let rival: Tenant;
before(async () => {
  house = await openHouse({ rival: true });
  ({ enterprise } = house.organizations);
  ({ rival } = house.organizations as unknown as { rival: Tenant });
});
after(() => house[Symbol.asyncDispose]());

const call = (...asked: Parameters<ReturnType<typeof groupsOf>["call"]>) =>
  groupsOf(house).call(...asked);
const ownersRole = (tenant: Tenant) => groupsOf(house).role(tenant, ["permission_roles_write"]);
const change = (text: string) => house.world.db.tx((tx) => tx.query({ text, values: [] }));

const refused = ({ status, body }: Answer, wanted: number, words: RegExp, code?: string) => {
  assert.equal(status, wanted, JSON.stringify(body));
  assert.match(body.error.message, words);
  if (code !== undefined) assert.equal(body.error.details.error_code, code);
};

test("[GRP1] groups and roles are enterprise's; the older words want the beta", async () => {
  const { platform } = house.organizations;
  refused(await call(platform, "GET"), 404, /platform/, "organization_type_not_supported");
  const key = enterprise.admin_api_key;
  for (const path of ["rbac_groups", "rbac_roles", "rbac_roles/rbac_role_everyday/permissions"]) {
    const at = `/v1/organizations/${path}`;
    const status = async (headers: Record<string, string>) =>
      (await house.ask("GET", at, { key, headers })).status;
    assert.equal(await status({ "vendor-version": "2023-06-01" }), 404, path);
    assert.equal(await status({}), 404, path);
    assert.equal(await status(beta), 200, path);
    assert.equal(await status({ "anthropic-version": "2026-10-21" }), 200, path);
  }
});

test("[GRP2] names are cleaned and not unique; nothing changes by the same name", async () => {
  const one = await groupsOf(house).group(enterprise, "  Twins ");
  const two = await groupsOf(house).group(enterprise, "Twins");
  assert.equal(one.name, "Twins");
  assert.notEqual(one.id, two.id);
  assert.match(one.id, /^rbac_group_/);
  for (const name of ["", " ", "two\nlines", "x".repeat(201)])
    refused(await call(enterprise, "POST", "", { body: { name } }), 400, /^name: /);
  const same = await call(enterprise, "POST", `/${one.id}`, { body: { name: "Twins" } });
  assert.deepEqual(same.body, one);
  assert.deepEqual((await call(enterprise, "POST", `/${one.id}`, { body: {} })).body, one);
  assert.deepEqual(
    (await call(enterprise, "POST", `/${one.id}`, { body: { name: null } })).body,
    one,
  );
  const { body } = await call(enterprise, "POST", `/${one.id}`, { body: { name: "Research" } });
  assert.equal(body.name, "Research");
  assert.deepEqual((await call(enterprise, "GET", `/${one.id}`)).body, body);
});

test("[GRP3] pages are stable while groups come and go", async () => {
  const made: Group[] = [];
  for (let at = 0; at < 5; at++) made.push(await groupsOf(house).group(rival, `Page ${at}`));
  const ids = made.map(({ id }) => id).toReversed();
  const first = (await call(rival, "GET", "?limit=2")).body;
  assert.deepEqual(
    first.data.map(({ id }: Group) => id),
    ids.slice(0, 2),
  );
  const newest = await groupsOf(house).group(rival, "Newer");
  await call(rival, "DELETE", `/${ids[1]}`);
  await call(rival, "DELETE", `/${ids[2]}`);
  const rest = (await call(rival, "GET", `?limit=2&page=${first.next_page}`)).body;
  assert.deepEqual(
    rest.data.map(({ id }: Group) => id),
    ids.slice(3),
  );
  assert.equal(rest.next_page, null);
  assert.equal((await call(rival, "GET", "?limit=1000")).body.data[0].id, newest.id);
  refused(await call(rival, "GET", "?limit=1001"), 400, /^limit: must be at most 1000/);
  const members = `/${newest.id}/members`;
  const people = [];
  for (let at = 0; at < 3; at++) people.push((await groupsOf(house).member(rival)).id);
  for (const id of people) await groupsOf(house).join(rival, newest.id, id);
  const page = (await call(rival, "GET", `${members}?limit=1`)).body;
  assert.equal(page.data[0].user_id, people[2]);
  await call(rival, "DELETE", `${members}/${people[2]}`);
  const next = (await call(rival, "GET", `${members}?page=${page.next_page}`)).body;
  assert.deepEqual(
    next.data.map((row: { user_id: string }) => row.user_id),
    [people[1], people[0]],
  );
});

test("[GRP4] another organization's group, member and role are absent", async () => {
  const theirs = await groupsOf(house).group(rival);
  const own = await groupsOf(house).group(enterprise);
  const stranger = await groupsOf(house).member(rival);
  const code = "rbac_group_not_found";
  refused(await call(enterprise, "GET", `/${theirs.id}`), 404, /no RBAC group/, code);
  refused(await call(enterprise, "GET", `/${theirs.id}/members`), 404, /no RBAC group/, code);
  refused(await call(enterprise, "DELETE", `/${theirs.id}`), 404, /no RBAC group/, code);
  const body = { user_id: stranger.id };
  refused(await call(enterprise, "POST", `/${own.id}/members`, { body }), 404, /no member/);
  const { body: listed } = await call(enterprise, "GET", "?limit=1000");
  assert.ok(!listed.data.some(({ id }: Group) => id === theirs.id));
  const role = await ownersRole(rival);
  const key = enterprise.admin_api_key;
  const at = `/v1/organizations/rbac_roles/${role}`;
  for (const path of [at, `${at}/permissions`])
    refused(
      await house.ask("GET", path, { key, headers: beta }),
      404,
      /no RBAC role/,
      "rbac_role_not_found",
    );
  const path = `rbac_groups/${own.id}/roles`;
  const given = { body: { role_ids: [role] } };
  refused(await groupsOf(house).inConsole(enterprise, "POST", path, given), 404, /no RBAC role/);
});

test("[GRP5] where roles cannot be read, groups are told with null, which is not none", async () => {
  const { id } = await groupsOf(house).group(enterprise, "With a role");
  const role = await groupsOf(house).role(enterprise, ["capability_files"]);
  await groupsOf(house).give(enterprise, id, [role, "rbac_role_everyday"]);
  const seen = async () => {
    const [one, list] = await Promise.all([
      call(enterprise, "GET", `/${id}`),
      call(enterprise, "GET", "?limit=1"),
    ]);
    assert.deepEqual(list.body.data[0], one.body);
    assert.deepEqual(one.body.roles, one.body.role_ids);
    return one.body.role_ids as string[] | null;
  };
  assert.deepEqual((await seen())?.toSorted(), [role, "rbac_role_everyday"].sort());
  await change("alter table rbac_group_roles rename to rbac_group_roles_away");
  assert.equal(await seen(), null);
  assert.equal(
    (await call(enterprise, "POST", `/${id}`, { body: { name: "All the same" } })).status,
    200,
  );
  await change("alter table rbac_group_roles_away rename to rbac_group_roles");
  const warned = house.log.filter(
    ({ message }) => message === "the roles of groups could not be read",
  );
  assert.ok(warned.length >= 2);
  // A statement that takes too long is given up.
  const { promise, resolve } = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = house.world.db.tx(async (tx) => {
    await tx.query(sql`lock table rbac_group_roles in access exclusive mode`);
    locked.resolve();
    await promise;
  });
  await locked.promise;
  assert.equal(await seen(), null);
  resolve();
  await holding;
  await groupsOf(house).give(enterprise, id, []);
  assert.deepEqual(await seen(), []);
});

test("[GRP6] adding twice changes nothing; removing whoever is no member is 404", async () => {
  const { id } = await groupsOf(house).group(enterprise);
  const person = await groupsOf(house).member(enterprise);
  const add = () => call(enterprise, "POST", `/${id}/members`, { body: { user_id: person.id } });
  const { status, body } = await add();
  assert.equal(status, 200);
  assert.deepEqual(body, {
    type: "rbac_group_member",
    rbac_group_id: id,
    user_id: person.id,
    email: person.email,
    created_at: body.created_at,
  });
  assert.deepEqual((await add()).body, body);
  const remove = () => call(enterprise, "DELETE", `/${id}/members/${person.id}`);
  assert.deepEqual((await remove()).body, {
    type: "rbac_group_member_deleted",
    rbac_group_id: id,
    user_id: person.id,
  });
  refused(await remove(), 404, /no member of the group/);
});

test("[GRP7] what the identity provider pushes is changed there, and can be read here", async () => {
  const { organization_id: organizationId } = enterprise;
  const person = await groupsOf(house).member(enterprise);
  const { id } = await house.world.db.tx(async (tx) => {
    const input = { name: "Pushed", source: "scim", externalId: "ext-1" } as const;
    const { world } = house;
    const group = await groupsNoun.createGroup(tx, world, operator, organizationId, input);
    const userIds = [person.id];
    await groupsNoun.addMembers(tx, world, operator, { organizationId, group, userIds });
    return group;
  });
  const writes = () =>
    Promise.all([
      call(enterprise, "POST", `/${id}`, { body: { name: "Ours" } }),
      call(enterprise, "POST", `/${id}/members`, { body: { user_id: person.id } }),
      call(enterprise, "DELETE", `/${id}/members/${person.id}`),
      call(enterprise, "DELETE", `/${id}`),
      call(enterprise, "DELETE", `/${id}`, { cookie: enterprise.cookie }),
    ]);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into identity_providers
        (organization_id, name, provisioning, controls_roles, controls_groups, updated_at)
      values (${organizationId}, 'Acme Directory', 'scim', true, true, now())`),
  );
  for (const answer of await writes()) refused(answer, 400, /group Pushed .* Acme Directory/);
  // It stays the provider's while people come and go by SCIM, also where its groups are switched off.
  await change("update identity_providers set controls_groups = false");
  for (const answer of await writes()) refused(answer, 400, /group Pushed .* Acme Directory.*SCIM/);
  const { cookie } = enterprise;
  const shown = await house.ask("GET", `/console/api/rbac_groups/${id}`, { cookie });
  assert.equal(shown.body.controlled_by, "Acme Directory");
  const read = await call(enterprise, "GET", `/${id}`);
  assert.equal(read.body.source_type, "scim");
  assert.equal((await call(enterprise, "GET", `/${id}/members`)).body.data.length, 1);
  // Which roles it has stays the organization's own.
  await groupsOf(house).give(enterprise, id, ["rbac_role_everyday"]);
  // Nothing comes by SCIM any more: whoever looks after groups takes it over.
  await change("update identity_providers set provisioning = 'none', controls_groups = true");
  assert.equal((await call(enterprise, "POST", `/${id}`, { body: { name: "Ours" } })).status, 200);
  await change("delete from identity_providers");
  assert.equal((await call(enterprise, "DELETE", `/${id}`)).status, 200);
});

test("[GRP8] an invite may name groups that a program may add people to", async () => {
  const { organization_id: organizationId } = enterprise;
  const { world } = house;
  const own = await groupsOf(house).group(enterprise);
  const theirs = await groupsOf(house).group(rival);
  const owners = await groupsOf(house).group(enterprise, "Owners");
  const expect = (ids: string[]) =>
    world.db.tx((tx) => groupsNoun.expectGroups(tx, world, organizationId, ids));
  assert.deepEqual(
    (await expect([own.id, own.id])).map(({ id }) => id),
    [own.id],
  );
  await assert.rejects(expect([own.id, theirs.id]), { status: 404, message: /no RBAC group/ });
  await groupsOf(house).give(enterprise, owners.id, [await ownersRole(enterprise)]);
  await assert.rejects(expect([owners.id]), { status: 400, message: /owner access/ });
  const { id: userId } = await groupsOf(house).member(enterprise);
  const gone = await groupsOf(house).group(enterprise, "Gone");
  await call(enterprise, "DELETE", `/${gone.id}`);
  const groupIds = [owners.id, gone.id, own.id, theirs.id];
  const joining = { organizationId, userId, groupIds };
  const join = () => world.db.tx((tx) => groupsNoun.joinGroups(tx, world, operator, joining));
  assert.deepEqual(await join(), [own.id]);
  assert.deepEqual(await join(), []);
  const leave = () =>
    world.db.tx((tx) => groupsNoun.leaveAllGroups(tx, world, organizationId, userId));
  assert.deepEqual(await leave(), [own.id]);
  assert.deepEqual(await leave(), []);
});

test("[GRP9] owners alone change who is in a group that gives owner access", async () => {
  const { id } = await groupsOf(house).group(enterprise, "Owners");
  const role = await ownersRole(enterprise);
  await groupsOf(house).give(enterprise, id, ["rbac_role_auditor", role]);
  const person = await groupsOf(house).member(enterprise);
  const admin = await addSignedIn(house, enterprise, "admin");
  const ways = {
    key: {},
    token: { key: enterprise.oauth_access_token },
    admin: { cookie: admin.cookie },
  };
  const add = { body: { user_id: person.id } };
  const each = (ask: object) => [
    () => call(enterprise, "POST", `/${id}/members`, { ...ask, ...add }),
    () => call(enterprise, "DELETE", `/${id}/members/${person.id}`, ask),
    () => call(enterprise, "DELETE", `/${id}`, ask),
  ];
  for (const ask of Object.values(ways))
    for (const answer of await Promise.all(each(ask).map((act) => act())))
      refused(answer, 400, /an owner .* console/, "rbac_group_grants_owner_access");
  assert.equal(
    (await call(enterprise, "POST", `/${id}`, { body: { name: "The owners" } })).status,
    200,
  );
  const { cookie } = enterprise;
  for (const act of each({ cookie })) assert.equal((await act()).status, 200);
});

test("[GRP9] what cannot be found out changes nothing", async () => {
  const { id } = await groupsOf(house).group(enterprise);
  const person = await groupsOf(house).member(enterprise);
  await groupsOf(house).give(enterprise, id, [
    await groupsOf(house).role(enterprise, ["capability_files"]),
  ]);
  const body = { user_id: person.id };
  await change("alter table rbac_role_permissions rename to rbac_role_permissions_away");
  const answer = await call(enterprise, "POST", `/${id}/members`, { body });
  const deleted = await call(enterprise, "DELETE", `/${id}`);
  await change("alter table rbac_role_permissions_away rename to rbac_role_permissions");
  for (const one of [answer, deleted])
    refused(one, 400, /nothing was changed/, "rbac_group_owner_access_unconfirmed");
  assert.deepEqual((await call(enterprise, "GET", `/${id}/members`)).body.data, []);
  assert.equal((await call(enterprise, "POST", `/${id}/members`, { body })).status, 200);
});
