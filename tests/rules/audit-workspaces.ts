// The changes of workspaces and of their members that leave an event each.
import { createUser } from "../../server/identity/module.ts";
import { operator } from "../../server/audit/module.ts";
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";

let made = 0;

/** The house is there when they are made ready. */
export function workspaceChanges(houseOf: () => House): Record<string, AuditedChange> {
  const asOwner = (tenant: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/console/api/workspaces${path}`, { cookie: tenant.cookie, body });
  const asKey = (tenant: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/v1/organizations/workspaces${path}`, {
      key: tenant.admin_api_key,
      body,
    });
  const create = async (tenant: Tenant): Promise<string> =>
    (await asOwner(tenant, "POST", "", { name: "Made" })).body.id as string;
  const person = ({ organization_id }: Tenant) =>
    houseOf().world.db.tx((tx) =>
      createUser(tx, houseOf().world, () => operator, organization_id, {
        email: `changed-${++made}@audit.example`,
        name: "Changed",
        role: "user",
        passwordHash: null,
      }),
    );
  const member = async (tenant: Tenant) => {
    const id = await create(tenant);
    const user_id = await person(tenant);
    await asOwner(tenant, "POST", `/${id}/members`, { user_id, workspace_role: "workspace_user" });
    return { id, path: `/${id}/members/${user_id}` };
  };
  const state = async (tenant: Tenant) => {
    const { body } = await asOwner(tenant, "GET", "?include_archived=true&limit=1000");
    const { db } = houseOf().world;
    const members = await db.query({
      text: `select user_id, role from workspace_members where organization_id = $1 order by user_id`,
      values: [tenant.organization_id],
    });
    const keys = await houseOf().ask("GET", "/console/api/keys", { cookie: tenant.cookie });
    // When a key was used is noted by and by.
    const data = keys.body.data as Record<string, unknown>[];
    const bodies = await db.query({
      text: `select workspace_id, enabled, kept_since from request_body_settings
        where organization_id = $1 order by workspace_id`,
      values: [tenant.organization_id],
    });
    return [body.data, members, data.map((key) => ({ ...key, last_used_at: null })), bodies];
  };
  const changes: Record<string, (ask: typeof asOwner) => Omit<AuditedChange, "state">> = {
    "workspaces.create": (ask) => ({
      action: "workspace.created",
      prepare: async (tenant) => () => ask(tenant, "POST", "", { name: "Made" }),
    }),
    "workspaces.update": (ask) => ({
      action: "workspace.updated",
      prepare: async (tenant) => {
        const id = await create(tenant);
        return () => ask(tenant, "POST", `/${id}`, { name: "Renamed", tags: { team: "a" } });
      },
    }),
    "workspaces.archive": (ask) => ({
      action: "workspace.archived",
      prepare: async (tenant) => {
        const id = await create(tenant);
        const body = { name: "Ends", kind: "api", workspace_id: id };
        await houseOf().ask("POST", "/console/api/keys", { cookie: tenant.cookie, body });
        return () => ask(tenant, "POST", `/${id}/archive`);
      },
    }),
    "workspaces.members.add": (ask) => ({
      action: "workspace_member.added",
      prepare: async (tenant) => {
        const id = await create(tenant);
        const user_id = await person(tenant);
        const body = { user_id, workspace_role: "workspace_user" };
        return () => ask(tenant, "POST", `/${id}/members`, body);
      },
    }),
    "workspaces.members.update": (ask) => ({
      action: "workspace_member.updated",
      prepare: async (tenant) => {
        const { path } = await member(tenant);
        return () => ask(tenant, "POST", path, { workspace_role: "workspace_admin" });
      },
    }),
    "workspaces.members.remove": (ask) => ({
      action: "workspace_member.removed",
      prepare: async (tenant) => {
        const { path } = await member(tenant);
        return () => ask(tenant, "DELETE", path);
      },
    }),
    "workspaces.request_bodies.update": (ask) => ({
      action: "request_bodies.updated",
      prepare: async (tenant) => {
        const id = await create(tenant);
        return () => ask(tenant, "POST", `/${id}/request_bodies`, { enabled: true });
      },
    }),
    "workspaces.request_bodies.delete": (ask) => ({
      action: "request_bodies.deleted",
      prepare: async (tenant) => {
        const id = await create(tenant);
        return () => ask(tenant, "DELETE", `/${id}/request_bodies`);
      },
    }),
  };
  return Object.fromEntries(
    Object.entries(changes).flatMap(([operation, change]) => [
      [operation, { ...change(asKey), state }],
      [`console.${operation}`, { ...change(asOwner), state }],
    ]),
  );
}
