// The agents that a session's agent may send work to, each of the version that it has there.
import type { Queryable } from "../../../kernel/sql/database.ts";
import { findAgentVersion, type AgentConfig } from "../../agents/module.ts";
import type { PinnedAgent } from "../queries.ts";
import type { OfferedTool } from "./tools.ts";

export interface Member {
  /** As the coordinator calls it: no two have one name. */
  name: string;
  agent: PinnedAgent;
}

type Roster = Extract<NonNullable<AgentConfig["multiagent"]>, { type: "coordinator" }>["agents"];

/** Empty where the agent works alone. */
export function rosterOf({ multiagent }: AgentConfig): Roster {
  if (multiagent === null) return [];
  if (multiagent.type === "coordinator") return multiagent.agents;
  return multiagent.subagents.type === "enabled" ? multiagent.subagents.predefined_agents : [];
}

export async function membersOf(
  on: Queryable,
  workspaceId: string,
  agent: PinnedAgent,
): Promise<Member[]> {
  const members: Member[] = [];
  for (const entry of rosterOf(agent.config)) {
    if (entry.type === "advisor") continue;
    const found = entry.type === "self" ? agent : await findAgentVersion(on, workspaceId, entry);
    if (found === undefined) continue;
    const { id, version, config } = found;
    // A member has no members of its own.
    const pinned = { id, version, config: { ...config, multiagent: null } };
    members.push({ name: freeName(config.name, members), agent: pinned });
  }
  return members;
}

function freeName(name: string, members: readonly Member[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} ${number}`;
    if (members.every((member) => member.name !== candidate)) return candidate;
  }
}

export const delegateTool = "send_to_agent";

/** How a coordinator gives work away: the answer is what the other agent says in the end. */
export const delegateToolOf = (members: readonly Member[]): OfferedTool => ({
  kind: "agent",
  name: delegateTool,
  description: `Sends a message to another agent, which works on it with tools of its own, and gives back what it says in the end. It knows nothing of this conversation but what it is sent. The agents:\n${members
    .map(
      ({ name, agent }) =>
        `- ${name}${agent.config.description === null ? "" : `: ${agent.config.description}`}`,
    )
    .join("\n")}`,
  inputSchema: {
    type: "object",
    properties: {
      agent: { type: "string", enum: members.map(({ name }) => name) },
      message: { type: "string", description: "All that the agent needs to know." },
    },
    required: ["agent", "message"],
  },
  policy: "always_allow",
});
