// Work that one agent gives to another: a thread of its own, and what goes to and fro between the two.
import type { World } from "../../../kernel/context.ts";
import type { Block } from "../../models/module.ts";
import type { StopReason } from "../conversation/events.ts";
import { textOf } from "../conversation/turns.ts";
import { internal, newEventId, visible, type EventData } from "../events/drafts.ts";
import { limits } from "../limits.ts";
import { delegateTool, type Member } from "../model/members.ts";
import type { Draft } from "./drafts.ts";
import { tellRunning } from "./statuses.ts";
import type { StepContext } from "./context.ts";
import { Thread } from "./thread.ts";

export interface Delegation {
  to: Thread;
  text: string;
}

/**
 * By the block of its call. What names no agent, or one thread too many, is no delegation: it is refused as a call. So
 * is all that stands behind an interrupt. Threads are looked at as they are when the answer is appended: while the
 * model wrote it, one may have been archived, interrupted or begun.
 */
export function delegationsOf(
  world: World,
  content: readonly Block[],
  {
    from,
    members,
    threads,
  }: { from: Thread; members: readonly Member[]; threads: readonly Thread[] },
): Map<string, Delegation> {
  const delegations = new Map<string, Delegation>();
  if (from.state.isInterrupted) return delegations;
  const busy = new Set<Thread>();
  let count = threads.filter(({ state }) => state.status !== "terminated").length;
  for (const block of content) {
    if (block.type !== "tool_use" || block["name"] !== delegateTool) continue;
    const { agent, message } = block["input"] as { agent?: unknown; message?: unknown };
    const member = members.find(({ name }) => name === agent);
    if (member === undefined || typeof message !== "string" || message === "") continue;
    const known = threads.find((thread) => !busy.has(thread) && isFree(thread, from, member));
    if (known === undefined && count >= limits.threadsMax) continue;
    const to = known ?? newThread(world, from, member);
    if (known === undefined) count += 1;
    busy.add(to);
    delegations.set(String(block["id"]), { to, text: message });
  }
  return delegations;
}

const newThread = (world: World, from: Thread, { name, agent }: Member): Thread =>
  new Thread(
    world,
    { id: world.ids.next("sthr_"), parentId: from.id, agent, agentName: name },
    from.cache,
  );

/** An agent that has been asked before goes on with what it knows. */
const isFree = ({ facts, state }: Thread, from: Thread, { name }: Member): boolean =>
  facts.parentId === from.id &&
  facts.agentName === name &&
  state.status === "idle" &&
  state.turn === null &&
  !state.isInterrupted &&
  state.waiting.length === 0;

/** On both sides, under an id each; the receiver runs from now on. */
export function sendToAgent(
  draft: Draft,
  context: StepContext,
  id: string,
  { to, text }: Delegation,
): void {
  const { ids, now, drafts } = context;
  const receiver = drafts.of(to);
  const content = [{ type: "text", text }];
  const { agentName } = to.facts;
  if (receiver.from === 0) {
    drafts.begin(to);
    drafts.primary.add(
      visible(
        newEventId(ids),
        {
          type: "session.thread_created",
          session_thread_id: to.id,
          agent_name: agentName,
          workflow_run_id: null,
        },
        now,
      ),
    );
  }
  draft.add(visible(id, sentEvent(to.id, agentName, content), now));
  // It begins with it at once.
  receiver.add(
    visible(
      newEventId(ids),
      receivedEvent(draft.thread.id, context.thread.agentName, content),
      now,
    ),
  );
  tellRunning(receiver, context.of(to));
}

const sentEvent = (to: string, name: string, content: object[]): EventData => ({
  type: "agent.thread_message_sent",
  to_session_thread_id: to,
  to_agent_name: name,
  content,
});

const receivedEvent = (from: string, name: string, content: object[]): EventData => ({
  type: "agent.thread_message_received",
  from_session_thread_id: from,
  from_agent_name: name,
  content,
});

/** The end of a turn goes back to the thread that waits for it. */
export function reportToParent(draft: Draft, context: StepContext, reason: StopReason): void {
  const { drafts, ids, now } = context;
  const { parentId, agentName } = draft.thread.facts;
  const parent = drafts.threads.find(({ id }) => id === parentId);
  if (parent === undefined) return;
  const receiver = drafts.of(parent);
  const isAwaited = receiver.state.calls.some(
    ({ threadId, result }) => threadId === draft.thread.id && result === null,
  );
  if (!isAwaited) return;
  const content = [{ type: "text", text: lastWords(draft, reason) }];
  draft.add(visible(newEventId(ids), sentEvent(parent.id, parent.facts.agentName, content), now));
  receiver.add(visible(newEventId(ids), receivedEvent(draft.thread.id, agentName, content), now));
}

/** Of a thread whose call has been answered without it: no thread waits for the end of its work. */
export function endWork({ drafts }: StepContext, threadId: string | null): void {
  const thread = drafts.threads.find(({ id }) => id === threadId);
  if (thread === undefined) return;
  const { status, turn, waiting, isInterrupted } = thread.state;
  const isAtWork = turn !== null || waiting.length > 0;
  if (!isAtWork || isInterrupted || status === "terminated") return;
  drafts.of(thread).add(internal({ type: "internal.interrupted" }));
}

const ends: Partial<Record<StopReason["type"], string>> = {
  refusal: "The agent's model refused to answer.",
  retries_exhausted: "The agent has given up: its model could not be asked.",
};

function lastWords({ state }: Draft, { type }: StopReason): string {
  if (state.isInterrupted) return "The agent was interrupted before it was done.";
  const end = ends[type];
  if (end !== undefined) return end;
  const last = state.turns.at(-1);
  const words = last?.role === "assistant" ? textOf(last.content) : "";
  return words || "The agent has ended without a word.";
}
