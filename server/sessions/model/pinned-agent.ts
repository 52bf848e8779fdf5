// The agent that a session begins with, and whether this server can run it.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { completeConfig, findAgentVersion, type AgentConfig } from "../../agents/module.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import { catalogOf } from "../../models/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { delegateTool, rosterOf } from "./members.ts";
import { offeredTools } from "./tools.ts";
import type { PinnedAgent } from "../queries.ts";
import type { AgentInput } from "../schema.ts";

export async function pinAgent(actor: Actor, tx: Tx, given: AgentInput): Promise<PinnedAgent> {
  const reference = typeof given === "string" ? { id: given, version: null } : given;
  const { id, version = null } = reference;
  const workspaceId = workspaceOf(actor);
  const found = await findAgentVersion(tx, workspaceId, { id, version });
  if (found === undefined) {
    const newest = await findAgentVersion(tx, workspaceId, { id });
    throw newest === undefined
      ? notFound("agent", id)
      : notFound(`version ${version} of the agent`, `${id}, whose newest is ${newest.version}`);
  }
  if (found.archivedAt !== null)
    throw invalid(`agent: the agent ${id} is archived, and no new session runs it.`, {
      code: "agent_archived",
    });
  const pinned = { id, version: found.version, config: found.config };
  if (typeof given === "string" || given.type === "agent") return pinned;
  const { type: _type, id: _id, version: _version, ...overrides } = given;
  const scope = { actor, on: tx, agentId: id };
  return { ...pinned, config: await completeConfig(scope, overrides, found.config) };
}

/** What the agent has been told to do and this server cannot do, said before anything begins. */
export function expectRunnable(
  actor: Actor,
  config: AgentConfig,
  environmentType: EnvironmentConfig["type"],
) {
  const { multiagent, execution_identity: identity, tools } = config;
  expectModel(actor, config.model.id);
  if (multiagent !== null) expectDelegation(multiagent, config);
  if (identity.type !== "service_account")
    throw unsupported(
      `agent: its execution_identity is ${identity.type}, which this server has not got`,
    );
  if (tools.some(({ type }) => type === "mcp_toolset"))
    throw unsupported(
      "agent: it has tools of MCP servers, which this server does not connect to yet",
    );
  const needsHands =
    environmentType === "cloud" && offeredTools(config).some((tool) => tool.kind === "built_in");
  if (needsHands)
    throw unsupported(
      "environment_id: is a cloud environment, in which this server does not run the tools of agent_toolset_20260401 yet; take a self_hosted one, or an agent without them",
    );
}

/** A coordinator with its members; what a newer form can do beside it is not there yet. */
function expectDelegation(multiagent: NonNullable<AgentConfig["multiagent"]>, config: AgentConfig) {
  if (multiagent.type === "multiagent_20261001") {
    if (multiagent.workflows.type === "enabled")
      throw unsupported(
        "agent: its multiagent has workflows enabled, which this server does not run yet; disable them",
      );
    if (multiagent.advisor.type === "enabled")
      throw unsupported("agent: its multiagent has an advisor, which this server does not ask yet");
    if (multiagent.subagents.type === "enabled" && rosterOf(config).length === 0)
      throw unsupported(
        "agent: its multiagent has inline subagents alone, which this server does not make yet; name predefined_agents",
      );
  } else if (multiagent.agents.some(({ type }) => type === "advisor"))
    throw unsupported("agent: its multiagent has an advisor, which this server does not ask yet");
  if (offeredTools(config).some(({ name }) => name === delegateTool))
    throw invalid(
      `agent: a custom tool is called ${delegateTool}, which is how a coordinator sends work to its agents; give it another name.`,
    );
}

function expectModel(actor: Actor, name: string): void {
  const model = catalogOf(actor).resolve(name);
  if (model === undefined)
    throw invalid(
      `agent: its model ${JSON.stringify(name)} is gone. Update the agent, or override the model.`,
      {
        code: "model_not_found",
      },
    );
  if (model.lifecycle === "retired")
    throw invalid(
      `agent: its model ${JSON.stringify(name)} is retired. Update the agent, or override the model.`,
      {
        code: "model_retired",
      },
    );
}

const unsupported = (why: string) => invalid(`${why}.`, { code: "unsupported" });
