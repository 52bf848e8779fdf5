// Rules SES36 and SES37, over HTTP: outcomes, the grading of work, and how they end.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { limits } from "../../server/sessions/limits.ts";
import { managedAgents } from "./agents-house.ts";
import {
  expectExact,
  ofType,
  openSessionHouse,
  said,
  stopsOf,
  textOf,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-work-house.ts";

let s: SessionHouse;
before(async () => {
  const scenario = [
    { contains: "I have revised", grade: { result: "satisfied", explanation: "Now it is." } },
    { contains: "The work:", grade: { result: "needs_revision", explanation: "Say more." } },
    { contains: "Revise your work", say: "I have revised it." },
  ];
  s = await openSessionHouse({
    sections: {
      models: {
        upstreams: { reviser: { kind: "simulator", scenario } },
        models: [{ id: "reviser", upstream: "reviser" }],
      },
    },
  });
});
after(() => s[Symbol.asyncDispose]());

const satisfied = '[[grade satisfied "It is all there."]]';
const lacking = '[[grade needs_revision "The end is missing."]]';
const define = (rubric: string, more: object = {}) => ({
  type: "user.define_outcome",
  description: "A short report.",
  rubric: { type: "text", content: rubric },
  ...more,
});

async function work(outcome: object, agent: Record<string, unknown> = {}) {
  const id = await s.begin({ agent });
  await s.send(id, [outcome]);
  return { id, events: await s.finished(id) };
}

const gradesOf = (events: readonly SessionEvent[]) =>
  ofType(events, "span.outcome_evaluation_end").map(({ iteration, result }) => [iteration, result]);
const shownOutcomes = async (id: string) => (await s.read(id)).outcome_evaluations;
const refused = async (event: object, status: number) => {
  const { platform, house } = s;
  const path = `/v1/sessions/${await s.begin()}/events`;
  const body = { events: [event] };
  const answer = await house.ask("POST", path, {
    key: platform.api_key,
    headers: managedAgents,
    body,
  });
  assert.equal(answer.status, status, JSON.stringify(answer.body));
};

test("[SES36] the example of the document ends as it says, on the simulator", async () => {
  const document = readFileSync(join(import.meta.dirname, "../../docs/AGENTS.md"), "utf8");
  const example = /### Outcomes[^]*?```ts\n([^]*?)```/.exec(document)?.[1] ?? "";
  const valueOf = (field: string) => {
    const [, quote = "", text = ""] = new RegExp(`${field}: (["'])(.*)\\1`).exec(example) ?? [];
    assert.ok(quote !== "", field);
    return text;
  };
  const { id } = await work(define(valueOf("content"), { description: valueOf("description") }));
  const [{ result } = {}] = await shownOutcomes(id);
  assert.equal(result, "satisfied");
});

test("[SES36] the agent works, and a call of its own grades the work by the rubric", async () => {
  const { id, events } = await work(define(satisfied));
  assert.deepEqual(
    typesOf(events).filter((type) => !type.startsWith("session.")),
    [
      "user.define_outcome",
      "span.model_request_start",
      "agent.message",
      "span.model_request_end",
      "span.outcome_evaluation_start",
      "span.outcome_evaluation_end",
    ],
  );
  const [defined] = events;
  const [start] = ofType(events, "span.outcome_evaluation_start");
  const [end] = ofType(events, "span.outcome_evaluation_end");
  assert.match(defined?.["outcome_id"], /^outc_/);
  assert.equal(defined?.["max_iterations"], limits.iterationsDefault);
  assert.deepEqual([start?.["outcome_id"], start?.["iteration"]], [defined?.["outcome_id"], 0]);
  assert.equal(end?.["outcome_evaluation_start_id"], start?.id);
  const rows = await expectExact(s, id);
  assert.equal(rows.length, 2);
  assert.equal(end?.["usage"].output_tokens, rows[1]?.output);
});

test("[SES36] a rubric may be a text file", async () => {
  const form = new FormData();
  form.set("file", new File([satisfied], "rubric.txt", { type: "text/plain" }));
  const {
    house: { url },
    platform,
  } = s;
  const headers = { "x-api-key": platform.api_key };
  const response = await fetch(`${url}/v1/files`, { method: "POST", headers, body: form });
  const { id: fileId } = (await response.json()) as { id: string };
  const rubric = { type: "file", file_id: fileId };
  const { events } = await work({ ...define(""), rubric });
  assert.deepEqual(gradesOf(events), [[0, "satisfied"]]);
  await refused({ ...define(""), rubric: { type: "file", file_id: "file_nothing" } }, 404);
});

test("[SES36] an outcome has at most 20 rounds, and 3 if it is not said", async () => {
  for (const rounds of [0, limits.iterationsMax + 1, 1.5])
    await refused(define(satisfied, { max_iterations: rounds }), 400);
  await refused(define(""), 400);
  const { events } = await work(define(satisfied, { max_iterations: limits.iterationsMax }));
  assert.equal(events[0]?.["max_iterations"], limits.iterationsMax);
  assert.deepEqual(gradesOf((await work(define(lacking))).events).length, limits.iterationsDefault);
});

test("[SES37] satisfied ends it, and the session shows so", async () => {
  const { id, events } = await work(define(satisfied));
  assert.deepEqual(stopsOf(events), ["end_turn"]);
  const [shown, ...more] = await shownOutcomes(id);
  assert.deepEqual(more, []);
  const { completed_at: completedAt, ...rest } = shown;
  assert.deepEqual(rest, {
    type: "outcome_evaluation",
    outcome_id: events[0]?.["outcome_id"],
    description: "A short report.",
    iteration: 0,
    result: "satisfied",
    explanation: "It is all there.",
  });
  assert.match(completedAt, /Z$/);
});

test("[SES37] needs_revision is told to the agent, which goes on until it is satisfied", async () => {
  const { id, events } = await work(define("Anything."), { model: "reviser" });
  assert.deepEqual(gradesOf(events), [
    [0, "needs_revision"],
    [1, "satisfied"],
  ]);
  assert.equal(
    textOf(ofType(events, "agent.message").at(-1) ?? assert.fail()),
    "I have revised it.",
  );
  assert.deepEqual(stopsOf(events), ["end_turn"]);
  const [shown] = await shownOutcomes(id);
  assert.deepEqual([shown.result, shown.iteration], ["satisfied", 1]);
  assert.equal((await expectExact(s, id)).length, 4);
});

test("[SES37] the last round ends it with a closing answer that is not graded", async () => {
  const { id, events } = await work(define(lacking, { max_iterations: 2 }));
  assert.deepEqual(gradesOf(events), [
    [0, "needs_revision"],
    [1, "max_iterations_reached"],
  ]);
  const after = typesOf(events.slice(events.findLastIndex(({ result }) => result !== undefined)));
  assert.ok(after.includes("agent.message"), "a closing answer");
  assert.equal(ofType(events, "agent.message").length, 3);
  const [shown] = await shownOutcomes(id);
  assert.deepEqual(
    [shown.result, shown.explanation],
    ["max_iterations_reached", "The end is missing."],
  );
  assert.notEqual(shown.completed_at, null);
});

test("[SES37] a grader that gives no verdict has failed, and so has the outcome", async () => {
  const { id, events } = await work(define("A rubric that steers nothing."));
  assert.deepEqual(gradesOf(events), [[0, "failed"]]);
  assert.deepEqual(stopsOf(events), ["end_turn"]);
  assert.equal((await shownOutcomes(id))[0].result, "failed");
});

test("[SES37] work that a refusal ends has failed", async () => {
  const description = "[[refuse models=*]] A bad report.";
  const { id, events } = await work(define(satisfied, { description }));
  assert.deepEqual(stopsOf(events), ["refusal"]);
  assert.deepEqual(gradesOf(events), []);
  assert.equal((await shownOutcomes(id))[0].result, "failed");
});

test("[SES37] an interrupt ends it as interrupted, while the agent works and while it is graded", async () => {
  for (const [description, until] of [
    ["[[tokens 5000]] [[rate 50]]", "span.model_request_start"],
    // Only what is graded is slow: an answer that is said whole takes a second, its grading as long as its tokens.
    ['[[say "Done."]] [[rate 2]]', "span.outcome_evaluation_start"],
  ] as const) {
    const id = await s.begin();
    await s.send(id, [define(satisfied, { description })]);
    await s.seen(id, until, (events) => events.at(-1)?.type === until);
    await s.send(id, [{ type: "user.interrupt" }]);
    const events = await s.finished(id);
    assert.deepEqual(stopsOf(events), ["end_turn"], until);
    const [shown] = await shownOutcomes(id);
    assert.equal(shown.result, "interrupted", until);
    assert.notEqual(shown.completed_at, null);
    const spans = typesOf(events).filter((type) => type.startsWith("span."));
    const starts = spans.filter((type) => type.endsWith("_start")).length;
    assert.equal(starts, spans.length - starts, `${until}: each span has an end`);
    await expectExact(s, id);
  }
});

test("[SES37][SES6] archiving ends outcomes as interrupted, wherever they stand, and nothing waits", async () => {
  for (const [description, until] of [
    ["[[tokens 5000]] [[rate 50]]", "span.model_request_start"],
    ['[[say "Done."]] [[rate 2]]', "span.outcome_evaluation_start"],
  ] as const) {
    const id = await s.begin();
    await s.send(id, [define(satisfied, { description }), define(satisfied), said("More.")]);
    await s.seen(id, until, (events) => typesOf(events).includes(until));
    await s.good("POST", `/v1/sessions/${id}/archive`, { key: s.platform.api_key });
    const events = await s.eventsOf(id);
    const shown = await shownOutcomes(id);
    assert.deepEqual(
      shown.map(({ result }: { result: string }) => result),
      ["interrupted", "interrupted"],
    );
    for (const { completed_at: completedAt, explanation } of shown) {
      assert.match(completedAt, /Z$/);
      assert.match(explanation, /archived/);
    }
    const waits = events.filter(({ processed_at: at }) => at === null);
    assert.deepEqual(typesOf(waits), [], until);
    const spans = typesOf(events).filter((type) => type.startsWith("span."));
    const starts = spans.filter((type) => type.endsWith("_start")).length;
    assert.equal(starts, spans.length - starts, `${until}: each span has an end`);
    const grades = until === "span.model_request_start" ? [] : [[0, "interrupted"]];
    assert.deepEqual(gradesOf(events), grades);
    assert.equal(events.at(-1)?.type, "session.status_terminated");
  }
});

test("[SES37] the session shows how an outcome stands while it is worked on, and while it waits", async () => {
  const id = await s.begin();
  const slow = define(satisfied, { description: "[[tokens 5000]] [[rate 50]]" });
  await s.send(id, [slow, define(satisfied)]);
  await s.seen(id, "the call", (events) => typesOf(events).includes("span.model_request_start"));
  const results = (await shownOutcomes(id)).map(({ result }: { result: string }) => result);
  assert.deepEqual(results, ["running", "pending"]);
  await s.send(id, [{ type: "user.interrupt" }]);
  await s.finished(id);
});

test("[SES36] a message after an outcome has a turn of its own", async () => {
  const id = await s.begin();
  await s.send(id, [define(satisfied), said('[[say "Yes."]] And now?')]);
  const events = await s.finished(id);
  assert.deepEqual(stopsOf(events), ["end_turn", "end_turn"]);
  assert.equal(textOf(ofType(events, "agent.message").at(-1) ?? assert.fail()), "Yes.");
  assert.equal(gradesOf(events).length, 1);
});
