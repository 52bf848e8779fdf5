// What the log of a thread leads to: its conversation, what waits, the calls that are open. JSON, so that snapshots hold it.
import assert from "node:assert/strict";
import type { Block, Turn } from "../../models/module.ts";
import type {
  AgentEvent,
  CallData,
  ClientEvent,
  InternalEvent,
  LoggedEvent,
  OutcomeDefinition,
  Permission,
  StopReason,
} from "./events.ts";

/** Who answers a call: the client, or hands of this server. */
export type CallKind = "custom" | "built_in";

export interface Call {
  /** The event that tells of it: what confirmations and results name. */
  id: string;
  /** What the model calls it by. */
  blockId: string;
  kind: CallKind;
  name: string;
  input: Record<string, unknown>;
  permission: Permission;
  confirmation: { result: "allow" | "deny"; message: string | null } | null;
  /** It may have had its effect. */
  isStarted: boolean;
  result: { content: Block[]; isError: boolean } | null;
}

export type Input =
  | { id: string; kind: "message"; content: Block[] }
  | { id: string; kind: "system"; content: Block[] }
  | { id: string; kind: "outcome"; outcome: OutcomeDefinition }
  | { id: string; kind: "thread_message"; from: string; agentName: string | null; content: Block[] };

export interface TurnState {
  /** Calls of the model, counted for the limit of tool rounds. */
  rounds: number;
  compactions: number;
  /** Failures in a row, and when the first of them was. */
  failures: number;
  /** The conversation as long as it was before this turn: a refused turn is taken out again. */
  turnsBefore: number;
}

export interface OutcomeState extends OutcomeDefinition {
  iteration: number;
  /** The last turn may still close: nothing is graded any more. */
  isClosing: boolean;
}

export interface ThreadState {
  position: number;
  status: "idle" | "running" | "rescheduling" | "terminated";
  stopReason: StopReason | null;
  /** What the model is shown. */
  turns: Turn[];
  waiting: Input[];
  turn: TurnState | null;
  /** Of the last answer, in its order; none once all have results that the model has been shown. */
  calls: Call[];
  isInterrupted: boolean;
  outcome: OutcomeState | null;
  /** As much of the window as the last answer has read and written. */
  contextTokens: number;
  /** Ids of the calls of an answer whose events have not come yet. */
  announced: { id: string; blockId: string }[];
}

export const emptyThread = (): ThreadState => ({
  position: 0,
  status: "idle",
  stopReason: null,
  turns: [],
  waiting: [],
  turn: null,
  calls: [],
  isInterrupted: false,
  outcome: null,
  contextTokens: 0,
  announced: [],
});

/** Steps in place: a long conversation is not copied for each of its events. */
export function step(state: ThreadState, { position, id, event }: LoggedEvent): ThreadState {
  assert(position > state.position, "a fold goes forward");
  state.position = position;
  apply(state, id ?? "", event as ClientEvent | AgentEvent | InternalEvent);
  return state;
}

function apply(
  state: ThreadState,
  id: string,
  event: ClientEvent | AgentEvent | InternalEvent,
): void {
  switch (event.type) {
    case "user.message":
      state.waiting.push({ id, kind: "message", content: event.content });
      return;
    case "system.message":
      state.waiting.push({ id, kind: "system", content: event.content });
      return;
    case "user.define_outcome": {
      const { type: _, ...outcome } = event;
      state.waiting.push({ id, kind: "outcome", outcome });
      return;
    }
    case "agent.thread_message_received":
      state.waiting.push({
        id,
        kind: "thread_message",
        from: event.from_session_thread_id,
        agentName: event.from_agent_name ?? null,
        content: event.content,
      });
      return;
    case "user.interrupt":
      state.isInterrupted = true;
      return;
    case "user.tool_confirmation": {
      const call = callOf(state, event.tool_use_id);
      if (call !== undefined)
        call.confirmation = { result: event.result, message: event.deny_message ?? null };
      return;
    }
    case "user.tool_result":
      answer(state, event.tool_use_id, event.content, event.is_error);
      return;
    case "user.custom_tool_result":
      answer(state, event.custom_tool_use_id, event.content, event.is_error);
      return;
    case "agent.tool_result":
      answer(state, event.tool_use_id, event.content, event.is_error);
      return;
    case "agent.tool_use":
    case "agent.custom_tool_use":
      addCall(state, id, event);
      return;
    case "session.thread_status_running":
      state.status = "running";
      state.stopReason = null;
      return;
    case "session.thread_status_rescheduled":
      state.status = "rescheduling";
      return;
    case "session.thread_status_idle":
      end(state, event.stop_reason);
      return;
    case "session.thread_status_terminated":
      state.status = "terminated";
      return;
    case "internal.turn_started":
      startTurn(state, event.inputs);
      return;
    case "internal.model_answered":
      takeAnswer(state, event);
      return;
    case "internal.model_failed":
      if (state.turn !== null) state.turn.failures += 1;
      return;
    case "internal.tool_started": {
      const call = callOf(state, event.tool_use_id);
      if (call !== undefined) call.isStarted = true;
      return;
    }
    case "internal.context_compacted":
      state.turns = [{ role: "user", content: [{ type: "text", text: event.summary }] }];
      state.contextTokens = 0;
      if (state.turn !== null) {
        state.turn.compactions += 1;
        state.turn.turnsBefore = 0;
      }
      return;
    case "internal.outcome_graded":
      grade(state, event);
      return;
  }
}

const callOf = ({ calls }: ThreadState, id: string) => calls.find((call) => call.id === id);

/** The first answer stands: the routes refuse a second one, and a takeover may write what came meanwhile. */
function answer(
  state: ThreadState,
  id: string,
  content: Block[] | undefined,
  isError: boolean | null | undefined,
): void {
  const call = callOf(state, id);
  if (call !== undefined) call.result ??= { content: content ?? [], isError: isError ?? false };
}

function addCall(state: ThreadState, id: string, event: { type: string } & CallData): void {
  const at = state.announced.findIndex((each) => each.id === id);
  // Posted here from another thread, which answers it.
  if (at === -1) return;
  const [announced] = state.announced.splice(at, 1);
  assert(announced !== undefined, "a call is announced by its answer");
  state.calls.push({
    id,
    blockId: announced.blockId,
    kind: event.type === "agent.custom_tool_use" ? "custom" : "built_in",
    name: event.name,
    input: event.input,
    permission: event.evaluated_permission ?? "allow",
    confirmation: null,
    isStarted: false,
    result: null,
  });
}

function startTurn(state: ThreadState, inputs: readonly string[]): void {
  const taken = state.waiting.filter(({ id }) => inputs.includes(id));
  state.waiting = state.waiting.filter(({ id }) => !inputs.includes(id));
  state.turn = { rounds: 0, compactions: 0, failures: 0, turnsBefore: state.turns.length };
  for (const input of taken) takeInput(state, input);
}

function takeInput(state: ThreadState, input: Input): void {
  if (input.kind === "outcome") {
    state.outcome = { ...input.outcome, iteration: 0, isClosing: false };
    state.turns.push(userTurn(outcomeText(input.outcome)));
  } else if (input.kind === "system") state.turns.push({ role: "system", content: input.content });
  else if (input.kind === "message") state.turns.push({ role: "user", content: input.content });
  else {
    const said = input.agentName === null ? "The coordinator" : `The agent ${input.agentName}`;
    const words: Block = { type: "text", text: `${said} writes:` };
    state.turns.push({ role: "user", content: [words, ...input.content] });
  }
}

const userTurn = (text: string): Turn => ({ role: "user", content: [{ type: "text", text }] });

const outcomeText = ({ description }: OutcomeDefinition) =>
  `Work until this outcome is reached, then say what you have done:\n\n${description}`;

function takeAnswer(
  state: ThreadState,
  event: Extract<InternalEvent, { type: "internal.model_answered" }>,
): void {
  const { turn } = state;
  closeRound(state);
  if (turn !== null) {
    turn.rounds += 1;
    turn.failures = 0;
  }
  if (event.content.length > 0) state.turns.push({ role: "assistant", content: event.content });
  state.contextTokens = event.context_tokens;
  const blocks = event.content.filter(({ type }) => type === "tool_use");
  assert.equal(blocks.length, event.calls.length, "each call of an answer has its event");
  state.announced = blocks.map((block, at) => ({
    id: event.calls[at] ?? "",
    blockId: String(block["id"]),
  }));
}

/** The results of a round become a turn of the user, in the order of the calls. */
export function closeRound(state: ThreadState): void {
  if (state.calls.length === 0) return;
  state.turns.push({ role: "user", content: state.calls.map(resultBlock) });
  state.calls = [];
}

const resultBlock = ({ blockId, result }: Call): Block => ({
  type: "tool_result",
  tool_use_id: blockId,
  content: result?.content ?? [],
  ...(result?.isError === true && { is_error: true }),
});

function end(state: ThreadState, reason: StopReason): void {
  state.status = "idle";
  state.stopReason = reason;
  if (reason.type === "requires_action") return;
  closeRound(state);
  // A model that was shown the refused words again would refuse every later turn.
  if (reason.type === "refusal" && state.turn !== null)
    state.turns = state.turns.slice(0, state.turn.turnsBefore);
  state.isInterrupted = false;
  // A budget that was raised lets the same turn go on.
  if (reason.type === "budget_reached") return;
  state.turn = null;
  state.outcome = null;
}

function grade(
  state: ThreadState,
  event: Extract<InternalEvent, { type: "internal.outcome_graded" }>,
): void {
  const { outcome } = state;
  if (outcome?.outcome_id !== event.outcome_id) return;
  outcome.iteration = event.iteration + 1;
  if (event.result !== "needs_revision") {
    state.outcome = null;
    return;
  }
  outcome.isClosing = outcome.iteration >= outcome.max_iterations;
  const more = outcome.isClosing
    ? "There is no further round: say where the work stands and end here."
    : "Revise your work, then say what you have changed.";
  state.turns.push(userTurn(`The outcome is not reached yet. ${event.explanation}\n\n${more}`));
}
