// Fixtures of groups and roles: made by the owner, in the console.
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let made = 0;
const groups = "/v1/organizations/rbac_groups";
const beta = { "vendor-beta": "ce-user-management-2026-07-13" };

const idOf = async (answer: Promise<unknown>) => ((await answer) as { id: string }).id;

const groupIn = (tenant: Tenant) =>
  idOf(tenant.console("POST", groups, { name: `Group ${++made}` }, beta));

const roleIn = (tenant: Tenant) => {
  const body = {
    display_name: `Role ${++made}`,
    actions: ["capability_batches", "model_access_all"],
  };
  return idOf(tenant.console("POST", "/console/api/rbac_roles", body));
};

const personIn = ({ world, organizationId }: Tenant) => {
  const number = ++made;
  const member = { email: `group-${number}@fixtures.example`, name: `Person ${number}` };
  return world.db.tx((tx) =>
    provisionUser(tx, world, operator, organizationId, { ...member, role: "managed" }),
  );
};

const memberIn = async (tenant: Tenant, groupId: string) => {
  const user_id = await personIn(tenant);
  await tenant.console("POST", `${groups}/${groupId}/members`, { user_id }, beta);
  return user_id;
};

const groupParams = async (tenant: Tenant) => ({ rbac_group_id: await groupIn(tenant) });
const withMembers = async (tenant: Tenant) => {
  const rbac_group_id = await groupIn(tenant);
  await memberIn(tenant, rbac_group_id);
  await memberIn(tenant, rbac_group_id);
  return { rbac_group_id };
};
const memberParams = async (tenant: Tenant) => {
  const rbac_group_id = await groupIn(tenant);
  return { rbac_group_id, user_id: await memberIn(tenant, rbac_group_id) };
};
const roleParams = async (tenant: Tenant) => ({ rbac_role_id: await roleIn(tenant) });
const members: Fixture = { params: withMembers, items: async () => {} };

export const groupFixtures: Readonly<Record<string, Fixture>> = {
  "rbac_groups.create": { body: () => ({ name: "Engineering" }) },
  "rbac_groups.list": {
    items: async (tenant) => {
      await groupIn(tenant);
      await groupIn(tenant);
    },
  },
  "rbac_groups.retrieve": { params: groupParams },
  "rbac_groups.update": { params: groupParams, body: () => ({ name: "Research" }) },
  "rbac_groups.delete": { params: groupParams },
  "rbac_groups.members.list": members,
  "rbac_groups.members.add": {
    params: groupParams,
    body: async (tenant) => ({ user_id: await personIn(tenant) }),
  },
  "rbac_groups.members.remove": { params: memberParams },
  "rbac_roles.list": { items: async (tenant) => void (await roleIn(tenant)) },
  "rbac_roles.retrieve": { params: roleParams },
  "rbac_roles.permissions.list": { params: roleParams, items: async () => {} },
  "console.rbac_groups.retrieve": { params: groupParams },
  "console.rbac_groups.members.list": members,
  "console.rbac_groups.set_roles": {
    params: groupParams,
    body: async (tenant) => ({ role_ids: [await roleIn(tenant), "rbac_role_everyday"] }),
  },
  "console.rbac_roles.holders": { params: roleParams },
  "console.rbac_roles.create": {
    body: () => ({ display_name: `Made ${++made}`, actions: ["capability_access_all"] }),
  },
  "console.rbac_roles.update": {
    params: roleParams,
    body: () => ({ actions: ["capability_memory"] }),
  },
  "console.rbac_roles.delete": { params: roleParams },
};
