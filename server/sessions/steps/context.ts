// What the steps of a thread are made from, beside its state.
import type { Ids } from "../../../kernel/base/ids.ts";
import type { World } from "../../../kernel/context.ts";
import { catalogOf } from "../../models/module.ts";
import type { ThreadFacts } from "../conversation/next.ts";
import { limits } from "../limits.ts";
import type { ThreadName } from "../events/drafts.ts";
import type { Member } from "../model/members.ts";
import type { WorkedSession } from "../model/queries.ts";
import { toolsRunHere, type OfferedTool } from "../model/tools.ts";
import { toolsOf } from "../model/tools-of-thread.ts";
import type { PinnedAgent } from "../queries.ts";
import type { SessionDrafts } from "./drafts.ts";
import type { Thread } from "./thread.ts";
import { costSoFar } from "./usage.ts";

export interface StepContext {
  ids: Ids;
  now: Date;
  drafts: SessionDrafts;
  thread: ThreadName;
  tools: readonly OfferedTool[];
  /** The names of the agent's MCP servers. */
  servers: readonly string[];
  facts: ThreadFacts;
  /** The same for another thread of the session. */
  of(thread: Thread): StepContext;
}

export const agentOf = ({ facts }: Thread, session: WorkedSession): PinnedAgent =>
  facts.agent ?? session.agent;

export function contextOf(
  world: World,
  {
    drafts,
    session,
    members,
    thread,
    now = world.clock.now(),
  }: {
    drafts: SessionDrafts;
    session: WorkedSession;
    members: readonly Member[];
    thread: Thread;
    now?: Date;
  },
): StepContext {
  const agent = agentOf(thread, session);
  return {
    ids: world.ids,
    now,
    drafts,
    thread: { id: thread.id, agentName: thread.facts.agentName },
    tools: toolsOf(world, agent.config, thread.facts.parentId === null ? members : []),
    servers: agent.config.mcp_servers.map(({ name }) => name),
    facts: factsOf(world, session, { agent, isPrimary: thread.facts.parentId === null }),
    of: (other) => contextOf(world, { drafts, session, members, thread: other, now }),
  };
}

function factsOf(
  world: World,
  session: WorkedSession,
  { agent: { config }, isPrimary }: { agent: PinnedAgent; isPrimary: boolean },
): ThreadFacts {
  const { budgetNano, environmentType, vaultIds } = session;
  const window = catalogOf(world).resolve(config.model.id)?.maxInputTokens ?? null;
  return {
    toolsHere: toolsRunHere(environmentType),
    hasServices: config.mcp_servers.length > 0 || (isPrimary && vaultIds.length > 0),
    isBudgetReached: budgetNano !== null && costSoFar(world, session) >= budgetNano,
    compactAtTokens: window === null ? null : window * limits.compactAtShare,
    nowMs: world.clock.now().getTime(),
  };
}
