// How to make what the routes of deployments name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const path = "/v1/deployments";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };
const post = async (tenant: Tenant, to: string, body?: unknown) =>
  (await tenant.console("POST", to, body, beta)) as { id: string };

const bodyIn = async (tenant: Tenant) => {
  const [agent, environment] = await Promise.all([
    post(tenant, "/v1/agents", { name: "Helper", model: "sim-small" }),
    post(tenant, "/v1/environments", { name: "here" }),
  ]);
  return {
    name: "Report",
    agent: agent.id,
    environment_id: environment.id,
    initial_events: [{ type: "user.message", content: [{ type: "text", text: "Report." }] }],
    schedule: { type: "cron", expression: "0 9 * * 1-5", timezone: "Europe/Berlin" },
  };
};
const deploymentIn = async (tenant: Tenant) => ({
  deployment_id: (await post(tenant, path, await bodyIn(tenant))).id,
});
const runIn = async (tenant: Tenant) => {
  const { deployment_id } = await deploymentIn(tenant);
  const { id } = await post(tenant, `${path}/${deployment_id}/run`);
  return { deployment_run_id: id };
};

export const deploymentFixtures: Readonly<Record<string, Fixture>> = {
  "deployments.create": { body: bodyIn },
  "deployments.list": {
    items: async (tenant) => {
      await deploymentIn(tenant);
      await deploymentIn(tenant);
    },
  },
  "deployments.retrieve": { params: deploymentIn },
  "deployments.update": { params: deploymentIn, body: () => ({ name: "Other" }) },
  "deployments.archive": { params: deploymentIn },
  "deployments.pause": { params: deploymentIn },
  "deployments.unpause": { params: deploymentIn },
  "deployments.run": { params: deploymentIn },
  "deployment_runs.list": {
    items: async (tenant) => {
      await runIn(tenant);
      await runIn(tenant);
    },
  },
  "deployment_runs.retrieve": { params: runIn },
  "console.deployments.missed": { params: deploymentIn },
};
