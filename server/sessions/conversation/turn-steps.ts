// What begins, answers and ends a turn, in the state of its thread.
import assert from "node:assert/strict";
import { limits } from "../limits.ts";
import { closeRound } from "./calls.ts";
import type { InternalEvent, StopReason } from "./events.ts";
import type { ThreadState, TurnState } from "./state.ts";
import { cutOffTurn, inputTurn, revisionTurn } from "./turns.ts";

export function startTurn(state: ThreadState, inputs: readonly string[]): void {
  state.turn = {
    rounds: 0,
    compactions: 0,
    failures: 0,
    failingSinceMs: null,
    isHopeless: false,
    servers: null,
    hasNoTools: false,
    error: null,
    cutOffs: 0,
    turnsBefore: state.turns.length,
    turnsFlushed: 0,
  };
  for (const input of take(state, "waiting", inputs)) {
    if (input.kind === "outcome")
      state.outcome = { ...input.outcome, iteration: 0, isClosing: false, openSpan: null };
    state.turns.push(inputTurn(input));
  }
}

export function flush(state: ThreadState, inputs: readonly string[]): void {
  const flushed = [...take(state, "overtaken", inputs), ...take(state, "waiting", inputs)];
  // The results of calls come first.
  closeRound(state);
  for (const input of flushed) state.turns.push(inputTurn(input));
  if (state.turn !== null) state.turn.turnsFlushed += flushed.length;
}

function take(state: ThreadState, from: "waiting" | "overtaken", ids: readonly string[]) {
  const taken = state[from].filter(({ id }) => ids.includes(id));
  state[from] = state[from].filter(({ id }) => !ids.includes(id));
  return taken;
}

export function takeAnswer(
  state: ThreadState,
  event: Extract<InternalEvent, { type: "internal.model_answered" }>,
): void {
  const { turn } = state;
  closeRound(state);
  if (turn !== null) {
    turn.rounds += 1;
    turn.failures = 0;
    turn.failingSinceMs = null;
  }
  if (event.content.length > 0) state.turns.push({ role: "assistant", content: event.content });
  tellCutOff(state, event.cut_off ?? null);
  state.contextTokens = event.context_tokens;
  if (event.stop_reason === "refusal")
    state.refusal = event.stop_details ?? { type: "refusal", category: null, explanation: null };
  const blocks = event.content.filter(({ type }) => type === "tool_use");
  assert.equal(blocks.length, event.calls.length, "each call of an answer has its event");
  state.announced = blocks.map((block, at) => ({
    id: event.calls[at] ?? "",
    blockId: String(block["id"]),
  }));
}

/** The model goes on with shorter calls, unless it does the same again and again. */
function tellCutOff({ turn, turns }: ThreadState, tool: string | null): void {
  if (turn === null) return;
  turn.cutOffs = tool === null ? 0 : turn.cutOffs + 1;
  if (tool !== null && turn.cutOffs <= limits.cutOffsMax) turns.push(cutOffTurn(tool));
}

export function end(state: ThreadState, reason: StopReason): void {
  state.status = "idle";
  state.stopReason = reason;
  if (reason.type === "requires_action") return;
  closeRound(state);
  state.isInterrupted = false;
  // A budget that is raised lets the same turn go on.
  if (reason.type === "budget_reached") return;
  // A model that is shown again what it refused, or what breaks it, would never answer any more.
  if (state.turn !== null && (reason.type === "refusal" || state.turn.isHopeless))
    dropTurn(state, state.turn);
  state.turn = null;
  state.refusal = null;
  state.outcome = null;
}

function dropTurn({ turns }: ThreadState, { turnsBefore, turnsFlushed }: TurnState): void {
  turns.splice(turnsBefore, turns.length - turnsBefore - turnsFlushed);
}

export function grade(
  state: ThreadState,
  event: Extract<InternalEvent, { type: "internal.outcome_graded" }>,
): void {
  const { outcome } = state;
  if (outcome?.outcome_id !== event.outcome_id) return;
  outcome.iteration = event.iteration + 1;
  outcome.openSpan = null;
  const goesOn = event.result === "needs_revision" || event.result === "max_iterations_reached";
  if (!goesOn) {
    state.outcome = null;
    return;
  }
  outcome.isClosing = event.result === "max_iterations_reached";
  state.turns.push(revisionTurn(event.explanation, outcome));
}
