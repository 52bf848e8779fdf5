// The agent that a session begins with, and whether this server can run it and its members.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import { completeConfig, findAgentVersion, type AgentConfig } from "../../agents/module.ts";
import type { EnvironmentConfig } from "../../environments/module.ts";
import { catalogOf } from "../../models/module.ts";
import { judgeTarget, policyOf, portOf } from "../../sandboxes/module.ts";
import { findGoneSkill } from "../../skills/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
import { delegateTool, membersOf, rosterOf } from "./members.ts";
import { sandboxesPart } from "../sandbox/sandboxes.ts";
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

type EnvironmentType = EnvironmentConfig["type"];

/** Of a session that begins: what its members cannot do, and what of them is gone, is said now too. */
export async function expectCanBegin(
  actor: Actor,
  on: Queryable,
  agent: PinnedAgent,
  environment: EnvironmentConfig,
): Promise<void> {
  const { type: environmentType } = environment;
  await expectRunnable(actor, agent.config, environmentType);
  expectServersAllowed(agent.config, environment, itself);
  await expectSkills(actor, on, agent.config, itself);
  const members = await membersOf(on, workspaceOf(actor), agent);
  for (const { name, agent: member } of members) {
    const named = memberNamed(name);
    await expectOneRunnable(actor, member.config, environmentType, named);
    expectServersAllowed(member.config, environment, named);
    await expectSkills(actor, on, member.config, named);
  }
}

/** What the environment does not let through would fail in each turn. */
function expectServersAllowed(
  { mcp_servers: servers }: AgentConfig,
  environment: EnvironmentConfig,
  { has }: Named,
): void {
  if (environment.type !== "cloud") return;
  const policy = policyOf(environment, servers);
  for (const { name, url } of servers) {
    const address = new URL(url);
    const host = address.hostname;
    if (judgeTarget(policy, { host, port: portOf(address) }).isAllowed) continue;
    throw invalid(
      `environment_id: does not allow ${host}, and ${has} the MCP server ${JSON.stringify(name)} there. Add it to networking.allowed_hosts, or set networking.allow_mcp_servers.`,
      { code: "mcp_egress_blocked" },
    );
  }
}

const needsSandbox = (config: AgentConfig): boolean =>
  offeredTools(config).some((tool) => tool.kind === "built_in");

/** The agent alone: its members are those with which the session began. */
export async function expectRunnable(
  actor: Actor,
  config: AgentConfig,
  environmentType: EnvironmentType,
): Promise<void> {
  if (config.multiagent !== null) expectDelegation(config.multiagent, config);
  await expectOneRunnable(actor, config, environmentType, itself);
}

/** How a sentence speaks of the agent or of one of its members, and what mends it. */
interface Named {
  has: string;
  of: string;
  who: string;
  remedy: (field: string) => string;
}

const itself: Named = {
  has: "it has",
  of: "",
  who: "the agent",
  remedy: (field) => `Update the agent, or override ${field}.`,
};

function memberNamed(name: string): Named {
  const member = `its member ${JSON.stringify(name)}`;
  return {
    has: `${member} has`,
    of: ` of ${member}`,
    who: `the agent's member ${JSON.stringify(name)}`,
    remedy: () => "Update the member, and name it again in the agent.",
  };
}

async function expectOneRunnable(
  actor: Actor,
  config: AgentConfig,
  environmentType: EnvironmentType,
  { has, who, ...named }: Named,
): Promise<void> {
  const { execution_identity: identity } = config;
  expectModel(actor, config.model.id, named);
  if (identity.type !== "service_account")
    throw unsupported(
      `agent: ${has} the execution_identity ${identity.type}, which this server has not got`,
    );
  const isRunHere = environmentType === "cloud" && needsSandbox(config);
  const fault = isRunHere ? await sandboxesPart.of(actor).fault() : undefined;
  if (fault !== undefined)
    throw unsupported(
      `environment_id: is a cloud environment, whose tools of agent_toolset_20260401 this server runs in sandboxes, and ${who} has them, but none can be made here. ${fault.replace(/\.$/, "")}`,
    );
}

/** A coordinator with its members; what a newer form can do beside it is not there yet. */
function expectDelegation(
  multiagent: NonNullable<AgentConfig["multiagent"]>,
  config: AgentConfig,
): void {
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

function expectModel(actor: Actor, id: string, { of, remedy }: Pick<Named, "of" | "remedy">): void {
  const model = catalogOf(actor).resolve(id);
  if (model !== undefined && model.lifecycle !== "retired") return;
  const [state, code] =
    model === undefined ? ["gone", "model_not_found"] : ["retired", "model_retired"];
  throw invalid(`agent: the model ${JSON.stringify(id)}${of} is ${state}. ${remedy("the model")}`, {
    code,
  });
}

/** An agent keeps what it names, also where it is deleted since. */
async function expectSkills(
  actor: Actor,
  on: Queryable,
  { skills }: AgentConfig,
  { of, remedy }: Named,
): Promise<void> {
  const gone = await findGoneSkill(on, workspaceOf(actor), skills);
  if (gone === undefined) return;
  const { skillId, version, isThere } = gone;
  const what = isThere ? `version ${version} of the skill ${skillId}` : `the skill ${skillId}`;
  throw invalid(`agent: ${what}${of} is gone. ${remedy("the skills")}`, {
    code: "skill_not_found",
  });
}

const unsupported = (why: string) => invalid(`${why}.`, { code: "unsupported" });
