// The changes of environments that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { environmentsOf } from "./environments-house.ts";

/** What workers do of their work is no change of people's. */
export const unrecordedOfEnvironments = ["environments.work.ack", "environments.work.heartbeat"];

/** The house is there when they are made ready. */
export function environmentChanges(houseOf: () => House): Record<string, AuditedChange> {
  const env = environmentsOf(houseOf);
  const state = async ({ api_key: key, cookie }: Tenant) => {
    const all = await env.all("", { include_archived: true }, { key });
    const keys = await Promise.all(all.map(({ id }) => env.all(`/${id}/keys`, {}, { key })));
    const work = await Promise.all(
      all.map(({ id }) => houseOf().ask("GET", `/console/api/environments/${id}/work`, { cookie })),
    );
    return [all, keys, work.map(({ body }) => body)];
  };
  const change = (action: string, method: string, path: string, body?: object): AuditedChange => ({
    action,
    prepare: async ({ api_key: key }) => {
      const { id } = await env.makeHosted({ key });
      const asking = { key, ...(body && { body }) };
      return () => env.call(method, `/${id}${path}`, asking);
    },
    state,
  });
  const checked = async (key: string) => {
    const { id } = await env.makeHosted({ key });
    const check = await env.good<{ id: string }>("POST", `/${id}/check`, { key });
    return `/${id}/work/${check.id}`;
  };
  const ofWork = (verb: string, path: string, body: object): AuditedChange => ({
    action: `environment_work.${verb}`,
    prepare: async ({ api_key: key }) => {
      const work = await checked(key);
      return () => env.call("POST", work + path, { key, body });
    },
    state,
  });
  return {
    "environments.check": change("environment_work.created", "POST", "/check"),
    "console.environments.work.check": {
      action: "environment_work.created",
      prepare: async ({ api_key: key, cookie }) => {
        const { id } = await env.makeHosted({ key });
        const path = `/console/api/environments/${id}/work/check`;
        return () => houseOf().ask("POST", path, { cookie });
      },
      state,
    },
    "environments.work.update": ofWork("updated", "", { metadata: { by: "hand" } }),
    "environments.work.stop": ofWork("stopped", "/stop", { force: true }),
    "environments.create": {
      action: "environment.created",
      prepare: async ({ api_key: key }) => {
        return () => env.call("POST", "", { key, body: { name: "tools" } });
      },
      state,
    },
    "environments.update": change("environment.updated", "POST", "", { name: "other" }),
    "environments.archive": change("environment.archived", "POST", "/archive"),
    "environments.delete": change("environment.deleted", "DELETE", ""),
    "environments.keys.create": change("environment_key.created", "POST", "/keys", {}),
    "environments.keys.revoke": {
      action: "environment_key.revoked",
      prepare: async ({ api_key: key }) => {
        const { id } = await env.makeHosted({ key });
        const made = await env.makeKey(id, {}, { key });
        return () => env.call("POST", `/${id}/keys/${made.id}/revoke`, { key });
      },
      state,
    },
  };
}
