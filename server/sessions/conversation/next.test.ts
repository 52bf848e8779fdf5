// Rules SES27, SES39 and SES148 without a server: calls of a process that died, and the order of results.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "./events.ts";
import { step } from "./fold.ts";
import { nextStep, type ThreadFacts } from "./next.ts";
import { emptyThread, type ThreadState } from "./state.ts";
import { shownTurns } from "./turns.ts";

const text = (words: string) => [{ type: "text", text: words }];

/** A thread whose model has called `bash` twice, and what came after that. */
function calledTwice(...after: LoggedEvent["event"][]): ThreadState {
  const blocks = ["first", "second"].map((id) => ({
    type: "tool_use",
    id,
    name: "bash",
    input: {},
  }));
  const events: { type: string; [field: string]: unknown }[] = [
    { type: "user.message", content: text("Go.") },
    { type: "session.thread_status_running" },
    { type: "internal.turn_started", inputs: ["event_1"] },
    {
      type: "internal.model_answered",
      content: blocks,
      stop_reason: "tool_use",
      stop_details: null,
      calls: ["event_5", "event_6"],
      context_tokens: 10,
    },
    { type: "agent.tool_use", name: "bash", input: {}, evaluated_permission: "allow" },
    { type: "agent.tool_use", name: "bash", input: {}, evaluated_permission: "allow" },
    ...after,
  ];
  return events.reduce(
    (state, event, at) => step(state, { position: at + 1, id: `event_${at + 1}`, event }),
    emptyThread("sthr_1"),
  );
}

const facts: ThreadFacts = {
  toolsHere: new Set(["bash"]),
  hasServices: false,
  isBudgetReached: false,
  compactAtTokens: null,
  nowMs: 0,
};
const started = { type: "internal.tool_started", tool_use_id: "event_5" };

test("[SES39] a call that had begun when its process died is answered as unknown, and not run again", () => {
  const next = nextStep(calledTwice(started), facts);
  assert.ok(next.do === "answer_calls", next.do);
  assert.deepEqual(
    next.answers.map(({ call }) => call.id),
    ["event_5"],
  );
  assert.match(next.answers[0]?.text ?? "", /outcome is unknown/);
});

test("[SES39] one that had not begun is run by who takes over", () => {
  const next = nextStep(calledTwice(), facts);
  assert.ok(next.do === "run_tool", next.do);
  assert.equal(next.call.id, "event_5");
});

test("[SES148] a call whose server waits to be answered does not run: it is not unknown when its process dies", () => {
  const asked = {
    type: "internal.mcp_server_asked",
    tool_use_id: "event_5",
    question_id: "event_9",
    request_state: "s",
  };
  const other = { type: "agent.tool_result", tool_use_id: "event_6", content: [], is_error: false };
  const waiting = nextStep(calledTwice(started, asked, other), facts);
  assert.deepEqual(waiting, {
    do: "stop",
    reason: { type: "requires_action", event_ids: ["event_9"] },
  });
  const answer = {
    type: "user.custom_tool_result",
    custom_tool_use_id: "event_9",
    content: text('{"a": {"action": "cancel"}}'),
  };
  const next = nextStep(calledTwice(started, asked, other, answer), facts);
  assert.ok(next.do === "run_tool", next.do);
  const { id, answers } = next.call.question ?? {};
  assert.deepEqual([id, answers], ["event_9", { a: { action: "cancel" } }]);
  // From here on it may have had its effect.
  const died = nextStep(calledTwice(started, asked, other, answer, started), facts);
  assert.ok(died.do === "answer_calls", died.do);
  assert.match(died.answers[0]?.text ?? "", /outcome is unknown/);
});

test("[SES27] the results stand in the order of the calls, whichever came first", () => {
  const state = calledTwice(
    { type: "agent.tool_result", tool_use_id: "event_6", content: text("two"), is_error: false },
    { type: "agent.tool_result", tool_use_id: "event_5", content: text("one"), is_error: true },
  );
  assert.deepEqual(shownTurns(state).at(-1), {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "first", content: text("one"), is_error: true },
      { type: "tool_result", tool_use_id: "second", content: text("two") },
    ],
  });
});
