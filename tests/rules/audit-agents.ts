// The changes of agents that leave an event each.
import type { House, Tenant } from "../house.ts";
import { agentsOf } from "./agents-house.ts";
import type { AuditedChange } from "./audit-house.ts";

/** The house is there when they are made ready. */
export function agentChanges(houseOf: () => House): Record<string, AuditedChange> {
  const agents = agentsOf(houseOf);
  const agentsFor = async ({ api_key: key }: Tenant) => {
    const { body } = await agents.call("GET", "?include_archived=true", { key });
    return body.data as unknown[];
  };
  return {
    "agents.create": {
      action: "agent.created",
      prepare: async ({ api_key: key }) => {
        const body = { name: "Helper", model: "sim-small" };
        return () => agents.call("POST", "", { key, body });
      },
      state: agentsFor,
    },
    "agents.update": {
      action: "agent.updated",
      prepare: async ({ api_key: key }) => {
        const { id } = await agents.make({}, { key });
        return () => agents.call("POST", `/${id}`, { key, body: { name: "Other helper" } });
      },
      state: agentsFor,
    },
    "agents.archive": {
      action: "agent.archived",
      prepare: async ({ api_key: key }) => {
        const { id } = await agents.make({}, { key });
        return () => agents.call("POST", `/${id}/archive`, { key });
      },
      state: agentsFor,
    },
  };
}
