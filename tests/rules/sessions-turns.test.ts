// Rules SES28 to SES32 and SES35, over HTTP: how the models of a session are asked, and what becomes of their failures.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { setSpend } from "../../server/limits/module.ts";
import { limits } from "../../server/sessions/limits.ts";
import { addUsage } from "../../server/sessions/model/queries.ts";
import { groupsOf } from "./groups-house.ts";
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
    { contains: "Recover.", say: "Here I am." },
    { contains: "Break down.", fail: { status: 529 } },
  ];
  s = await openSessionHouse({
    sections: {
      models: {
        upstreams: { broken: { kind: "simulator", scenario } },
        models: [{ id: "broken", upstream: "broken" }],
      },
    },
  });
});
after(() => s[Symbol.asyncDispose]());

const errorsOf = (events: readonly SessionEvent[]) =>
  ofType(events, "session.error").map(({ error }) => [
    error.type as string,
    error.retry_status.type as string,
  ]);
const answersOf = (events: readonly SessionEvent[]) => ofType(events, "agent.message").map(textOf);

/** Tokens that the model was shown, call by call. */
const shownOf = (events: readonly SessionEvent[]): number[] =>
  ofType(events, "span.model_request_end")
    .filter(({ is_error: isError }) => isError !== true)
    .map(
      ({ model_usage: usage }) =>
        usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
    );

test("[SES28] the ledger knows whose session a call was for, and in which environment", async () => {
  const id = await s.begin();
  await s.talk(id, "Hello", "And again");
  const { agent, environment_id: environment } = await s.read(id);
  const rows = await expectExact(s, id);
  const of = { model: "sim-small", kind: "agent", outcome: "served", agent: agent.id };
  assert.equal(rows.length, 2);
  for (const row of rows) assert.deepEqual({ ...row, ...of, environment, deployment: null }, row);
});

test("[SES28] a spend limit holds for sessions, and ends the turn at once", async () => {
  const { other } = s;
  const who = { key: other.api_key };
  const id = await s.begin({ who });
  const set = (nano: bigint | null) =>
    s.house.world.db.tx((tx) => setSpend(tx, other.organization_id, "", nano));
  await set(1n);
  await s.send(id, [said("Hello")], who);
  const events = await s.finished(id, who);
  assert.deepEqual(errorsOf(events), [["billing_error", "exhausted"]]);
  assert.deepEqual(stopsOf(events), ["retries_exhausted"]);
  assert.deepEqual(await s.ledgerOf(id), []);
  await set(null);
});

test("[SES28] a session has the models that its maker may use now, not those of when it was made", async () => {
  const { enterprise, house } = s;
  const groups = groupsOf(house);
  const may = ["capability_agents", "capability_sessions", "capability_environments"];
  const person = await groups.managed(enterprise, [...may, "model_access:sim-small"]);
  const who = { cookie: person.cookie };
  const id = await s.begin({ who });
  await s.send(id, [said("Hello")], who);
  assert.deepEqual(stopsOf(await s.finished(id, who)), ["end_turn"]);
  const less = await groups.role(enterprise, [...may, "model_access:sim-large"]);
  await groups.give(enterprise, person.groupId, [less]);
  await s.send(id, [said("Hello again")], who);
  const events = await s.finished(id, who);
  assert.deepEqual(stopsOf(events), ["end_turn", "retries_exhausted"]);
  assert.deepEqual(errorsOf(events), [["model_request_failed_error", "exhausted"]]);
  assert.match(ofType(events, "session.error")[0]?.["error"].message, /your roles give no access/);
});

test("[SES29] usage is what was settled, after answers, failures, refusals and interrupts", async () => {
  const id = await s.begin({ agent: { model: "sim-large" } });
  await s.withoutPauses(() =>
    s.talk(
      id,
      "[[tokens 7]] One.",
      "[[fail status=529 times=1 after=5]] [[tokens 20]] Two.",
      "[[refuse category=cyber models=* after=3]] Three.",
    ),
  );
  await s.send(id, [said("[[tokens 5000]] [[rate 50]] Four.")]);
  await s.seen(id, "the fourth call", (all) => all.at(-1)?.type === "span.model_request_start");
  await s.send(id, [{ type: "user.interrupt" }]);
  await s.finished(id);
  const rows = await expectExact(s, id);
  const { usage } = await s.read(id);
  assert.ok(rows.length >= 4, `${rows.length} calls`);
  assert.ok(usage.output_tokens >= 7 + 20 + 3);
  // Some hundred tokens of a list price far below a cent.
  assert.equal(usage.list_cost.amount, "1");
});

test("[SES29] a settlement that is written again, since nobody heard of its commit, is counted once", async () => {
  const id = await s.begin();
  const { db } = s.house.world;
  const [thread] = await db.query<{ id: string }>(
    sql`select thread_id as id from sessions where id = ${id}`,
  );
  const counts = { input: 3, output: 5, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
  const settlement = {
    outcome: "served",
    counts,
    amountNano: 8,
    listAmountNano: 8,
    estimated: false,
  } as const;
  for (const call of ["hop_1", "hop_1", "hop_2", "hop_1", "hop_2"])
    await db.tx((tx) => tx.query(addUsage(thread?.id ?? "", call, settlement)));
  const { usage } = await s.read(id);
  assert.deepEqual([usage.input_tokens, usage.output_tokens], [6, 10]);
});

test("[SES30] a failure that passes is told, and tried again after a pause that doubles", async () => {
  const id = await s.begin();
  const events = await s.talk(id, "[[fail status=529 times=3]] Hello");
  const passing = ["model_overloaded_error", "retrying"];
  assert.deepEqual(errorsOf(events), [passing, passing, passing]);
  assert.deepEqual(stopsOf(events), ["end_turn"]);
  const round = [
    "span.model_request_start",
    "span.model_request_end",
    "session.error",
    "session.thread_status_rescheduled",
    "session.status_rescheduled",
    "session.status_running",
    "session.thread_status_running",
  ];
  assert.deepEqual(typesOf(events).slice(3, 3 + 21), [...round, ...round, ...round]);
  const timesOf = (type: string) =>
    ofType(events, type).map(({ processed_at: at }) => new Date(at ?? "").getTime());
  const failed = timesOf("session.error");
  const [, ...again] = timesOf("session.status_running");
  // Spread by a quarter, so that sessions that failed together do not come back together.
  for (const [index, doubledMs] of [500, 1_000, 2_000].entries()) {
    const pauseMs = (again[index] ?? 0) - (failed[index] ?? 0);
    assert.ok(pauseMs >= doubledMs * 0.74, `${pauseMs} ms before try ${index + 2}`);
  }
  await expectExact(s, id);
});

test("[SES30] while it waits for another try a session is rescheduling", async () => {
  const id = await s.begin();
  await s.send(id, [said("[[fail status=529 times=1 retry_after=2]] Hello")]);
  await s.seen(id, "the failure", (all) => all.at(-1)?.type === "session.status_rescheduled");
  assert.equal((await s.read(id)).status, "rescheduling");
  assert.deepEqual(stopsOf(await s.finished(id)), ["end_turn"]);
  assert.equal((await s.read(id)).status, "idle");
});

test("[SES30] after 8 failures in a row the turn ends, and what waited is part of the conversation", async () => {
  const id = await s.begin({ agent: { model: "broken" } });
  const events = await s.withoutPauses(async () => {
    await s.send(id, [said("Break down."), said("And another thing.")]);
    return s.finished(id);
  });
  const told = errorsOf(events);
  assert.equal(told.length, limits.failuresMax);
  assert.deepEqual(told.at(-1), ["model_overloaded_error", "exhausted"]);
  assert.ok(told.slice(0, -1).every(([, status]) => status === "retrying"));
  assert.deepEqual(stopsOf(events), ["retries_exhausted"]);
  assert.equal(ofType(events, "span.model_request_start").length, limits.failuresMax);
  const later = await s.talk(id, "Recover.");
  assert.deepEqual(answersOf(later), ["Here I am."]);
  const alone = await s.begin({ agent: { model: "broken" } });
  const all = await s.begin({ agent: { model: "broken" } });
  const [shown] = shownOf(later);
  assert.ok((shown ?? 0) > (shownOf(await s.talk(alone, "Recover."))[0] ?? 0));
  // Three texts of one turn.
  const texts = ["Break down.", "And another thing.", "Recover."].map((text) => ({
    type: "text",
    text,
  }));
  await s.send(all, [{ type: "user.message", content: texts }]);
  assert.equal(shown, shownOf(await s.finished(all))[0]);
});

test("[SES30] after 120 seconds of failures the turn ends, however few they were", async () => {
  const id = await s.begin();
  try {
    await s.send(id, [said("[[fail status=529]] Hello")]);
    await s.seen(id, "a failure", (all) => all.at(-1)?.type === "session.status_rescheduled");
    s.shift.ms = limits.failuresMs;
    const told = errorsOf(await s.finished(id));
    assert.equal(told.at(-1)?.[1], "exhausted");
    assert.ok(told.length < limits.failuresMax, `${told.length} failures`);
  } finally {
    s.shift.ms = 0;
  }
});

test("[SES30] what no further try can mend is not tried again", async () => {
  const id = await s.begin();
  const events = await s.talk(id, "[[fail status=400]] Hello");
  assert.deepEqual(errorsOf(events), [["model_request_failed_error", "exhausted"]]);
  assert.deepEqual(stopsOf(events), ["retries_exhausted"]);
  assert.equal(ofType(events, "span.model_request_start").length, 1);
});

test("[SES31] a refusal ends the turn with its details, and inputs that waited have their turns", async () => {
  const id = await s.begin();
  await s.send(id, [said("[[refuse category=cyber models=*]] Bad"), said("Good")]);
  const events = await s.finished(id);
  assert.deepEqual(stopsOf(events), ["refusal", "end_turn"]);
  const [refused, ended] = ofType(events, "session.status_idle");
  const { stop_details: details } = refused ?? assert.fail();
  assert.deepEqual([details.type, details.category], ["refusal", "cyber"]);
  assert.match(details.explanation, /declined/);
  assert.equal(ended?.["stop_details"], null);
});

test("[SES31] what was refused, and what cannot be answered, is not shown to the model again", async () => {
  const words = "Tell me something.";
  const alone = shownOf(await s.talk(await s.begin(), words));
  for (const bad of [
    "[[refuse models=*]] A long request that is not answered at all.",
    "[[refuse models=* after=3]] A long request of which three words are answered.",
    "[[fail status=400]] A long request that breaks the model.",
  ]) {
    const id = await s.begin();
    const events = await s.talk(id, bad, words);
    assert.equal(stopsOf(events).at(-1), "end_turn", bad);
    assert.deepEqual(shownOf(events).slice(-1), alone, bad);
  }
});

test("[SES31] a turn before the refused one stays", async () => {
  const id = await s.begin();
  const events = await s.talk(id, "First.", "[[refuse models=*]] Bad.", "Second.");
  const without = await s.talk(await s.begin(), "First.", "Second.");
  assert.deepEqual(shownOf(events).at(-1), shownOf(without).at(-1));
});

test("[SES32] a turn asks the model 100 times at most", async () => {
  const id = await s.begin();
  const calls = "[[tool nothing]] ".repeat(limits.roundsMax + 1);
  await s.send(id, [said(`${calls} Go.`), said("Another thing.")]);
  const events = await s.finished(id);
  assert.equal(ofType(events, "span.model_request_start").length, limits.roundsMax);
  assert.deepEqual(errorsOf(events), [["tool_use_limit_reached_error", "exhausted"]]);
  assert.deepEqual(stopsOf(events), ["retries_exhausted"]);
  const later = await s.talk(id, '[[say "On we go."]]');
  assert.deepEqual(answersOf(later), ["On we go."]);
  await expectExact(s, id);
});

test("[SES35] a later turn reads the earlier ones from the cache", async () => {
  const system = "You are told many things before you begin. ".repeat(400);
  const id = await s.begin({ agent: { system } });
  const events = await s.talk(id, "One.", "Two.", "Three.");
  const usages = ofType(events, "span.model_request_end").map(({ model_usage: usage }) => usage);
  const [first, second, third] = usages;
  assert.equal(first.cache_read_input_tokens, 0);
  assert.ok(first.cache_creation_input_tokens > 1_000, JSON.stringify(first));
  assert.ok(second.cache_read_input_tokens >= first.cache_creation_input_tokens);
  assert.ok(third.cache_read_input_tokens > second.cache_read_input_tokens);
  // The words of a turn, and no more.
  assert.ok(third.cache_creation_input_tokens < 200, JSON.stringify(third));
  await expectExact(s, id);
});
