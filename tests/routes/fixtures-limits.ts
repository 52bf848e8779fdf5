// What the derived tests need to know of the routes of limits over the API.
import { alertFixtures } from "./fixtures-alerts.ts";
import { operator } from "../../server/audit/module.ts";
import { insertRequest } from "../../server/limits/spend/queries.ts";
import { provisionUser } from "../../server/members/module.ts";
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";
import { publicRateId } from "../../server/limits/rates/service.ts";

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

let made = 0;

/** A new member, so that nothing of what the others do meets it. */
const memberIn = ({ world, organizationId }: Tenant) => {
  const number = ++made;
  const member = { email: `limits-${number}@fixtures.example`, name: `Person ${number}` };
  return world.db.tx((tx) =>
    provisionUser(tx, world, operator, organizationId, { ...member, role: "user" }),
  );
};
const bodyOf = (user_id: string) => ({ scope: { type: "user", user_id }, amount: "100000000" });
const limitIn = async (tenant: Tenant) => {
  const body = bodyOf(await memberIn(tenant));
  const set = await tenant.console("POST", "/console/api/user_spend_limits", body);
  return { spend_limit_id: (set as { id: string }).id };
};
const twoLimits = async (tenant: Tenant) => {
  await limitIn(tenant);
  await limitIn(tenant);
};
const requestIn = async (tenant: Tenant) => {
  const { world, organizationId } = tenant;
  const id = world.ids.next("slir_");
  const userId = await memberIn(tenant);
  const request = { id, userId, period: "daily" as const, reason: null, at: world.clock.now() };
  await world.db.tx((tx) => insertRequest(tx, organizationId, request));
  return { spend_limit_increase_request_id: id };
};
const twoRequests = async (tenant: Tenant) => {
  await requestIn(tenant);
  await requestIn(tenant);
};
const periodsAsked = ["daily", "weekly", "monthly"];
const approval = () => ({ amount: "100000000" });
const setting = { body: async (tenant: Tenant) => bodyOf(await memberIn(tenant)) };

export const limitFixtures: Readonly<Record<string, Fixture>> = {
  ...alertFixtures,
  "rate_limits.list": { items: async () => {} },
  "workspaces.rate_limits.list": { params: workspaceOf, items: limitedGroupsIn },
  "workspaces.rate_limits.update": {
    params: async (tenant) => ({
      ...(await workspaceOf(tenant)),
      rate_limit_id: publicRateId(tenant.organizationId, "sim-large"),
    }),
    body: () => ({ limits: [{ type: "requests_per_minute", value: 999_999 }] }),
  },
  "spend_limits.list": { items: twoLimits },
  "spend_limits.retrieve": { params: limitIn },
  "spend_limits.set": setting,
  "spend_limits.delete": { params: limitIn },
  "console.user_spend_limits.set": setting,
  "console.user_spend_limits.delete": { params: limitIn },
  "spend_limits.effective": { items: twoLimits },
  "console.spend_limits.effective": { items: twoLimits },
  "spend_limit_increase_requests.list": { items: twoRequests },
  "console.spend_limit_increase_requests.list": { items: twoRequests },
  "spend_limit_increase_requests.retrieve": { params: requestIn },
  "console.spend_limit_increase_requests.retrieve": { params: requestIn },
  "spend_limit_increase_requests.approve": { params: requestIn, body: approval },
  "console.spend_limit_increase_requests.approve": { params: requestIn, body: approval },
  "spend_limit_increase_requests.deny": { params: requestIn, body: () => ({}) },
  "console.spend_limit_increase_requests.deny": { params: requestIn, body: () => ({}) },
  "console.own_spend.ask": { body: () => ({ period: periodsAsked[made++ % 3] }) },
};
