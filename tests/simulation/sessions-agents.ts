// What the simulation of sessions has in each workspace, for either environment: a coordinator, and the agent it gives
// work to. In the cloud they have the tools of a computer too.
import { sql } from "../../kernel/sql/statement.ts";
import { newConfig } from "../../server/environments/config.ts";
import type { TimedDatabase } from "../kernel/timed-database.ts";

export const workspaces = ["wrkspc_1", "wrkspc_2"];

export async function prepareAgents({ observer }: TimedDatabase): Promise<void> {
  const tool = (name: string) => ({
    type: "custom",
    name,
    description: "Does it",
    input_schema: { type: "object" },
  });
  const computer = {
    type: "agent_toolset_20260401",
    configs: [],
    default_config: { enabled: true, permission_policy: { type: "always_allow" } },
  };
  const configOf = (name: string, tools: object[], multiagent: object | null) => ({
    name,
    description: null,
    // Dear enough that budgets of a cent are reached.
    model: { id: "sim-large", speed: "standard" },
    system: null,
    tools,
    mcp_servers: [],
    skills: [],
    metadata: {},
    multiagent,
    execution_identity: { type: "service_account" },
  });
  const custom = [tool("one"), tool("two")];
  for (const workspace of workspaces)
    for (const kind of ["self_hosted", "cloud"] as const) {
      const name = `${kind}_${workspace}`;
      const environment = newConfig({ sections: {} }, { type: kind });
      const tools = kind === "cloud" ? [...custom, computer] : custom;
      const [id, worker] = [`agent_${name}`, `agent_worker_${name}`];
      const agents = [{ type: "agent", id: worker, version: 1 }];
      for (const [agent, made] of [
        [worker, configOf("Worker", tools, null)],
        [id, configOf("Helper", tools, { type: "coordinator", agents })],
      ] as const) {
        const config = JSON.stringify(made);
        await observer.query(sql`
          insert into agents (id, organization_id, workspace_id, version, created_at)
          values (${agent}, 'org_1', ${workspace}, 1, now())`);
        await observer.query(sql`
          insert into agent_versions (agent_id, version, config, bytes, created_at)
          values (${agent}, 1, ${config}, ${config.length}, now())`);
      }
      await observer.query(sql`
        insert into environments (id, organization_id, workspace_id, name, config, metadata, created_at, updated_at)
        values (${`env_${name}`}, 'org_1', ${workspace}, ${kind}, ${JSON.stringify(environment)}, '{}', now(), now())`);
    }
}
