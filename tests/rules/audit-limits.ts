// The changes of limits over the API that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";

/** The house is there when they are made ready. */
export function limitChanges(houseOf: () => House): Record<string, AuditedChange> {
  const ask = (tenant: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/v1/organizations/${path}`, {
      key: tenant.admin_api_key,
      ...(body !== undefined && { body }),
    });
  const ofWorkspace = ({ workspace_id }: Tenant) => `workspaces/${workspace_id}/rate_limits`;
  const inConsole = ({ cookie }: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/console/api/${path}`, { cookie, ...(body !== undefined && { body }) });
  const requestsOf = async (tenant: Tenant) =>
    (await inConsole(tenant, "GET", "spend_limit_increase_requests")).body;
  const limitsOf = async (tenant: Tenant) =>
    (await inConsole(tenant, "GET", "spend_limits/effective")).body;
  const both = (tenant: Tenant) => Promise.all([requestsOf(tenant), limitsOf(tenant)]);
  const weekly = { period: "weekly" };

  /** Over the API with a token, and in the console. */
  function spending(place: "" | "console."): Record<string, AuditedChange> {
    const act = (tenant: Tenant, method: string, path: string, body?: unknown) =>
      place === ""
        ? houseOf().ask(method, `/v1/organizations/${path}`, {
            key: tenant.oauth_access_token,
            ...(body !== undefined && { body }),
          })
        : inConsole(tenant, method, path, body);
    const limits = place === "" ? "spend_limits" : "user_spend_limits";
    const limitOf = async (tenant: Tenant) => {
      const { body } = await inConsole(tenant, "GET", "me");
      return { scope: { type: "user", user_id: body.user.id }, amount: "100000000" };
    };
    const request = async (tenant: Tenant) =>
      (await inConsole(tenant, "POST", "own_spend/increase", weekly)).body.id as string;
    const type = "enterprise" as const;
    return {
      [`${place}${limits}.set`]: {
        type,
        action: "spend_limit.set",
        prepare: async (tenant) => {
          const limit = await limitOf(tenant);
          return () => act(tenant, "POST", limits, limit);
        },
        state: limitsOf,
      },
      [`${place}${limits}.delete`]: {
        type,
        action: "spend_limit.removed",
        prepare: async (tenant) => {
          const limit = await limitOf(tenant);
          const { body } = await inConsole(tenant, "POST", "user_spend_limits", limit);
          return () => act(tenant, "DELETE", `${limits}/${body.id}`);
        },
        state: limitsOf,
      },
      [`${place}spend_limit_increase_requests.approve`]: {
        type,
        action: "spend_limit_increase.approved",
        prepare: async (tenant) => {
          const path = `spend_limit_increase_requests/${await request(tenant)}/approve`;
          return () => act(tenant, "POST", path, { amount: "100000000" });
        },
        state: both,
      },
      [`${place}spend_limit_increase_requests.deny`]: {
        type,
        action: "spend_limit_increase.denied",
        prepare: async (tenant) => {
          const path = `spend_limit_increase_requests/${await request(tenant)}/deny`;
          return () => act(tenant, "POST", path, {});
        },
        state: both,
      },
    };
  }

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
    ...spending(""),
    ...spending("console."),
    "console.own_spend.ask": {
      type: "enterprise",
      action: "spend_limit_increase.asked",
      prepare: async (tenant) => () => inConsole(tenant, "POST", "own_spend/increase", weekly),
      state: requestsOf,
    },
  };
}
