// What a thread needs next, told by its state alone: the brain does it, appends what came of it, and asks again.
import { limits } from "../limits.ts";
import { isAsked } from "./calls.ts";
import type { StopDetails, StopReason } from "./events.ts";
import type { Call, Input, ThreadState } from "./state.ts";

export type NextStep =
  /** Nothing to do. */
  | { do: "rest" }
  /** Other agents work for this one. */
  | { do: "wait" }
  | { do: "start_turn"; inputs: readonly Input[] }
  /** Its agent's MCP servers are asked for their tools, and the session's vaults are looked into. */
  | { do: "list_tools" }
  | { do: "ask_model" }
  | { do: "compact" }
  /** Calls whose results are known without doing anything: denied ones, those of a brain that died. */
  | { do: "answer_calls"; answers: readonly CallAnswer[] }
  | { do: "run_tool"; call: Call }
  /** Its call is over; what came of the cancelling is its result. */
  | { do: "cancel_task"; call: Call }
  | { do: "grade" }
  | Stop;

export interface Stop {
  do: "stop";
  reason: StopReason;
  details?: StopDetails;
  error?: "tool_use_limit" | "compaction_limit" | "retries";
  /** What has no turn of its own any more. */
  flushed?: readonly Input[];
}

export interface CallAnswer {
  call: Call;
  text: string;
}

export interface ThreadFacts {
  /** The built-in tools that this server runs: calls of others are answered by clients or workers. */
  toolsHere: ReadonlySet<string>;
  /** MCP servers or vaults, which are asked once in a turn, before its model is. */
  hasServices: boolean;
  isBudgetReached: boolean;
  /** Of the window of the model; null where it is not known. */
  compactAtTokens: number | null;
  nowMs: number;
  /** This brain has started these itself, and waits for them. */
  underWay?: ReadonlySet<string>;
}

export function nextStep(state: ThreadState, facts: ThreadFacts): NextStep {
  if (state.status === "terminated") return { do: "rest" };
  if (state.isInterrupted) return interrupt(state);
  if (state.calls.length > 0) {
    const next = nextOfCalls(state, facts);
    if (next !== undefined) return next;
  }
  const { turn, waiting, outcome } = state;
  if (turn === null)
    return waiting.length === 0
      ? { do: "rest" }
      : { do: "start_turn", inputs: inputsOfTurn(waiting) };
  if (state.refusal !== null)
    return { do: "stop", reason: { type: "refusal" }, details: state.refusal };
  if (hasFailed(state, facts))
    return { do: "stop", reason: exhausted, error: "retries", flushed: waiting };
  if (wantsModel(state)) return askModel(state, facts);
  if (outcome !== null && !outcome.isClosing)
    return facts.isBudgetReached ? budgetReached(state) : { do: "grade" };
  return { do: "stop", reason: { type: "end_turn" } };
}

const exhausted: StopReason = { type: "retries_exhausted" };

/** Open calls are answered in the name of the interrupt, so that the conversation stays whole. */
function interrupt(state: ThreadState): NextStep {
  const open = state.calls.filter(({ result }) => result === null);
  const plain = open.filter(({ task }) => task === null);
  if (plain.length > 0)
    return {
      do: "answer_calls",
      answers: plain.map((call) => ({ call, text: interruptedWords(call) })),
    };
  const [call] = open;
  if (call !== undefined) return { do: "cancel_task", call };
  return { do: "stop", reason: { type: "end_turn" }, flushed: state.overtaken };
}

function interruptedWords(call: Call): string {
  const { kind, isStarted } = call;
  if (isAsked(call))
    return "Interrupted while its server waited for an answer to what it had asked: it was not finished.";
  if (kind === "agent") return "Interrupted while another agent worked on it.";
  if (isStarted) return "Interrupted while it ran: whether it had its effect is not known.";
  return "Interrupted before it began: it was not run.";
}

/** One message, and what the system says right after it; or one outcome. */
function inputsOfTurn(waiting: readonly Input[]): Input[] {
  const [first, second] = waiting;
  if (first === undefined) return [];
  return second?.kind === "system" && first.kind !== "system" ? [first, second] : [first];
}

/** Undefined where all calls have their results. */
function nextOfCalls(state: ThreadState, facts: ThreadFacts): NextStep | undefined {
  const open = state.calls.filter(({ result }) => result === null);
  if (open.length === 0) return undefined;
  const answers = open.flatMap((call) => answerWithoutDoing(call, facts));
  if (answers.length > 0) return { do: "answer_calls", answers };
  const ready = open.find((call) => mayRun(call) && isRunHere(call, facts));
  if (ready !== undefined) return { do: "run_tool", call: ready };
  const ids = open.filter(({ kind }) => kind !== "agent").map(idForClients);
  if (ids.length === 0) return { do: "wait" };
  const known = state.stopReason?.type === "requires_action" ? state.stopReason.event_ids : [];
  const isTold =
    state.status === "idle" && ids.length === known.length && ids.every((id) => known.includes(id));
  return isTold
    ? { do: "rest" }
    : { do: "stop", reason: { type: "requires_action", event_ids: ids } };
}

/** Of the event that a client answers. */
const idForClients = (call: Call): string =>
  call.question !== null && isAsked(call) ? call.question.id : call.id;

function answerWithoutDoing(call: Call, { underWay }: ThreadFacts): CallAnswer[] {
  if (call.permission === "deny")
    return [{ call, text: call.isUnknown && call.kind === "mcp" ? goneWords(call) : deniedWords }];
  if (call.confirmation?.result === "deny") {
    const why = call.confirmation.message;
    return [{ call, text: `The call was denied${why === null ? "." : `: ${why}`}` }];
  }
  if (call.kind === "agent")
    return call.isAbandoned
      ? [{ call, text: "The agent's thread was archived before it was done." }]
      : [];
  // Its server is asked what came of a task, which does nothing twice.
  if (call.task !== null) return [];
  if (call.isStarted && !underWay?.has(call.id))
    return [
      {
        call,
        text: "The outcome is unknown: the process that ran this call died. Look before you try again.",
      },
    ];
  return [];
}

const deniedWords = "This call is not permitted: it was not run.";
const goneWords = ({ name, server }: Call) =>
  `The tool ${JSON.stringify(name)} of the MCP server ${JSON.stringify(server)} is not there any more, or its server does not answer now: the call was not run.`;

/** Calls that this server would run next. */
export const readyCalls = ({ calls }: ThreadState, facts: ThreadFacts): Call[] =>
  calls.filter((call) => call.result === null && mayRun(call) && isRunHere(call, facts));

const mayRun = (call: Call): boolean =>
  (call.permission === "allow" || call.confirmation?.result === "allow") && !isAsked(call);

const isRunHere = ({ kind, name }: Call, { toolsHere }: ThreadFacts): boolean =>
  kind === "mcp" || (kind === "built_in" && toolsHere.has(name));

function hasFailed({ turn }: ThreadState, { nowMs }: ThreadFacts): boolean {
  if (turn === null || turn.failures === 0) return false;
  const sinceMs = nowMs - (turn.failingSinceMs ?? nowMs);
  return (
    turn.isHopeless ||
    turn.hasNoTools ||
    turn.failures >= limits.failuresMax ||
    sinceMs >= limits.failuresMs
  );
}

/** The model has the word: something was said to it, or calls have their results. */
function wantsModel({ turns, calls }: ThreadState): boolean {
  return calls.length > 0 || turns.at(-1)?.role !== "assistant";
}

function askModel(state: ThreadState, facts: ThreadFacts): NextStep {
  const { turn } = state;
  if (facts.isBudgetReached) return budgetReached(state);
  if (turn !== null && turn.rounds >= limits.roundsMax)
    return { do: "stop", reason: exhausted, error: "tool_use_limit", flushed: state.waiting };
  const isFull = facts.compactAtTokens !== null && state.contextTokens >= facts.compactAtTokens;
  if (facts.hasServices && turn?.servers === null) return { do: "list_tools" };
  if (!isFull) return { do: "ask_model" };
  if (turn !== null && turn.compactions >= limits.compactionsMax)
    return { do: "stop", reason: exhausted, error: "compaction_limit", flushed: state.waiting };
  return { do: "compact" };
}

const budgetReached = ({ status, stopReason }: ThreadState): NextStep =>
  status === "idle" && stopReason?.type === "budget_reached"
    ? { do: "rest" }
    : { do: "stop", reason: { type: "budget_reached" } };
