// What the derived tests need to know of the routes of limits over the API.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { publicRateId } from "../../server/limits/public-rates.ts";

const workspaceOf = async ({ console }: Tenant) => {
  const me = (await console("GET", "/console/api/me")) as { workspaces: { id: string }[] };
  return { workspace_id: me.workspaces[0]?.id ?? "" };
};

/** Two groups with a limit of the workspace's own. */
const limitedGroupsIn = async (tenant: Tenant) => {
  const { workspace_id } = await workspaceOf(tenant);
  for (const group of ["sim-large", "sim-small"])
    await tenant.console("POST", "/console/api/rate_limits", {
      workspace_id,
      group,
      limits: [{ type: "requests_per_minute", value: 1_000_000 }],
    });
};

export const limitFixtures: Readonly<Record<string, Fixture>> = {
  "rate_limits.list": { items: async () => {} },
  "workspaces.rate_limits.list": { params: workspaceOf, items: limitedGroupsIn },
  "workspaces.rate_limits.update": {
    params: async (tenant) => ({
      ...(await workspaceOf(tenant)),
      rate_limit_id: publicRateId(tenant.organizationId, "sim-large"),
    }),
    body: () => ({ limits: [{ type: "requests_per_minute", value: 999_999 }] }),
  },
};
