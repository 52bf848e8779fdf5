// Rules SRC4 and SRC8: who finds what, and that all else is as if it were not there.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { issueToken } from "../../server/tokens/module.ts";
import type { Ask, House, Tenant } from "../house.ts";
import { openHouse } from "../house.ts";
import { groupsOf } from "./groups-house.ts";
import { addMember, addSignedIn, ownerOf } from "./members-house.ts";
import { furnish, furnishOrganization, makerOf, searchOf } from "./search-house.ts";
import { makeKey } from "./support.ts";
import { makePerson, workspacesOf } from "./workspaces-house.ts";

let house: House;
let platform: Tenant;
let workspace: string;
let inside: Record<string, string>;
let besides: Record<string, string>;
let search: ReturnType<typeof searchOf>;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
  search = searchOf(house);
  workspace = await workspacesOf(house).make(platform, { name: "Quarry" });
  inside = await furnish(house, platform, "feldspar", workspace);
  besides = {
    ...(await furnishOrganization(house, platform, "feldspar")),
    user: (await addMember(house, platform, { name: "Feldspar Person" })).id,
  };
});
after(() => house[Symbol.asyncDispose]());

const owner = () => ({ cookie: platform.cookie });

/** By its id, and by its name. */
async function expectAbsent(asking: Ask, ids: Record<string, string>): Promise<void> {
  for (const [type, id] of Object.entries(ids))
    assert.deepEqual(await search.find(asking, id), [], type);
  const types = (await search.find(asking, "feldspar")).filter(({ id }) =>
    Object.values(ids).includes(id),
  );
  assert.deepEqual(types, []);
}

async function expectFound(asking: Ask, ids: Record<string, string>): Promise<void> {
  for (const [type, id] of Object.entries(ids))
    assert.deepEqual(await search.ids(asking, id), [id], type);
}

test("[SRC4] of another organization nothing is found, whatever the caller may there", async () => {
  const { other, enterprise, cloud } = house.organizations;
  for (const tenant of [other, enterprise, cloud]) {
    await expectAbsent({ cookie: tenant.cookie }, { ...inside, ...besides });
    assert.deepEqual(await search.find({ cookie: tenant.cookie }, "feldspar"), []);
  }
  assert.deepEqual(await search.find({ key: other.admin_api_key }, "feldspar"), []);
});

test("[SRC4] a member finds what is in the workspaces where they work, and in no other", async () => {
  const person = await makePerson(house, platform);
  await expectAbsent(person, { ...inside, ...besides });
  const { join } = workspacesOf(house);
  await join(platform, workspace, person, "workspace_user");
  await expectFound(person, inside);
  // Of the organization their role shows them nothing.
  await expectAbsent(person, besides);
  const billing = await makePerson(house, platform);
  await join(platform, workspace, billing, "workspace_billing");
  await expectAbsent(billing, inside);
});

test("[SRC4] keys and workspaces are found as far as the lists of them go", async () => {
  const { join, make } = workspacesOf(house);
  const developer = await makePerson(house, platform);
  await join(platform, workspace, developer, "workspace_restricted_developer");
  const hidden = await make(platform, { name: "Hidden quarry" });
  const makeIn = (cookie: string, name: string, workspace_id: string) =>
    makerOf(house, { cookie })("/console/api/keys", { name, kind: "api", workspace_id });
  const own = await makeIn(developer.cookie, "mica own", workspace);
  const others = await makeIn(platform.cookie, "mica of another", workspace);
  const elsewhere = await makeIn(platform.cookie, "mica elsewhere", hidden);
  assert.deepEqual(await search.ids(developer, "mica"), [own.id]);
  for (const { id } of [others, elsewhere]) assert.deepEqual(await search.find(developer, id), []);
  assert.deepEqual(await search.ids(developer, "quarry"), [workspace]);
  assert.deepEqual(await search.find(developer, hidden), []);
  assert.deepEqual(
    (await search.ids(owner(), "mica")).toSorted(),
    [own.id, others.id, elsewhere.id].toSorted(),
  );
});

test("[SRC4] what is in an archived workspace is found no more", async () => {
  const { make } = workspacesOf(house);
  const closed = await make(platform, { name: "Closed" });
  const things = await furnish(house, platform, "gypsum", closed);
  await expectFound(owner(), things);
  await makerOf(house, platform)(`/console/api/workspaces/${closed}/archive`, {});
  await expectAbsent(owner(), things);
  assert.deepEqual(await search.find(owner(), "gypsum"), []);
  assert.deepEqual(await search.ids(owner(), closed), [closed]);
});

test("[SRC4] a managed member finds what the roles of their groups give, of models too", async () => {
  const { enterprise } = house.organizations;
  const { managed } = groupsOf(house);
  const none = await managed(enterprise, []);
  for (const typed of ["sim", "owner", enterprise.organization_id])
    assert.deepEqual(await search.find(none, typed), [], typed);
  const members = await managed(enterprise, ["permission_members_read"]);
  const found = await search.find(members, "members example");
  assert.ok(found.length > 0 && found.every(({ type }) => type === "user"), JSON.stringify(found));
});

test("[SRC4] what an organization of this type does not have has no page, and is not found", async () => {
  const { cloud } = house.organizations;
  const id = "svac_00000000000000000000000000";
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into service_accounts (id, organization_id, name, organization_role, created_at, updated_at)
      values (${id}, ${cloud.organization_id}, 'dacite', 'developer', now(), now())`),
  );
  for (const typed of [id, "dacite"])
    assert.deepEqual(await search.find({ cookie: cloud.cookie }, typed), []);
});

test("[SRC8] a token of a person finds what they may, and a workspace's token what is in it", async () => {
  const owner = await ownerOf(house, platform);
  const tokenFor = async (workspaceId: string | null) => {
    const { secret } = await house.world.db.tx((tx) =>
      issueToken(tx, house.world, {
        organizationId: platform.organization_id,
        for: { userId: owner },
        scopes: ["org:admin", "workspace:developer"],
        workspaceId,
        lifetimeMs: 60_000,
      }),
    );
    return { headers: { authorization: `Bearer ${secret}` } };
  };
  await expectFound(await tokenFor(null), { ...inside, ...besides });
  await expectFound(await tokenFor(workspace), inside);
  const elsewhere = await workspacesOf(house).make(platform);
  await expectAbsent(await tokenFor(elsewhere), inside);
});

test("[SRC4] [SRC8] an admin key finds what its organization administers, and nothing in workspaces", async () => {
  const key = { key: platform.admin_api_key };
  const { service_account: account = "", ...readable } = besides;
  await expectFound(key, readable);
  await expectAbsent(key, inside);
  // Programs read service accounts with a token alone.
  assert.deepEqual(await search.find(key, account), []);
});

test("[SRC4] [SRC8] a scoped key finds what its scope lets it read", async () => {
  const { enterprise } = house.organizations;
  const group = await groupsOf(house).group(enterprise, "Dolerite");
  await addMember(house, enterprise, { name: "Dolerite Person" });
  const typesFor = async (scope: string) => {
    const { secret } = await makeKey(house, enterprise, { name: "dolerite", scopes: [scope] });
    return (await search.find({ key: secret }, "dolerite")).map(({ type }) => type).toSorted();
  };
  assert.deepEqual(await typesFor("read:members"), ["user"]);
  assert.deepEqual(await typesFor("read:rbac_groups"), ["rbac_group"]);
  assert.deepEqual(await typesFor("read:org_audit"), ["rbac_group", "user"]);
  assert.deepEqual(await typesFor("write:members"), []);
  const { secret } = await makeKey(house, enterprise, { scopes: ["read:analytics"] });
  assert.deepEqual(await search.find({ key: secret }, group.id), []);
});

test("[SRC8] an API key finds what is in its workspace, at the route of workspaces", async () => {
  const { secret: own } = await makeKey(house, platform, { kind: "api", workspace_id: workspace });
  const path = "/v1/objects";
  const find = async (key: string, query: string) =>
    (await search.pageAt(path, { key }, query, "&limit=100")).data.map(({ id }) => id);
  for (const id of Object.values(inside)) assert.deepEqual(await find(own, id), [id]);
  const { message_batch: _, memory_version: __, ...named } = inside;
  assert.deepEqual((await find(own, "feldspar")).toSorted(), Object.values(named).toSorted());
  for (const id of [...Object.values(inside), ...Object.values(besides)])
    assert.deepEqual(await find(platform.api_key, id), []);
  assert.deepEqual(await find(platform.api_key, "feldspar"), []);
  assert.equal((await find(own, "sim-large"))[0], "sim-large");
  const refused = (route: string, asking: Ask) => house.ask("GET", `${route}?query=x`, asking);
  assert.equal((await refused("/v1/organizations/objects", { key: own })).status, 403);
  assert.equal((await refused(path, { key: platform.admin_api_key })).status, 403);
});

test("[SRC4] from the moment on that a role was taken away nothing is found by it", async () => {
  const person = await addSignedIn(house, platform, "developer");
  const asking = { cookie: person.cookie };
  const { api_key: key = "" } = besides;
  await expectFound(asking, { key });
  await makerOf(house, platform)(`/v1/organizations/users/${person.id}`, { role: "user" });
  await expectAbsent(asking, { key });
});
