// The changes of environments that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { environmentsOf } from "./environments-house.ts";

/** The house is there when they are made ready. */
export function environmentChanges(houseOf: () => House): Record<string, AuditedChange> {
  const env = environmentsOf(houseOf);
  const state = async ({ api_key: key }: Tenant) => {
    const all = await env.all("", { include_archived: true }, { key });
    const keys = await Promise.all(all.map(({ id }) => env.all(`/${id}/keys`, {}, { key })));
    return [all, keys];
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
  return {
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
