// The changes of groups and roles that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { groupsOf } from "./groups-house.ts";

/** The house is there when they are made ready. */
export function groupChanges(houseOf: () => House): Record<string, AuditedChange> {
  const type = "enterprise";
  const groups = () => groupsOf(houseOf());
  const asOwner = ({ cookie }: Tenant) => ({ cookie });
  const groupsIn = async (tenant: Tenant) => {
    const { data } = (await groups().call(tenant, "GET", "", asOwner(tenant))).body;
    const members = (data as { id: string }[]).map(async ({ id }) => {
      const { body } = await groups().call(tenant, "GET", `/${id}/members`, asOwner(tenant));
      return body.data;
    });
    return [data, await Promise.all(members)];
  };
  const rolesIn = async (tenant: Tenant) =>
    (await groups().inConsole(tenant, "GET", "rbac_roles")).body;
  const change = (tenant: Tenant, method: string, path: string, body?: object) => () =>
    groups().call(tenant, method, path, { ...asOwner(tenant), ...(body && { body }) });
  const inConsole = (tenant: Tenant, method: string, path: string, body?: object) => () =>
    groups().inConsole(tenant, method, path, body && { body });
  const groupIn = async (tenant: Tenant) => {
    const made = await change(tenant, "POST", "", { name: "Engineering" })();
    return made.body.id as string;
  };
  const actions = ["capability_batches"];

  return {
    "rbac_groups.create": {
      type,
      action: "rbac_group.created",
      prepare: async (tenant) => change(tenant, "POST", "", { name: "Engineering" }),
      state: groupsIn,
    },
    "rbac_groups.update": {
      type,
      action: "rbac_group.renamed",
      prepare: async (tenant) =>
        change(tenant, "POST", `/${await groupIn(tenant)}`, { name: "Research" }),
      state: groupsIn,
    },
    "rbac_groups.delete": {
      type,
      action: "rbac_group.deleted",
      prepare: async (tenant) => change(tenant, "DELETE", `/${await groupIn(tenant)}`),
      state: groupsIn,
    },
    "rbac_groups.members.add": {
      type,
      action: "rbac_group.member_added",
      prepare: async (tenant) => {
        const id = await groupIn(tenant);
        const { id: user_id } = await groups().member(tenant);
        return change(tenant, "POST", `/${id}/members`, { user_id });
      },
      state: groupsIn,
    },
    "rbac_groups.members.remove": {
      type,
      action: "rbac_group.member_removed",
      prepare: async (tenant) => {
        const id = await groupIn(tenant);
        const { id: userId } = await groups().member(tenant);
        await groups().join(tenant, id, userId);
        return change(tenant, "DELETE", `/${id}/members/${userId}`);
      },
      state: groupsIn,
    },
    "console.rbac_groups.set_roles": {
      type,
      action: "rbac_group.roles_changed",
      prepare: async (tenant) => {
        const role_ids = ["rbac_role_everyday"];
        const path = `rbac_groups/${await groupIn(tenant)}/roles`;
        return inConsole(tenant, "POST", path, { role_ids });
      },
      state: groupsIn,
    },
    "console.rbac_roles.create": {
      type,
      action: "rbac_role.created",
      prepare: async (tenant) =>
        inConsole(tenant, "POST", "rbac_roles", { display_name: "Batches", actions }),
      state: rolesIn,
    },
    "console.rbac_roles.update": {
      type,
      action: "rbac_role.changed",
      prepare: async (tenant) => {
        const id = await groups().role(tenant, actions);
        return inConsole(tenant, "POST", `rbac_roles/${id}`, { actions: ["capability_files"] });
      },
      state: rolesIn,
    },
    "console.rbac_roles.delete": {
      type,
      action: "rbac_role.deleted",
      prepare: async (tenant) =>
        inConsole(tenant, "DELETE", `rbac_roles/${await groups().role(tenant, actions)}`),
      state: rolesIn,
    },
  };
}
