// Whose time the bars of a session's timeline show.
import assert from "node:assert/strict";
import { test } from "node:test";
import { barsOf } from "../../console/sessions/events/bars.ts";
import type { SessionEvent } from "../../console/kit/server/api.ts";

/** Each at its second. */
const log = (
  ...events: readonly [second: number, type: SessionEvent["type"], more?: object][]
): SessionEvent[] =>
  events.map(([second, type, more], place) => ({
    id: `e${place}`,
    type,
    processed_at: new Date(second * 1_000).toISOString(),
    ...more,
  }));
/** In seconds, of those that took any. */
const timesOf = (events: readonly SessionEvent[]) =>
  barsOf(events).flatMap(({ id, share }) => {
    const type = events.find((event) => event.id === id)?.type;
    return share > 0 ? [[type, share / 1_000]] : [];
  });
const allowed = { evaluated_permission: "allow" };

test("the time of a tool is the call's, not that of the model which asked for it", () => {
  const events = log(
    [0, "user.message"],
    [0, "session.status_running"],
    [0, "span.model_request_start"],
    [2, "agent.tool_use", allowed],
    [2, "span.model_request_end"],
    [9, "agent.tool_result", { tool_use_id: "e3" }],
    [9, "span.model_request_start"],
    [12, "agent.message"],
    [12, "span.model_request_end"],
    [12, "session.status_idle"],
    [60, "user.message"],
  );
  assert.deepEqual(timesOf(events), [
    ["span.model_request_start", 2],
    ["agent.tool_use", 7],
    ["span.model_request_start", 3],
    ["session.status_idle", 48],
  ]);
  assert.match(barsOf(events)[3]?.label ?? "", /^Agent tool use, 7\.0 s$/);
});

test("calls of one answer run one after the other, and one that asks waits for a person first", () => {
  const events = log(
    [0, "span.model_request_start"],
    [1, "agent.tool_use", allowed],
    [1, "agent.tool_use", allowed],
    [1, "agent.tool_use", { evaluated_permission: "ask" }],
    [1, "span.model_request_end"],
    [4, "agent.tool_result", { tool_use_id: "e1" }],
    [9, "agent.tool_result", { tool_use_id: "e2" }],
    [9, "session.status_idle"],
    [29, "user.tool_confirmation", { tool_use_id: "e3", result: "allow" }],
    [29, "session.status_running"],
    [35, "agent.tool_result", { tool_use_id: "e3" }],
  );
  assert.deepEqual(
    barsOf(events).map(({ share }) => share / 1_000),
    [1, 3, 5, 6, 0, 0, 0, 20, 0, 0, 0],
  );
});

test("what was not answered when the turn ended runs no more", () => {
  const events = log(
    [0, "agent.tool_use", allowed],
    [3, "session.status_idle"],
    [5, "user.message"],
    [8, "session.status_running"],
  );
  assert.deepEqual(timesOf(events), [
    ["agent.tool_use", 3],
    ["session.status_idle", 2],
    ["user.message", 3],
  ]);
});
