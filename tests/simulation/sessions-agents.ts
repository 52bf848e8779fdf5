// What the simulation of sessions has in each workspace: an environment, a coordinator, and the agent it gives work to.
import { sql } from "../../kernel/sql/statement.ts";
import type { TimedDatabase } from "../kernel/timed-database.ts";

export const workspaces = ["wrkspc_1", "wrkspc_2"];

export async function prepareAgents({ observer }: TimedDatabase): Promise<void> {
  const tool = (name: string) => ({
    type: "custom",
    name,
    description: "Does it",
    input_schema: { type: "object" },
  });
  const configOf = (name: string, multiagent: object | null) => ({
    name,
    description: null,
    // Dear enough that budgets of a cent are reached.
    model: { id: "sim-large", speed: "standard" },
    system: null,
    tools: [tool("one"), tool("two")],
    mcp_servers: [],
    skills: [],
    metadata: {},
    multiagent,
    execution_identity: { type: "service_account" },
  });
  for (const workspace of workspaces) {
    const [id, worker] = [`agent_${workspace}`, `agent_worker_${workspace}`];
    const agents = [{ type: "agent", id: worker, version: 1 }];
    for (const [agent, made] of [
      [worker, configOf("Worker", null)],
      [id, configOf("Helper", { type: "coordinator", agents })],
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
      values (${`env_${workspace}`}, 'org_1', ${workspace}, 'lab', '{"type":"self_hosted"}', '{}', now(), now())`);
  }
}
