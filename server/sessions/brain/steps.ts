// What the brain appends: made of the state and of what a model has answered, and of nothing else.
import type { Ids } from "../../../kernel/base/ids.ts";
import type { Usage } from "../../models/module.ts";
import {
  nextStep,
  type CallAnswer,
  type NextStep,
  type Stop,
  type ThreadFacts,
} from "../conversation/next.ts";
import type { Input, OutcomeState } from "../conversation/state.ts";
import {
  idleEvents,
  internal,
  newEventId,
  rescheduledEvents,
  runningEvents,
  visible,
  type EventData,
  type ThreadName,
} from "../events/drafts.ts";
import type { Grade } from "../model/grading.ts";
import type { ModelFailure } from "../model/failures.ts";
import type { Draft } from "./thread.ts";
import type { OfferedTool } from "../model/tools.ts";

export interface StepContext {
  ids: Ids;
  now: Date;
  thread: ThreadName;
  tools: readonly OfferedTool[];
  facts: ThreadFacts;
  /** The newest failure, where there was one. */
  failure: ModelFailure | undefined;
}

/** What is left to be done outside, once all that follows from the state alone stands in the draft. */
export type OutsideStep = Extract<
  NextStep,
  { do: "rest" | "ask_model" | "compact" | "run_tool" | "grade" }
>;

export function advance(draft: Draft, context: StepContext): OutsideStep {
  for (;;) {
    const next = nextStep(draft.state, context.facts);
    switch (next.do) {
      case "start_turn":
        addRunning(draft, context);
        takeInputs(draft, next.inputs, "internal.turn_started");
        break;
      case "answer_calls":
        for (const answer of next.answers) addCallAnswer(draft, context, answer);
        break;
      case "stop":
        addStop(draft, context, next);
        break;
      case "ask_model":
      case "compact":
        addRunning(draft, context);
        addSpanStart(draft, context);
        return next;
      case "grade":
        addRunning(draft, context);
        addGradingStart(draft, context);
        return next;
      default:
        return next;
    }
  }
}

const add = (draft: Draft, { ids, now }: StepContext, ...events: readonly EventData[]): void => {
  for (const event of events) draft.add(visible(newEventId(ids), event, now));
};

function addRunning(draft: Draft, context: StepContext): void {
  if (draft.state.status !== "running") add(draft, context, ...runningEvents(context.thread));
}

function takeInputs(
  draft: Draft,
  inputs: readonly Input[],
  type: "internal.turn_started" | "internal.inputs_flushed",
): void {
  draft.take(inputs);
  draft.add(internal({ type, inputs: inputs.map(({ id }) => id) }));
}

/** One that a brain had begun that died is closed first, so that nobody waits for its end. */
function addSpanStart(draft: Draft, context: StepContext): void {
  if (draft.state.openSpan !== null) addSpanEnd(draft, context, undefined);
  add(draft, context, { type: "span.model_request_start" });
}

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export const spanUsage = (usage: Usage | undefined) =>
  usage === undefined
    ? noUsage
    : {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
        cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
      };

export function addSpanEnd(draft: Draft, context: StepContext, usage: Usage | undefined): void {
  add(draft, context, {
    type: "span.model_request_end",
    model_request_start_id: draft.state.openSpan,
    is_error: usage === undefined,
    model_usage: spanUsage(usage),
  });
}

/** Of calls that nobody runs, also of custom tools: the result is this server's own. */
function addCallAnswer(draft: Draft, context: StepContext, { call, text }: CallAnswer): void {
  add(draft, context, {
    type: "agent.tool_result",
    tool_use_id: call.id,
    content: [{ type: "text", text }],
    is_error: true,
  });
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
  if (stop.flushed !== undefined && stop.flushed.length > 0)
    takeInputs(draft, stop.flushed, "internal.inputs_flushed");
  if (stop.error !== undefined) {
    const { type, message } =
      stop.error === "retries" ? (context.failure ?? forgotten) : limitErrors[stop.error];
    const error = { type, message, retry_status: { type: "exhausted" } };
    add(draft, context, { type: "session.error", error });
  }
  const { outcome } = draft.state;
  const isOver = stop.reason.type !== "requires_action" && stop.reason.type !== "budget_reached";
  if (isOver && outcome !== null && !outcome.isClosing)
    addGraded(draft, context, outcome, {
      result: draft.state.isInterrupted ? "interrupted" : "failed",
      explanation: draft.state.isInterrupted
        ? "Interrupted before it was reached."
        : "The work ended before the outcome was reached.",
      usage: undefined,
    });
  add(draft, context, ...idleEvents(context.thread, stop.reason, stop.details ?? null));
}

/** By a process that has died since. */
const forgotten = {
  type: "model_request_failed_error",
  message: "The model could not be asked, however often it was tried.",
};

/** A call of the model that was ended from outside: by an interrupt, or with its session. */
export const addAborted = (draft: Draft, context: StepContext): void => {
  if (draft.state.openSpan !== null) addSpanEnd(draft, context, undefined);
};

/** Answers whether it is tried again; where not, what the state leads to comes next. */
export function addFailure(draft: Draft, context: StepContext, failure: ModelFailure): boolean {
  if (draft.state.openSpan !== null) addSpanEnd(draft, context, undefined);
  draft.add(
    internal({
      type: "internal.model_failed",
      is_transient: failure.isTransient,
      at_ms: context.now.getTime(),
    }),
  );
  const next = nextStep(draft.state, context.facts);
  if (next.do === "stop") return false;
  const { type, message } = failure;
  const error = { type, message, retry_status: { type: "retrying" } };
  add(draft, context, { type: "session.error", error }, ...rescheduledEvents(context.thread));
  return true;
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

/** What takes up a grading that was begun says that it goes on. */
function addGradingStart(draft: Draft, context: StepContext): void {
  const { outcome } = draft.state;
  if (outcome === null) return;
  const { outcome_id, iteration, openSpan } = outcome;
  const verb = openSpan === null ? "start" : "ongoing";
  add(draft, context, { type: `span.outcome_evaluation_${verb}`, outcome_id, iteration });
}

export function addGraded(
  draft: Draft,
  context: StepContext,
  { outcome_id, iteration, openSpan }: OutcomeState,
  { result, explanation, usage }: Grade,
): void {
  if (openSpan !== null)
    add(draft, context, {
      type: "span.outcome_evaluation_end",
      outcome_evaluation_start_id: openSpan,
      outcome_id,
      iteration,
      result,
      explanation,
      usage: spanUsage(usage),
    });
  draft.add(
    internal({ type: "internal.outcome_graded", outcome_id, iteration, result, explanation }),
  );
}
