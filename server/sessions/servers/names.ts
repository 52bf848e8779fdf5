// What the model of a thread calls the tools of MCP servers: by their own names where those stand for one tool alone,
// else by the names of server and tool. It is decided once (MCP37 to MCP39).
import { sandboxTools } from "../../sandboxes/module.ts";
import { webTools } from "../../web_tools/module.ts";
import type { ToolNaming } from "../conversation/events.ts";
import type { ThreadState } from "../conversation/state.ts";
import { internal } from "../events/drafts.ts";
import { limits } from "../limits.ts";
import { delegateTool } from "../model/members.ts";
import type { OfferedTool, RemoteTool } from "../model/tools.ts";
import type { ThreadTool } from "../model/tools-of-thread.ts";
import type { Draft } from "../steps/drafts.ts";
import { questionName } from "../steps/questions.ts";
import type { Thread } from "../steps/thread.ts";
import { seenKeyOf } from "./seen-tools.ts";

type ThreadPast = Pick<Thread, "state" | "facts">;

export interface NamedTools {
  tools: ThreadTool[];
  /** What has not been decided before. */
  decided: ToolNaming[];
}

/** As all models take it. It begins with a letter, and not like the names that are made of two. */
const bareName = /^(?!mcp__)[a-z][a-z0-9_-]*$/i;
/** Of tools that this server has, whether the agent has them or not. */
const reserved = new Set<string>([...sandboxTools, ...webTools, delegateTool, questionName]);

/** No two names differ in their case alone. */
const keyOf = (name: string) => name.toLowerCase();

const canBeBare = (name: string): boolean =>
  name.length <= limits.bareNameCharactersMax && bareName.test(name) && !reserved.has(keyOf(name));

const namingOf = ({ toolNames }: ThreadState, name: string): ToolNaming | undefined =>
  Object.hasOwn(toolNames, keyOf(name)) ? toolNames[keyOf(name)] : undefined;

/** One of a server whose two names the agent's own tools have is not offered: a name stands for one tool. */
export function withServerTools(
  thread: ThreadPast,
  own: readonly ThreadTool[],
  ofServers: readonly OfferedTool[],
): NamedTools {
  const { state } = thread;
  const ownNames = new Set(own.map(({ name }) => name));
  const ownKeys = new Set(own.map(({ name }) => keyOf(name)));
  const times = Map.groupBy(ofServers, ({ remote }) => keyOf(remote?.name ?? ""));
  let room = limits.bareNamesMax - Object.keys(state.toolNames).length;
  const decided = new Map<string, ToolNaming>();
  for (const tool of ofServers) {
    const { remote } = tool;
    if (remote === undefined || !canBeBare(remote.name)) continue;
    const { server, name } = remote;
    const key = keyOf(name);
    const known = namingOf(state, name);
    if (decided.has(key) || known?.server === null) continue;
    const isTaken = ownKeys.has(key);
    const isFree = !isTaken && times.get(key)?.length === 1 && !wasOffered(thread, remote);
    if (known === undefined && room-- > 0)
      decided.set(key, { name, server: isFree ? server : null });
    // The agent has been given a tool of its own that is called so.
    if (known !== undefined && isTaken) decided.set(key, { name, server: null });
  }
  const named = ofServers.map((tool): OfferedTool => {
    const { server, name = "" } = tool.remote ?? {};
    const naming = decided.get(keyOf(name)) ?? namingOf(state, name);
    const isBare = naming?.server === server && naming?.name === name;
    return isBare ? { ...tool, name } : tool;
  });
  return {
    tools: [...own, ...named.filter(({ name }) => !ownNames.has(name))],
    decided: [...decided.values()],
  };
}

/** In a thread that began when all names were made of two. */
function wasOffered({ state, facts }: ThreadPast, remote: RemoteTool): boolean {
  if (facts.parentId === null) return Object.hasOwn(state.seenTools, seenKeyOf(remote));
  const hasAnswered = state.turns.some(({ role }) => role === "assistant");
  return hasAnswered && Object.keys(state.toolNames).length === 0;
}

export function rememberNames(draft: Draft, { decided }: NamedTools): void {
  if (decided.length > 0) draft.add(internal({ type: "internal.mcp_tools_named", names: decided }));
}

/** The server's tool that a name stands for in this thread, also where it is not there any more. */
export function bareNameOf(
  state: ThreadState,
  called: string,
): { server: string; name: string } | undefined {
  const { name, server = null } = namingOf(state, called) ?? {};
  return name === called && server !== null ? { server, name } : undefined;
}
