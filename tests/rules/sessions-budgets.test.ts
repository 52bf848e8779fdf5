// Rules SES33 and SES34, over HTTP: what a session may cost, and conversations that grow too long for their model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/sessions/limits.ts";
import { managedAgents } from "./agents-house.ts";
import {
  dear,
  expectExact,
  narrow,
  ofType,
  openSessionHouse,
  said,
  sections,
  stopsOf,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-work-house.ts";
import { sentenceOf } from "./support.ts";

/** Words that fill the window of 1,000 tokens to four fifths, and leave room for a call of a tool. */
const filling = 650;

let s: SessionHouse;
before(async () => {
  const { models } = sections.models;
  // A summary that fills the window anew, and asks for a tool again.
  const say = `${"word ".repeat(filling)} [[tool nothing]]`;
  const scenario = [{ contains: "Sum up this conversation", say }];
  s = await openSessionHouse({
    sections: {
      models: {
        upstreams: { garrulous: { kind: "simulator", scenario } },
        models: [
          ...models,
          { id: "garrulous", upstream: "garrulous", max_input_tokens: 1_000, max_tokens: 1_000 },
        ],
      },
    },
  });
});
after(() => s[Symbol.asyncDispose]());

const cents = (amount: string, currency = "USD") => ({
  type: "limit",
  max_list_cost: { amount, currency },
});
const beginDear = (budget?: string) =>
  s.begin({
    agent: { model: dear },
    session: budget === undefined ? {} : { budget: cents(budget) },
  });
const asked = (events: readonly SessionEvent[]) =>
  ofType(events, "span.model_request_start").length;
const costOf = async (id: string): Promise<string> => (await s.read(id)).usage.list_cost.amount;
const update = (id: string, budget: object | null) =>
  s.house.ask("POST", `/v1/sessions/${id}`, {
    key: s.platform.api_key,
    headers: managedAgents,
    body: { budget },
  });
const set = async (id: string, budget: object | null) => {
  const { status, body } = await update(id, budget);
  assert.equal(status, 200, JSON.stringify(body));
};
const turns = (id: string, count: number) =>
  s.seen(id, `${count} turns`, (events) => stopsOf(events).length === count);

test("[SES33] the model is asked as long as the cost is below the budget, and not at it", async () => {
  const id = await beginDear("6");
  const events = await s.talk(id, "[[tokens 5]] One.", "[[tokens 1]] Two.", "[[tokens 1]] Three.");
  assert.deepEqual(stopsOf(events), ["end_turn", "end_turn", "budget_reached"]);
  assert.equal(asked(events), 2);
  assert.equal(await costOf(id), "6");
  assert.equal((await s.read(id)).status, "idle");
  await expectExact(s, id);
});

test("[SES33] one call may go beyond it, and it is the last", async () => {
  const id = await beginDear("6");
  const events = await s.talk(id, "[[tokens 5]] One.", "[[tokens 9]] Two.", "Three.");
  assert.deepEqual(stopsOf(events), ["end_turn", "end_turn", "budget_reached"]);
  assert.equal(await costOf(id), "14");
});

test("[SES33] a budget that is raised or taken away lets the turn go on where it stood", async () => {
  const id = await beginDear("1");
  await s.talk(id, "[[tool nothing]] [[tool nothing]] Go.");
  await turns(id, 1);
  const spent = Number(await costOf(id));
  await set(id, cents(String(spent + 1)));
  assert.deepEqual(stopsOf(await turns(id, 2)), ["budget_reached", "budget_reached"]);
  assert.ok(Number(await costOf(id)) > spent);
  await set(id, null);
  const events = await turns(id, 3);
  assert.equal(stopsOf(events).at(-1), "end_turn");
  assert.equal(ofType(events, "user.message").length, 1);
  assert.equal(ofType(events, "agent.tool_use").length, 2);
  assert.equal(asked(events), 3);
  assert.equal((await s.read(id)).budget, null);
  await expectExact(s, id);
});

test("[SES33] inputs that wait behind a budget have their turns when it is raised", async () => {
  const id = await beginDear("2");
  await s.send(id, [
    said("[[tokens 2]] One."),
    said("[[tokens 3]] Two."),
    said("[[tokens 4]] Three."),
  ]);
  await turns(id, 2);
  assert.equal(await costOf(id), "2");
  await set(id, cents("100"));
  const events = await s.finished(id);
  assert.deepEqual(stopsOf(events), ["end_turn", "budget_reached", "end_turn", "end_turn"]);
  assert.equal(await costOf(id), "9");
});

test("[SES33] the largest budget is kept to the cent, and one cent more is refused by its field", async () => {
  const id = await beginDear("900000000");
  assert.deepEqual((await s.read(id)).budget, cents("900000000"));
  await set(id, cents("899999999"));
  assert.deepEqual((await s.read(id)).budget, cents("899999999"));
  const wrong = /^budget\.max_list_cost\.amount: must be at most 900000000 cents/;
  for (const amount of ["900000001", "900719926", "999999999999"])
    assert.match(sentenceOf(await update(id, cents(amount)), 400), wrong);
  const { agent, environment_id } = await s.read(id);
  const made = await s.house.ask("POST", "/v1/sessions", {
    key: s.platform.api_key,
    headers: managedAgents,
    body: { agent: agent.id, environment_id, budget: cents("900719926") },
  });
  assert.match(sentenceOf(made, 400), wrong);
});

test("[SES33] a budget cannot be set where there was none, nor at or below what was spent", async () => {
  const without = await beginDear();
  assert.match(
    sentenceOf(await update(without, cents("5")), 400),
    /when it is made, and none later/,
  );
  const id = await beginDear("9");
  await s.talk(id, "[[tokens 5]]");
  for (const amount of ["5", "4"])
    assert.match(sentenceOf(await update(id, cents(amount)), 400), /must be more than .* 5 cents/);
  await set(id, cents("6"));
  await set(id, null);
  assert.match(sentenceOf(await update(id, cents("50")), 400), /none later/);
});

test("[SES33] a budget is whole cents in USD", async () => {
  const id = await beginDear("9");
  for (const wrong of [cents("2.5"), cents("0"), cents("-1"), cents("1e3"), cents("9", "EUR")])
    assert.equal((await update(id, wrong)).status, 400, JSON.stringify(wrong));
  assert.deepEqual((await s.read(id)).budget, cents("9"));
});

test("[SES34] a conversation that fills its window is summed up before the model is asked again", async () => {
  const id = await s.begin({ agent: { model: narrow } });
  const before = await s.talk(id, "[[tokens 850]] One.");
  assert.ok(!typesOf(before).includes("agent.thread_context_compacted"));
  const events = (await s.talk(id, "Two.")).slice(before.length);
  assert.deepEqual(
    typesOf(events).filter((type) => !type.startsWith("session.")),
    [
      "user.message",
      "span.model_request_start",
      "span.model_request_end",
      "agent.thread_context_compacted",
      "span.model_request_start",
      "agent.message",
      "span.model_request_end",
    ],
  );
  const [whole, summed] = ofType(events, "span.model_request_end").map(
    ({ model_usage: usage }) => usage.input_tokens as number,
  );
  assert.ok((whole ?? 0) > 850 && (summed ?? 0) < 200, `${whole}, then ${summed}`);
  assert.equal((await expectExact(s, id)).length, 3);
});

test("[SES34] a conversation below 80 % of the window is left as it is", async () => {
  const id = await s.begin({ agent: { model: narrow } });
  const events = await s.talk(id, "[[tokens 700]] One.", "[[tokens 1]] Two.");
  assert.ok(!typesOf(events).includes("agent.thread_context_compacted"));
});

test("[SES34] it is summed up 5 times a turn at most, and again in the next", async () => {
  const id = await s.begin({ agent: { model: "garrulous" } });
  const text = `${"word ".repeat(filling)} [[tool nothing]]`;
  const events = await s.talk(id, text);
  assert.equal(ofType(events, "agent.thread_context_compacted").length, limits.compactionsMax);
  const [error, ...more] = ofType(events, "session.error");
  assert.deepEqual(more, []);
  assert.equal(error?.["error"].type, "compaction_limit_reached_error");
  assert.deepEqual(error?.["error"].retry_status, { type: "exhausted" });
  assert.deepEqual(stopsOf(events), ["retries_exhausted"]);
  // Each summary is asked for, and so is each answer between two of them.
  assert.equal((await expectExact(s, id)).length, 2 * limits.compactionsMax + 1);
});
