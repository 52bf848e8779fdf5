// The changes of limits over the API that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { Change } from "./audit-house.ts";

/** The house is there when they are made ready. */
export function limitChanges(houseOf: () => House): Record<string, Change> {
  const ask = (tenant: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/v1/organizations/${path}`, {
      key: tenant.admin_api_key,
      ...(body !== undefined && { body }),
    });
  const ofWorkspace = ({ workspace_id }: Tenant) => `workspaces/${workspace_id}/rate_limits`;
  return {
    "workspaces.rate_limits.update": {
      action: "rate_limit.set",
      prepare: async (tenant) => {
        const { body } = await ask(tenant, "GET", "rate_limits?model=sim-large");
        const limits = [{ type: "requests_per_minute", value: 7 }];
        return () => ask(tenant, "POST", `${ofWorkspace(tenant)}/${body.data[0].id}`, { limits });
      },
      state: async (tenant) => (await ask(tenant, "GET", ofWorkspace(tenant))).body.data,
    },
  };
}
