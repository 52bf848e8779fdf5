// What the brain appends: made of the state and of what a model has answered, and of nothing else.
import type { Block, Usage } from "../../models/module.ts";
import { nextStep, readyCalls, type NextStep, type Stop } from "../conversation/next.ts";
import type { CredentialError, ServerError } from "../conversation/events.ts";
import type { Call, Input } from "../conversation/state.ts";
import { internal, newEventId, visible } from "../events/drafts.ts";
import type { ModelFailure } from "../model/failures.ts";
import { endWork, reportToParent } from "./delegation.ts";
import type { RepositoryFaultTold } from "../sandbox/repositories/repositories.ts";
import type { StepContext } from "./context.ts";
import type { Draft } from "./drafts.ts";
import { addGraded, addGradingStart, addOutcomeBegun, dropOutcomes } from "./outcomes.ts";
import { closeQuestion } from "./questions.ts";
import { approveTool } from "../servers/seen-tools.ts";
import { add, addSpanEnd, closeSpan } from "./spans.ts";
import { tellIdle, tellRescheduled, tellRunning, tellWaiting } from "./statuses.ts";

/** What is left to be done outside, once all that follows from the state alone stands in the draft. */
export type OutsideStep = Exclude<NextStep, { do: "start_turn" | "answer_calls" | "stop" }>;

export function advance(draft: Draft, given: StepContext): OutsideStep {
  let context = given;
  for (;;) {
    const next = nextStep(draft.state, context.facts);
    switch (next.do) {
      case "start_turn":
        // Behind what came before it, also where both are of one millisecond.
        context = { ...context, now: new Date(context.now.getTime() + 1) };
        tellRunning(draft, context);
        takeInputs(draft, context, next.inputs, "internal.turn_started");
        addOutcomeBegun(draft);
        break;
      case "answer_calls":
        for (const { call, text } of next.answers) {
          const content = [{ type: "text", text }];
          addToolResult(draft, context, call, { content, isError: true });
        }
        break;
      case "stop":
        addStop(draft, context, next);
        break;
      case "ask_model":
      case "compact":
        tellRunning(draft, context);
        addSpanStart(draft, context);
        return next;
      case "list_tools":
        tellRunning(draft, context);
        return next;
      case "grade":
        tellRunning(draft, context);
        addGradingStart(draft, context);
        return next;
      case "run_tool":
        tellRunning(draft, context);
        approveTool(context, next.call);
        draft.add(internal({ type: "internal.tool_started", tool_use_id: next.call.id }));
        return next;
      case "wait":
        tellWaiting(context);
        return next;
      default:
        return next;
    }
  }
}

function takeInputs(
  draft: Draft,
  { now }: StepContext,
  inputs: readonly Input[],
  type: "internal.turn_started" | "internal.inputs_flushed",
): void {
  draft.take(inputs, now);
  draft.add(internal({ type, inputs: inputs.map(({ id }) => id) }));
}

/** One that a brain had begun that died is closed first, so that no client waits for its end. */
function addSpanStart(draft: Draft, context: StepContext): void {
  closeSpan(draft, context);
  add(draft, context, { type: "span.model_request_start" });
}

/** Also of calls that are not run, those of custom tools among them: the result is this server's own. */
export function addToolResult(
  draft: Draft,
  context: StepContext,
  call: Call,
  { content, isError, forPage }: { content: readonly Block[]; isError: boolean; forPage?: object },
): void {
  const { ids, now, drafts } = context;
  closeQuestion(draft, context, call, content);
  const answered =
    call.kind === "mcp"
      ? { type: "agent.mcp_tool_result", mcp_tool_use_id: call.id }
      : { type: "agent.tool_result", tool_use_id: call.id };
  const shown = forPage && { structured_content: forPage };
  const result = { ...answered, content, is_error: isError, ...shown };
  const event = visible(newEventId(ids), result, now);
  draft.add(event);
  // Where the call was told.
  if (draft !== drafts.primary && call.kind !== "agent")
    drafts.primary.add({
      ...event,
      data: { ...event.data, session_thread_id: draft.thread.id },
    });
  endWork(context, call.threadId);
}

const limitErrors = {
  tool_use_limit: {
    type: "tool_use_limit_reached_error",
    message: "The turn has used tools as often as a turn may; say how to go on.",
  },
  compaction_limit: {
    type: "compaction_limit_reached_error",
    message:
      "The conversation was summed up as often as it may be in one turn, and is still too long.",
  },
};

function addStop(draft: Draft, context: StepContext, stop: Stop): void {
  const { flushed = [], error, reason, details = null } = stop;
  // Of a brain that died, where an interrupt came before the next one.
  closeSpan(draft, context);
  if (flushed.length > 0) {
    takeInputs(draft, context, flushed, "internal.inputs_flushed");
    dropOutcomes(draft, context, flushed);
  }
  if (error !== undefined) {
    const { type, message } =
      error === "retries" ? (draft.state.turn?.error ?? noAnswer) : limitErrors[error];
    add(draft, context, {
      type: "session.error",
      error: { type, message, retry_status: { type: "exhausted" } },
    });
  }
  if (reason.type !== "requires_action" && reason.type !== "budget_reached") {
    endOutcome(draft, context);
    reportToParent(draft, context, reason);
  }
  tellIdle(draft, context, reason, details);
}

const noAnswer = {
  type: "model_request_failed_error",
  message: "The model could not be asked, however often it was tried.",
};

function endOutcome(draft: Draft, context: StepContext): void {
  const { outcome, isInterrupted } = draft.state;
  if (outcome === null || outcome.isClosing) return;
  const [result, explanation] = isInterrupted
    ? (["interrupted", "Interrupted before it was reached."] as const)
    : (["failed", "The work ended before the outcome was reached."] as const);
  addGraded(draft, context, outcome, { result, explanation, usage: undefined });
}

/** Answers whether it is tried again; where not, what the state leads to comes next. */
export function addFailure(draft: Draft, context: StepContext, failure: ModelFailure): boolean {
  closeSpan(draft, context);
  draft.thread.failure = failure;
  const { type, message } = failure;
  draft.add(
    internal({
      type: "internal.model_failed",
      is_transient: failure.isTransient,
      at_ms: context.now.getTime(),
      error: { type, message },
    }),
  );
  if (nextStep(draft.state, context.facts).do === "stop") return false;
  const error = { type, message, retry_status: { type: "retrying" } };
  add(draft, context, { type: "session.error", error });
  tellRescheduled(draft, context);
  return true;
}

/** Each call that would find its tools missing has its result; the session is idle, and another message tries again. */
export function addToolsFailure(
  draft: Draft,
  context: StepContext,
  call: Call,
  { words, result }: { words: string; result: { content: readonly Block[]; isError: boolean } },
): void {
  const others = readyCalls(draft.state, context.facts).filter(({ id }) => id !== call.id);
  for (const each of [call, ...others]) addToolResult(draft, context, each, result);
  const error = { type: "unknown_error", message: words };
  draft.add(internal({ type: "internal.tools_failed", error }));
}

/** Told once, until the server has answered: it is tried again in the next turn. */
export function addServerFault(draft: Draft, context: StepContext, error: ServerError): void {
  if (draft.state.serverFaults[error.mcp_server_name] === error.type) return;
  const retry_status = { type: "retrying" };
  add(draft, context, { type: "session.error", error: { ...error, retry_status } });
}

/** Told once, until it is another fault: the session goes on without. */
function addCredentialFault(draft: Draft, context: StepContext, error: CredentialError): void {
  if (draft.state.credentialFaults[error.credential_id] === error.message) return;
  const retry_status = { type: "retrying" };
  add(draft, context, { type: "session.error", error: { ...error, retry_status } });
}

export interface Listed {
  connected: readonly string[];
  errors: readonly ServerError[];
  /** Of credentials, where these were looked at. */
  useless?: readonly CredentialError[];
}

export function addToolsListed(
  draft: Draft,
  context: StepContext,
  { connected, errors, useless = [] }: Listed,
): void {
  for (const error of useless) addCredentialFault(draft, context, error);
  for (const error of errors) addServerFault(draft, context, error);
  draft.add(internal({ type: "internal.tools_listed", mcp_servers: [...connected] }));
}

/** It is tried again with a later call. */
export function addRepositoryFault(
  draft: Draft,
  context: StepContext,
  { fault, url, message }: RepositoryFaultTold,
): void {
  const type = `repository_${fault}_error`;
  const retry_status = { type: "retrying" };
  const error = { type, message, repository_url: url, retry_status };
  add(draft, context, { type: "session.error", error });
}

export function addSummary(
  draft: Draft,
  context: StepContext,
  summary: string,
  usage: Usage,
): void {
  addSpanEnd(draft, context, usage);
  draft.add(internal({ type: "internal.context_compacted", summary }));
  add(draft, context, { type: "agent.thread_context_compacted" });
}
