// Groups and roles with the unchanged official client, in both of its namespaces.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { openHouse, type House, type Tenant } from "../house.ts";
import { groupsOf } from "../rules/groups-house.ts";

let house: House;
let enterprise: Tenant;
let client: Anthropic;
before(async () => {
  house = await openHouse();
  ({ enterprise } = house.organizations);
  client = clientOf(enterprise);
});
after(() => house[Symbol.asyncDispose]());

const clientOf = ({ admin_api_key: apiKey }: Tenant) =>
  new Anthropic({ baseURL: house.url, apiKey, maxRetries: 0 });

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) items.push(item);
  return items;
}

/** The client without betas of its own, and the one with them: the same wire. */
const namespaces = {
  organization: () => client.organization,
  "beta.organization": () => client.beta.organization,
};

for (const [name, namespaceOf] of Object.entries(namespaces)) {
  test(`${name}: a group from its beginning to its end`, async () => {
    const { rbacGroups: groups } = namespaceOf() as Anthropic["organization"];
    const made = await groups.create({ name: "Engineering" });
    assert.deepEqual(
      { ...made, created_at: "", updated_at: "" },
      {
        id: made.id,
        type: "rbac_group",
        name: "Engineering",
        source_type: "direct",
        roles: [],
        role_ids: [],
        created_at: "",
        updated_at: "",
      },
    );
    assert.equal((await groups.update(made.id, { name: "Research" })).name, "Research");
    assert.equal((await groups.update(made.id, { name: null })).name, "Research");
    assert.equal((await groups.retrieve(made.id)).name, "Research");
    const person = await groupsOf(house).member(enterprise);
    const other = await groupsOf(house).member(enterprise);
    const added = await groups.members.add(made.id, { user_id: person.id });
    assert.deepEqual(
      [added.type, added.rbac_group_id, added.user_id, added.email],
      ["rbac_group_member", made.id, person.id, person.email],
    );
    await groups.members.add(made.id, { user_id: other.id });
    const listed = await all(groups.members.list(made.id, { limit: 1 }));
    assert.deepEqual(
      listed.map(({ user_id }) => user_id),
      [other.id, person.id],
    );
    const removed = await groups.members.remove(person.id, { rbac_group_id: made.id });
    assert.deepEqual(
      [removed.type, removed.rbac_group_id, removed.user_id],
      ["rbac_group_member_deleted", made.id, person.id],
    );
    const ids = (await all(groups.list({ limit: 1 }))).map(({ id }) => id);
    assert.ok(ids.includes(made.id));
    const deleted = await groups.delete(made.id);
    assert.deepEqual([deleted.id, deleted.type], [made.id, "rbac_group_deleted"]);
  });

  test(`${name}: roles are read`, async () => {
    const { rbacRoles: roles } = namespaceOf() as Anthropic["organization"];
    const id = await groupsOf(house).role(enterprise, [
      "capability_access_all",
      "model_access_all",
    ]);
    const listed = await all(roles.list({ limit: 2 }));
    assert.ok(listed.some((role) => role.id === id && role.source.type === "custom"));
    assert.ok(listed.some(({ source }) => source.type === "built_in"));
    const role = await roles.retrieve(id);
    assert.deepEqual(
      role,
      listed.find((one) => one.id === id),
    );
    const rows = await all(roles.permissions.list(id, { limit: 1 }));
    assert.deepEqual(
      rows.map(({ action, resource }) => [action, resource.type]),
      [
        ["capability_access_all", "organization"],
        ["model_access_all", "organization"],
      ],
    );
  });
}

test("refusals are the client's own error classes", async () => {
  const { rbacGroups: groups, rbacRoles: roles } = client.organization;
  const kindOf = async (work: PromiseLike<unknown>) => {
    const error = await Promise.resolve(work).then(
      () => assert.fail("it went well"),
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof Anthropic.APIError, String(error));
    // Both namespaces have a class of their own for it.
    return [error.constructor.name.replace(/^Beta/, ""), error.status];
  };
  assert.deepEqual(await kindOf(groups.retrieve("rbac_group_none")), [
    "RBACGroupNotFoundError",
    404,
  ]);
  assert.deepEqual(await kindOf(roles.retrieve("rbac_role_none")), ["RBACRoleNotFoundError", 404]);
  const { id } = await groups.create({ name: "Owners" });
  const role = await groupsOf(house).role(enterprise, ["permission_roles_write"]);
  await groupsOf(house).give(enterprise, id, [role]);
  const { id: user_id } = await groupsOf(house).member(enterprise);
  assert.deepEqual(await kindOf(groups.members.add(id, { user_id })), [
    "RBACGroupGrantsOwnerAccessError",
    400,
  ]);
  assert.deepEqual(await kindOf(groups.delete(id)), ["RBACGroupGrantsOwnerAccessError", 400]);
  const platform = clientOf(house.organizations.platform).organization;
  const [, status] = await kindOf(platform.rbacRoles.list());
  assert.equal(status, 404);
});
