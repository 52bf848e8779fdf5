// A thread driven at random: clients that send what they may, a model that answers anything, and a brain that does what
// comes next and writes down what came of it.
import assert from "node:assert/strict";
import type { Block } from "../../server/models/module.ts";
import type {
  GradeResult,
  LoggedEvent,
  Permission,
} from "../../server/sessions/conversation/events.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import {
  nextStep,
  type NextStep,
  type Stop,
  type ThreadFacts,
} from "../../server/sessions/conversation/next.ts";
import { emptyThread, type ThreadState } from "../../server/sessions/conversation/state.ts";

export interface AskedCall {
  kind: "custom" | "built_in";
  permission: Permission;
}

/** What a model answers when it is asked. */
export type Answer =
  | { is: "text" }
  | { is: "nothing" }
  | { is: "calls"; calls: readonly AskedCall[] }
  | { is: "refusal"; isPartial: boolean }
  | { is: "failure"; isTransient: boolean };

export type Act =
  | { do: "brain" }
  | { do: "message"; hasSystem: boolean }
  | { do: "outcome" }
  | { do: "interrupt" }
  /** Of the call at this place among those that wait. */
  | { do: "answer"; at: number; allows: boolean; hasSystem: boolean };

export interface Case {
  hasHands: boolean;
  acts: readonly Act[];
  answers: readonly Answer[];
  /** Whether the brain dies at a call of a model or of a tool, one after the other: nobody hears how it ended. */
  deaths: readonly boolean[];
  grades: readonly GradeResult[];
}

export interface Driver {
  state: ThreadState;
  readonly log: LoggedEvent[];
  act(act: Act): void;
  /** The brain works, and clients answer all calls, until there is nothing left to do. */
  settle(): void;
}

const text = (words: string): Block[] => [{ type: "text", text: words }];
/** More than any of these cases needs to come to its end. */
const stepsMax = 2_000;

export function drive(
  { hasHands, answers, deaths, grades }: Case,
  look: (next: NextStep, state: ThreadState) => void,
): Driver {
  const log: LoggedEvent[] = [];
  const driver: Driver = { state: emptyThread("sthr_1"), log, act, settle };
  const facts: ThreadFacts = {
    toolsHere: new Set(hasHands ? ["tool"] : []),
    hasServices: hasHands,
    isBudgetReached: false,
    compactAtTokens: 1_000,
    nowMs: 0,
    underWay: new Set<string>(),
  };
  let [ids, asked, graded, begun] = [0, 0, 0, 0];
  /** A call of the model, or of a tool, that has begun: clients may send something before it ends. */
  let pending: NextStep | undefined;

  function add(event: { type: string; [field: string]: unknown }): string {
    const id = `event_${++ids}`;
    const logged = { position: log.length + 1, id, event };
    log.push(logged);
    driver.state = step(driver.state, logged);
    return id;
  }

  const status = (verb: string, more: object = {}) =>
    add({ type: `session.thread_status_${verb}`, ...more });
  const idle = (reason: object) => status("idle", { stop_reason: reason, stop_details: null });
  const run = () => {
    if (driver.state.status !== "running") status("running");
  };

  function brain(): NextStep {
    if (pending !== undefined) {
      const ending = pending;
      pending = undefined;
      if (deaths[begun++] !== true) end(ending);
      return ending;
    }
    const next = nextStep(driver.state, facts);
    look(next, driver.state);
    begin(next);
    return next;
  }

  function begin(next: NextStep): void {
    switch (next.do) {
      case "rest":
        return;
      case "start_turn":
        run();
        add({ type: "internal.turn_started", inputs: next.inputs.map(({ id }) => id) });
        return;
      case "answer_calls":
        for (const { call, text: words } of next.answers)
          add({
            type: "agent.tool_result",
            tool_use_id: call.id,
            content: text(words),
            is_error: true,
          });
        return;
      case "run_tool":
        add({ type: "internal.tool_started", tool_use_id: next.call.id });
        pending = next;
        return;
      case "stop":
        stop(next);
        return;
      default:
        run();
        if (next.do !== "grade" && next.do !== "list_tools")
          add({ type: "span.model_request_start" });
        pending = next;
    }
  }

  function stop({ reason, flushed = [] }: Stop): void {
    if (flushed.length > 0)
      add({ type: "internal.inputs_flushed", inputs: flushed.map(({ id }) => id) });
    const { outcome } = driver.state;
    const isOver = reason.type !== "requires_action" && reason.type !== "budget_reached";
    if (isOver && outcome !== null && !outcome.isClosing) grade("failed");
    idle(reason);
  }

  function grade(result: GradeResult): void {
    const { outcome } = driver.state;
    if (outcome === null) return;
    const { outcome_id, iteration } = outcome;
    const type = "internal.outcome_graded";
    add({ type, outcome_id, iteration, result, explanation: "Because." });
  }

  function end(ending: NextStep): void {
    // What was interrupted gave nothing.
    if (driver.state.isInterrupted) {
      if (driver.state.openSpan !== null) add({ type: "span.model_request_end" });
      return;
    }
    if (ending.do === "run_tool")
      add({
        type: "agent.tool_result",
        tool_use_id: ending.call.id,
        content: text(`result of ${ending.call.id}`),
        is_error: false,
      });
    else if (ending.do === "list_tools") add({ type: "internal.tools_listed", mcp_servers: [] });
    else if (ending.do === "grade") grade(grades[graded++] ?? "satisfied");
    else if (ending.do === "compact") {
      add({ type: "span.model_request_end" });
      add({ type: "internal.context_compacted", summary: `summary ${ids}` });
    } else answer(answers[asked++] ?? { is: "text" });
  }

  function answer(given: Answer): void {
    if (given.is === "failure") {
      add({ type: "span.model_request_end" });
      facts.nowMs += 1_000;
      add({
        type: "internal.model_failed",
        is_transient: given.isTransient,
        at_ms: facts.nowMs,
        error: { type: "model_request_failed_error", message: "No answer" },
      });
      return;
    }
    const calls = given.is === "calls" ? given.calls : [];
    const callIds = calls.map((_, at) => `event_${ids + 2 + at}`);
    const blocks = calls.map((_, at) => ({
      type: "tool_use",
      id: `toolu_${ids}_${at}`,
      name: "tool",
      input: {},
    }));
    const says = given.is === "text" || (given.is === "refusal" && given.isPartial);
    add({
      type: "internal.model_answered",
      content: [...(says ? text(`answer ${ids}`) : []), ...blocks],
      stop_reason: given.is === "refusal" ? "refusal" : "end_turn",
      stop_details: null,
      calls: callIds,
      // Every fourth answer fills the window.
      context_tokens: asked % 4 === 3 ? 1_000 : 100,
    });
    for (const { kind, permission } of calls)
      add({
        type: kind === "custom" ? "agent.custom_tool_use" : "agent.tool_use",
        name: "tool",
        input: {},
        ...(kind === "built_in" && { evaluated_permission: permission }),
      });
    add({ type: "span.model_request_end" });
  }

  /** Those that wait for a client, and what they wait for. */
  function waitingCalls(): { id: string; wants: "word" | "custom" | "result" }[] {
    return driver.state.calls.flatMap((call) => {
      const { id, kind, permission, confirmation, result, isStarted } = call;
      if (result !== null || permission === "deny" || confirmation?.result === "deny" || isStarted)
        return [];
      if (permission === "ask" && confirmation === null) return { id, wants: "word" };
      if (kind === "custom") return { id, wants: "custom" };
      return hasHands ? [] : { id, wants: "result" };
    });
  }

  /** As the server takes it: what it sets off is told with it. */
  function answerCall({ at, allows, hasSystem }: Act & { do: "answer" }): void {
    const waiting = waitingCalls();
    const call = waiting[at % Math.max(1, waiting.length)];
    if (call === undefined) return;
    const { id } = call;
    const content = text(`result of ${id}`);
    if (call.wants === "word")
      add({ type: "user.tool_confirmation", tool_use_id: id, result: allows ? "allow" : "deny" });
    else {
      if (call.wants === "custom")
        add({ type: "user.custom_tool_result", custom_tool_use_id: id, content });
      else add({ type: "user.tool_result", tool_use_id: id, content });
      if (hasSystem) add({ type: "system.message", content: text(`aside ${ids}`) });
    }
    if (driver.state.status !== "idle") return;
    const left = waitingCalls();
    if (left.length === 0) status("running");
    else idle({ type: "requires_action", event_ids: left.map((each) => each.id) });
  }

  function act(one: Act): void {
    const isFree = () => driver.state.status === "idle" && waitingCalls().length === 0;
    switch (one.do) {
      case "brain":
        brain();
        return;
      case "message":
        add({ type: "user.message", content: text(`message ${ids}`) });
        if (one.hasSystem) add({ type: "system.message", content: text(`aside ${ids}`) });
        if (isFree()) status("running");
        return;
      case "outcome": {
        const outcome_id = `outc_${ids}`;
        const rubric = { type: "text", content: "Whole." };
        const description = `outcome ${ids}`;
        add({ type: "user.define_outcome", outcome_id, description, rubric, max_iterations: 3 });
        if (isFree()) status("running");
        return;
      }
      case "interrupt":
        add({ type: "user.interrupt" });
        return;
      default:
        answerCall(one);
    }
  }

  function settle(): void {
    for (let steps = 0; ; steps++) {
      assert.ok(steps < stepsMax, "it comes to an end");
      const next = brain();
      if (next.do !== "rest") continue;
      if (waitingCalls().length === 0) return;
      act({ do: "answer", at: 0, allows: true, hasSystem: false });
    }
  }

  return driver;
}
