// All tools of a thread: its agent's, and for a coordinator the way to other agents.
import type { World } from "../../../kernel/context.ts";
import type { AgentConfig } from "../../agents/module.ts";
import { webToolsOf } from "../../web_tools/module.ts";
import { delegateToolOf, type Member } from "./members.ts";
import { offeredTools, type OfferedTool } from "./tools.ts";

/** One that the model is not told of may be called all the same: its result says why it does not work. */
export type ThreadTool = OfferedTool & { isHidden?: true };

export const toolsOf = (
  world: Pick<World, "sections">,
  config: AgentConfig,
  members: readonly Member[],
): ThreadTool[] => [
  ...offeredTools(config),
  ...webToolsOf(world, config).map(({ isOffered, ...tool }): ThreadTool => ({
    kind: "built_in",
    ...tool,
    ...(!isOffered && { isHidden: true }),
  })),
  ...(members.length === 0 ? [] : [delegateToolOf(members)]),
];
