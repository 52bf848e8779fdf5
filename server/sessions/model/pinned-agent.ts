// The agent that a session begins with.
import { invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { completeConfig, findAgentVersion } from "../../agents/module.ts";
import { workspaceOf } from "../../workspaces/module.ts";
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
