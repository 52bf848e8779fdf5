// All tools of a thread: its agent's, and for a coordinator the way to other agents.
import type { AgentConfig } from "../../agents/module.ts";
import { delegateToolOf, type Member } from "./members.ts";
import { offeredTools, type OfferedTool } from "./tools.ts";

export const toolsOf = (config: AgentConfig, members: readonly Member[]): OfferedTool[] => [
  ...offeredTools(config),
  ...(members.length === 0 ? [] : [delegateToolOf(members)]),
];
