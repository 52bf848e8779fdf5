// How to make what the routes of agents name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const beta = { "vendor-beta": "managed-agents-2026-04-01" };
const agent = () => ({ name: "Helper", model: "sim-small" });
const agentIn = async (tenant: Tenant) => {
  const { id } = (await tenant.console("POST", "/v1/agents", agent(), beta)) as { id: string };
  return { agent_id: id };
};

export const agentFixtures: Readonly<Record<string, Fixture>> = {
  "agents.create": { body: agent },
  "agents.list": {
    items: async (tenant) => {
      await agentIn(tenant);
      await agentIn(tenant);
    },
  },
  "agents.retrieve": { params: agentIn },
  "agents.update": { params: agentIn, body: () => ({ name: "Other helper" }) },
  "agents.archive": { params: agentIn },
  "agents.versions.list": {
    params: async (tenant) => {
      const made = await agentIn(tenant);
      const path = `/v1/agents/${made.agent_id}`;
      await tenant.console("POST", path, { name: "Other helper" }, beta);
      return made;
    },
    items: async () => {},
  },
};
