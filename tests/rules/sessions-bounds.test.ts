// Rules SES50 to SES52, and what SES7 and SES14 say of sessions that nothing has been sent to, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { limits } from "../../server/sessions/limits.ts";
import { openUpstreamsHouse } from "./fallbacks-upstreams-house.ts";
import {
  custom,
  interrupt,
  ofType,
  openSessionHouse,
  said,
  sessionsOf,
  slowly,
  text,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-house.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

const calls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: "tool_use",
    id: `toolu_${n}`,
    name: "nobody",
    input: {},
  }));
const errorIn = (events: readonly SessionEvent[]) => ofType(events, "session.error")[0]?.["error"];

test("[SES50] an answer with a thousand calls is taken, and one with more ends its turn and is paid once", async () => {
  await using opened = await openUpstreamsHouse([{ id: "eager" }]);
  const own = sessionsOf(() => opened.house);
  const { id } = await own.make({ model: "eager", tools: [custom("look")] });
  let count = 1_000;
  opened.models.set("eager", (body) =>
    body.messages.length === 1 ? { content: calls(count), stop: "tool_use" } : {},
  );
  await own.send(id, said("Hello"));
  const last = (query: object) => own.eventsPage(id, { order: "desc", limit: 1, ...query });
  while ((await last({})).data[0]?.type !== "session.status_idle")
    await new Promise((resolve) => setTimeout(resolve, 50));
  const more = await last({ "types[]": "agent.tool_result", limit: 1000 });
  assert.equal(more.data.length, 1_000);
  count = 1_001;
  const other = await own.make({ model: "eager", tools: [custom("look")] });
  const asked = opened.upstream.requests.length;
  const turn = await own.turn(other.id, said("Hello"));
  assert.match(errorIn(turn)?.message, /1001 times in one answer; the most is 1000/);
  assert.equal(turn.at(-1)?.["stop_reason"].type, "retries_exhausted");
  assert.equal(opened.upstream.requests.length, asked + 1);
});

test("[SES50] an answer that cannot be kept ends its turn, and the model is not asked again", async () => {
  await using opened = await openUpstreamsHouse([{ id: "wordy" }]);
  const own = sessionsOf(() => opened.house);
  opened.models.set("wordy", () => ({ content: [text("x".repeat(1_100_000))] }));
  const { id } = await own.make({ model: "wordy" });
  const turn = await own.turn(id, said("Hello"));
  assert.equal(errorIn(turn)?.type, "unknown_error");
  assert.match(errorIn(turn)?.message, /could not be kept/);
  assert.equal(opened.upstream.requests.length, 1);
  const starts = ofType(turn, "span.model_request_start").length;
  assert.equal(ofType(turn, "span.model_request_end").length, starts);
  assert.ok(((await own.read(id)).usage.output_tokens ?? 0) > 0, "what it has used is counted");
  // It goes on with what comes next.
  opened.models.delete("wordy");
  assert.equal((await own.turn(id, said("Again"))).at(-1)?.["stop_reason"].type, "end_turn");
});

test("[SES51] a thousand messages wait and no more, and an interrupt takes them all", async () => {
  const { id } = await it.make();
  await it.busy(id);
  const many = (count: number) => Array.from({ length: count }, () => said("q"));
  for (let sent = 0; sent < 950; sent += 50) await it.send(id, ...many(50));
  await it.send(id, ...many(49));
  await it.refuses(id, many(2), "too_many_waiting", /events: 999 messages wait .* at most 1000/);
  await it.send(id, ...many(1));
  await it.refuses(id, many(1), "too_many_waiting", /events: 1000 messages wait/);
  await it.send(id, interrupt);
  const waiting = async () => {
    const pages = [await it.eventsPage(id, { limit: 1000 })];
    const next = pages[0]?.next_page;
    if (next != null) pages.push(await it.eventsPage(id, { limit: 1000, page: next }));
    const all = pages.flatMap(({ data }) => data);
    return { all, count: all.filter(({ processed_at }) => processed_at === null).length };
  };
  let now = await waiting();
  while (now.count > 0) now = await waiting();
  assert.equal(ofType(now.all, "span.model_request_start").length, 1);
  // There is room again.
  await it.send(id, said("Hello"));
});

test("[SES14] what begins a turn at once is processed as it comes, and stands in the order of time", async () => {
  const { id } = await it.make();
  const [first, beside] = await it.send(id, said(slowly), {
    type: "system.message",
    content: [text("Be brief.")],
  });
  assert.notEqual(first?.processed_at, null);
  assert.notEqual(beside?.processed_at, null);
  const [waits] = await it.send(id, said("Hello"));
  assert.equal(waits?.processed_at, null);
  await it.turn(id, interrupt);
  const all = (await it.events(id)).filter((event) => event.id !== waits?.id);
  const times = all.map(({ processed_at }) => processed_at ?? "");
  assert.deepEqual(times, times.toSorted());
});

test("[SES7] the stream of a session that nothing was sent to ends when it is deleted", async () => {
  const { id } = await it.make();
  await using stream = await it.stream(id);
  assert.equal((await it.remove(id)).status, 200);
  await stream.ended;
  assert.deepEqual(typesOf(stream.events), ["session.deleted"]);
});

test("[SES52] a turn that takes long tells what the session has used so far", async () => {
  const { id } = await it.make({ tools: [custom("look")] });
  const own = limits as { usageEveryMs: number };
  const everyMs = own.usageEveryMs;
  const short = await it.turn(id, said("Hello"));
  assert.deepEqual(ofType(short, "session.usage"), []);
  own.usageEveryMs = 0;
  try {
    const turn = await it.turn(id, said("[[tool nobody {}]] Hello"));
    const told = ofType(turn, "session.usage");
    assert.equal(told.length, 2);
    const { usage } = await it.read(id);
    const { active_seconds: _, ...sums } = usage;
    const { active_seconds: seconds, ...last } = told[1]?.["usage"] ?? {};
    assert.deepEqual(last, sums);
    assert.ok(seconds > 0);
    assert.ok(told[0]?.["usage"].output_tokens < (sums.output_tokens ?? 0));
    assert.equal(told[0]?.["budget"], null);
    // Nothing follows the last idle event.
    assert.equal(turn.at(-1)?.type, "session.status_idle");
  } finally {
    own.usageEveryMs = everyMs;
  }
});
