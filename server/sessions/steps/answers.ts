// An answer of a model as the events that it becomes.
import { remoteNamesOf } from "../../mcp_client/module.ts";
import type { Block, Message } from "../../models/module.ts";
import type { Permission, SeenTool } from "../conversation/events.ts";
import { internal, visible, type EventData } from "../events/drafts.ts";
import type { AnswerEvents } from "../model/answer-events.ts";
import type { Verdict } from "../model/judges/judged-calls.ts";
import { toolCalled, type Policy } from "../model/tools.ts";
import { sendToAgent, type Delegation } from "./delegation.ts";
import type { Draft } from "./drafts.ts";
import type { StepContext } from "./context.ts";
import { bareNameOf } from "../servers/names.ts";
import { changeOf } from "../servers/seen-tools.ts";
import { addSpanEnd } from "./spans.ts";

export interface Answer {
  message: Message;
  events: AnswerEvents;
  /** By the block of the call. */
  delegations: ReadonlyMap<string, Delegation>;
  /** On calls of tools with the policy `auto`, where the guard came to one. */
  verdicts: ReadonlyMap<Block, Verdict>;
}

/** A call that was cut off has not all of its arguments. */
export const wholeContent = ({ stop_reason, content }: Message): Block[] =>
  stop_reason === "tool_use" ? content : content.filter(({ type }) => type !== "tool_use");

/** As it can be shown to a model again: thoughts are as they were signed. */
export const readableAnswer = (message: Message): Message => ({
  ...message,
  content: message.content.map((block) =>
    block.type === "tool_use" || block.type === "text" ? readable(block) : block,
  ),
});

/**
 * Every text in it, however deep: without a NUL, and without half a character. No request takes a field `__proto__`: it
 * is left out, or all turns to come would fail.
 */
function readable<Value>(value: Value): Value;
function readable(value: unknown): unknown {
  if (typeof value === "string") return value.replaceAll("\0", "\uFFFD").toWellFormed();
  if (Array.isArray(value)) return value.map((each) => readable(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "__proto__")
      .map(([name, each]) => [readable(name), readable(each)]),
  );
}

/** The tool whose call the limit of an answer broke off. */
const cutOffIn = ({ stop_reason, content }: Message): string | null =>
  stop_reason === "max_tokens"
    ? (content
        .filter(({ type }) => type === "tool_use")
        .map(({ name }) => String(name))
        .at(-1) ?? null)
    : null;

export function addAnswer(draft: Draft, context: StepContext, answer: Answer): void {
  const { message, events } = answer;
  const content = wholeContent(message);
  const parts = events.of(content);
  const { usage } = message;
  draft.add(
    internal({
      type: "internal.model_answered",
      content,
      stop_reason: message.stop_reason,
      stop_details: detailsOf(message),
      cut_off: cutOffIn(message),
      calls: parts.filter(({ kind }) => kind === "call").map(({ id }) => id),
      context_tokens:
        usage.input_tokens +
        usage.output_tokens +
        (usage.cache_read_input_tokens ?? 0) +
        (usage.cache_creation_input_tokens ?? 0),
    }),
  );
  addParts(draft, context, answer, parts);
}

type Parts = ReturnType<AnswerEvents["of"]>;

function addParts(
  draft: Draft,
  context: StepContext,
  { message, delegations, verdicts }: Answer,
  parts: Parts,
): void {
  for (const { id, kind, blocks } of parts) {
    const [first] = blocks;
    if (first === undefined) continue;
    if (kind !== "call") {
      draft.add(visible(id, { type: kind, ...contentOf(kind, blocks) }, context.now));
      continue;
    }
    const delegation = delegations.get(String(first["id"]));
    if (delegation !== undefined) {
      sendToAgent(draft, context, id, delegation);
      continue;
    }
    const { event, changed } = callEvent(first, draft, context, verdicts.get(first));
    tellCall(draft, context, id, event);
    if (changed !== undefined)
      draft.add(internal({ type: "internal.mcp_tool_changed", tool_use_id: id, tool: changed }));
  }
  addSpanEnd(draft, context, message.usage);
}

const contentOf = (kind: string, blocks: readonly Block[]) =>
  kind === "agent.message" ? { content: blocks.map(({ text }) => ({ type: "text", text })) } : {};

const detailsOf = ({ stop_reason, stop_details }: Message) =>
  stop_reason !== "refusal"
    ? null
    : {
        type: "refusal" as const,
        category: stop_details?.category ?? null,
        explanation: stop_details?.explanation ?? null,
      };

/** A call of another thread is told in the session's own too, which is where clients look for it. */
function tellCall(draft: Draft, context: StepContext, id: string, call: EventData): void {
  const { drafts, now } = context;
  if (draft === drafts.primary) return draft.add(visible(id, call, now));
  const event = visible(id, { ...call, session_thread_id: draft.thread.id }, now);
  draft.add(event);
  drafts.primary.add(event);
}

function callEvent(
  block: Block,
  { state }: Draft,
  context: StepContext,
  verdict: Verdict | undefined,
): { event: EventData; changed?: SeenTool } {
  const { tools, servers } = context;
  const { name, input } = block as unknown as { name: string; input: Record<string, unknown> };
  const tool = toolCalled(tools, name);
  if (tool?.kind === "custom") return { event: { type: "agent.custom_tool_use", name, input } };
  // One that is not there any more is still a call of its server's tool, as earlier calls of it were.
  const remote =
    tool === undefined ? (bareNameOf(state, name) ?? remoteNamesOf(name, servers)) : tool.remote;
  if (remote === undefined) {
    const policy = tool?.kind === "built_in" ? tool.policy : undefined;
    return { event: { type: "agent.tool_use", name, input, ...permissionOf(policy, verdict) } };
  }
  const change = tool && changeOf(context, tool);
  // What a guard denies is not run, whatever a person would say.
  const isAsked = change !== undefined && verdict !== "deny";
  const event = {
    type: "agent.mcp_tool_use",
    mcp_server_name: remote.server,
    name: remote.name,
    input,
    ...permissionOf(isAsked ? "always_ask" : tool?.policy, verdict),
    ...(tool?.remote?.page && { tool_page: tool.remote.page }),
  };
  if (!isAsked) return { event };
  const { before, after, seen } = change;
  return { event: { ...event, tool_change: { before, after } }, changed: seen };
}

/** A tool that the agent has not got is refused before any policy is asked. */
function permissionOf(
  policy: Policy | undefined,
  verdict: Verdict | undefined,
): {
  evaluated_permission: Permission;
  evaluation?: object;
} {
  if (policy === undefined) return { evaluated_permission: "deny" };
  if (policy === "always_allow")
    return { evaluated_permission: "allow", evaluation: { type: policy } };
  if (policy === "always_ask") return { evaluated_permission: "ask", evaluation: { type: policy } };
  const evaluated_permission = judgements[verdict ?? "none"];
  const { type } = evaluated_permission;
  return { evaluated_permission: type, evaluation: { type: policy, evaluated_permission } };
}

/** Without a verdict the person at the other end judges. */
const judgements = {
  allow: { type: "allow" },
  deny: { type: "deny", reason_code: "high_risk" },
  none: { type: "ask", reason_code: "indeterminate" },
} as const;
