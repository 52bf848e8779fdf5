// How to make what the routes of workspaces and of their members name.
import { createUser } from "../../server/identity/module.ts";
import { operator } from "../../server/audit/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let made = 0;

export const workspaceIn = async (tenant: Tenant) => {
  const workspace = await tenant.console("POST", "/console/api/workspaces", { name: "Made" });
  return { workspace_id: (workspace as { id: string }).id };
};

const personIn = ({ world, organizationId }: Tenant) =>
  world.db.tx((tx) =>
    createUser(tx, world, () => operator, organizationId, {
      email: `made-${++made}@workspaces.example`,
      name: "Made",
      role: "user",
      passwordHash: null,
    }),
  );

const add = async (tenant: Tenant, workspace_id: string) => {
  const user_id = await personIn(tenant);
  const body = { user_id, workspace_role: "workspace_user" };
  await tenant.console("POST", `/console/api/workspaces/${workspace_id}/members`, body);
  return user_id;
};

const memberIn = async (tenant: Tenant) => {
  const { workspace_id } = await workspaceIn(tenant);
  return { workspace_id, user_id: await add(tenant, workspace_id) };
};

const withMembers = async (tenant: Tenant) => {
  const { workspace_id } = await workspaceIn(tenant);
  for (const _ of [1, 2, 3]) await add(tenant, workspace_id);
  return { workspace_id };
};

const twoWorkspaces = async (tenant: Tenant) => {
  await workspaceIn(tenant);
  await workspaceIn(tenant);
};

export const both = (operation: string, fixture: Fixture): Record<string, Fixture> => ({
  [operation]: fixture,
  [`console.${operation}`]: fixture,
});

export const workspaceFixtures: Readonly<Record<string, Fixture>> = {
  ...both("workspaces.create", { body: () => ({ name: "Made" }) }),
  ...both("workspaces.list", { items: twoWorkspaces }),
  ...both("workspaces.retrieve", { params: workspaceIn }),
  ...both("workspaces.update", { params: workspaceIn, body: () => ({ name: "Renamed" }) }),
  ...both("workspaces.archive", { params: workspaceIn }),
  ...both("workspaces.members.list", { params: withMembers, items: async () => {} }),
  "workspaces.members.retrieve": { params: memberIn },
  ...both("workspaces.members.add", {
    params: workspaceIn,
    body: async (tenant) => ({
      user_id: await personIn(tenant),
      workspace_role: "workspace_developer",
    }),
  }),
  ...both("workspaces.members.update", {
    params: memberIn,
    body: () => ({ workspace_role: "workspace_billing" }),
  }),
  ...both("workspaces.members.remove", { params: memberIn }),
  "console.workspaces.spend": { params: workspaceIn },
  "console.workspaces.candidates": { params: workspaceIn, query: "email=made" },
};
