// Rules BAT13 to BAT15, over HTTP: how items are attempted, with a set clock and an upstream of the test's own.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { fakeUpstream, type ReplyWriter, type FakeUpstream } from "../upstreams/fake.ts";
import { type Item, openTimedBatchHouse, params, type TimedBatchHouse } from "./batches-house.ts";
import { seconds } from "./support.ts";

let b: TimedBatchHouse;
let upstream: FakeUpstream;
/** When each question came, by what it says. */
let asked: Map<string, number[]>;
/** What is said to whom is asked so for the nth time. */
type Say = (answering: ReplyWriter, text: string, time: number) => void;
let say: Say;

const message = (model: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model,
  content: [{ type: "text", text: "Fine." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});

const good: Say = ({ reply }) => reply(200, JSON.stringify(message("barn")));
const bad =
  (status: number, headers: Record<string, string> = {}): Say =>
  ({ reply }) => {
    const error = { type: "api_error", message: `Not with ${status}.` };
    reply(status, JSON.stringify({ type: "error", error }), headers);
  };

const places = ["barn", "busy", "wide", "narrow", "shared"];

before(async () => {
  upstream = await fakeUpstream((answering) => {
    const { messages } = JSON.parse(answering.received.body.toString());
    const text = String(messages[0].content);
    const times = asked.get(text) ?? [];
    asked.set(text, [...times, b.clock.monotonicMs()]);
    say(answering, text, times.length + 1);
  });
  const barn = { kind: "messages", base_url: upstream.url };
  b = await openTimedBatchHouse({
    sections: {
      batches: { upstreams: { narrow: 3 } },
      models: {
        // Of each upstream it is remembered how much is too much for it.
        upstreams: Object.fromEntries(places.map((name) => [name, barn])),
        models: places.map((id) => ({ id, upstream: id, pass: ["their-beta-2026-01-01"] })),
      },
    },
  });
});
after(async () => {
  letAllGo();
  await b[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(() => {
  letAllGo();
  asked = new Map();
});

const at = (model: string, ...texts: readonly string[]): Item[] =>
  texts.map((text) => ({
    custom_id: text.replaceAll(" ", "-"),
    params: params(text, { model }),
  }));

/** All results, with time passing as long as it must. */
async function run(requests: readonly Item[], asking = {}) {
  const { id } = await b.create(requests, asking);
  await b.ended(id, asking);
  return b.results(id, asking);
}

const pausesOf = (text: string): number[] => {
  const times = asked.get(text) ?? [];
  return times.slice(1).map((at, index) => at - (times[index] ?? 0));
};

test("[BAT13] what is over in a while is tried again, until it succeeds", async () => {
  const statuses = [408, 429, 500, 502, 503, 504, 529];
  say = (answering, text, time) =>
    (time <= 2 ? bad(Number(text.split(" ")[1])) : good)(answering, text, time);
  const results = await run(at("barn", ...statuses.map((status) => `status ${status}`)));
  for (const status of statuses) {
    assert.equal(results.get(`status-${status}`)?.type, "succeeded", `${status}`);
    assert.equal(asked.get(`status ${status}`)?.length, 3, `${status}`);
  }
});

test("[BAT7] the betas that a batch was made with go with each item, but for those of this server", async () => {
  const headers = { "anthropic-beta": "their-beta-2026-01-01, fallback-credit-2026-07-01" };
  const before = upstream.requests.length;
  await run(at("barn", "with betas", "with betas too"), { headers });
  await run(at("barn", "without betas"));
  const seen = upstream.requests.slice(before).map((each) => each.headers["anthropic-beta"]);
  assert.deepEqual(seen, ["their-beta-2026-01-01", "their-beta-2026-01-01", undefined]);
});

test("[BAT13] six times in all, each pause twice the one before; then the last error is told", async () => {
  say = bad(500);
  const results = await run(at("barn", "again"));
  assert.deepEqual(results.get("again")?.error.error, {
    type: "api_error",
    message: "Not with 500.",
  });
  const pauses = pausesOf("again");
  assert.equal(pauses.length, 5);
  for (const [index, pause] of pauses.entries()) {
    const due = seconds(0.5) * 2 ** index;
    // A quarter more or less, and as long as a step of the clock may be.
    assert.ok(pause >= due * 0.75 && pause <= due * 1.25 + 1_000, `${pause} for ${due}`);
  }
});

test("[BAT13] what will not get better, or says that it will not, is tried once", async () => {
  const statuses = [400, 401, 402, 403, 404, 409, 413, 422];
  say = (answering, text, time) => {
    const [kind, status] = text.split("-");
    const headers = kind === "never" ? { "x-should-retry": "false" } : {};
    bad(Number(status), headers)(answering, text, time);
  };
  const texts = [...statuses.map((status) => `once-${status}`), "never-500", "never-529"];
  const results = await run(at("barn", ...texts));
  for (const text of texts) {
    assert.equal(results.get(text)?.type, "errored", text);
    assert.equal(asked.get(text)?.length, 1, text);
  }
});

test("[BAT13] nothing is tried again before retry-after, in seconds, in milliseconds or as a date", async () => {
  const date = () => new Date(b.clock.now().getTime() + seconds(90)).toUTCString();
  const waits: Record<string, () => Record<string, string>> = {
    seconds: () => ({ "retry-after": "40" }),
    milliseconds: () => ({ "retry-after-ms": "60000", "retry-after": "1" }),
    date: () => ({ "retry-after": date() }),
    nonsense: () => ({ "retry-after": "soon" }),
  };
  say = (answering, text, time) =>
    (time === 1 ? bad(500, waits[text]?.()) : good)(answering, text, time);
  const results = await run(at("barn", ...Object.keys(waits)));
  assert.ok([...results.values()].every(({ type }) => type === "succeeded"));
  const meant = { seconds: 40_000, milliseconds: 60_000, date: 90_000, nonsense: 375 };
  for (const [text, ms] of Object.entries(meant)) {
    const [pause = 0] = pausesOf(text);
    // A date has whole seconds.
    const least = text === "date" ? ms - 1_000 : ms;
    assert.ok(pause >= least && pause <= ms + 2_000, `${text}: ${pause}`);
  }
});

/** Answers that the test lets go when it likes. */
const waiting: (() => void)[] = [];
function hold(answer: Say = good): void {
  say = (answering, text, time) => void waiting.push(() => answer(answering, text, time));
}

/** What a test that failed has left, too. */
function letAllGo(): void {
  say = good;
  for (const go of waiting.splice(0)) go();
}

/** All that are waiting, and whatever comes, until the batch has ended. */
async function letGo(ids: readonly string[], asking = {}) {
  for (const id of ids)
    await b.pass(async () => {
      for (const go of waiting.splice(0)) go();
      return (await b.retrieve(id, asking)).processing_status === "ended";
    }, `the end of ${id}`);
}

/** Time enough for whatever would happen. */
const aMoment = async () => {
  const untilMs = b.clock.monotonicMs() + seconds(3);
  await b.pass(async () => b.clock.monotonicMs() >= untilMs, "a moment");
};

test("[BAT14] eight at a time at first, and one more with each answer", async () => {
  hold();
  const texts = Array.from({ length: 60 }, (_, index) => `wide-${index}`);
  const { id } = await b.create(at("wide", ...texts));
  const expectAsked = async (count: number) => {
    await b.pass(async () => asked.size >= count, `${count} questions`);
    await aMoment();
    assert.equal(asked.size, count);
  };
  await expectAsked(8);
  waiting.shift()?.();
  await expectAsked(10);
  for (const go of waiting.splice(0)) go();
  await expectAsked(28);
  await letGo([id]);
});

test("[BAT14] [BAT13] an upstream that is too busy is left alone as long as it says, for all items", async () => {
  const texts = Array.from({ length: 40 }, (_, index) => `busy-${index}`);
  hold((answering, text, time) =>
    (text === "busy-0" && time === 1 ? bad(429, { "retry-after": "50" }) : good)(
      answering,
      text,
      time,
    ),
  );
  const { id } = await b.create(at("busy", ...texts));
  await b.pass(async () => asked.size === 8, "the first questions");
  const busyMs = b.clock.monotonicMs();
  await letGo([id]);
  assert.equal((await b.retrieve(id)).request_counts.succeeded, 40);
  const later = [...asked.values()].flat().filter((ms) => ms > busyMs);
  assert.equal(later.length, 33, "all but those that had begun before, and the first again");
  assert.ok(Math.min(...later) >= busyMs + 50_000);
});

test("[BAT14] never more at a time than the settings say", async () => {
  hold();
  const texts = Array.from({ length: 12 }, (_, index) => `narrow-${index}`);
  const { id } = await b.create(at("narrow", ...texts));
  for (let count = 3; count <= 12; count++) {
    await b.pass(async () => asked.size >= count, `${count} questions`);
    assert.equal(waiting.length, 3);
    waiting.shift()?.();
  }
  await letGo([id]);
});

test("[BAT14] while a message of somebody is under way there, batches get a quarter", async () => {
  hold();
  const person = b.house.ask("POST", "/v1/messages", {
    key: b.platform.api_key,
    body: params("person", { model: "shared" }),
  });
  await b.pass(async () => asked.size === 1, "the message");
  const texts = Array.from({ length: 20 }, (_, index) => `shared-${index}`);
  const { id } = await b.create(at("shared", ...texts));
  await b.pass(async () => asked.size >= 3, "the first questions");
  await aMoment();
  assert.equal(asked.size, 1 + 2);
  waiting.shift()?.();
  assert.equal((await person).status, 200);
  await b.pass(async () => asked.size >= 1 + 8, "as many as ever");
  await aMoment();
  assert.equal(asked.size, 1 + 8);
  await letGo([id]);
});

test("[BAT15] workspaces take turns, and in each of them its batches", async () => {
  hold();
  const texts = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const theirs = { key: b.other.api_key };
  const large = await b.create(at("narrow", ...texts("large", 400)));
  await b.pass(async () => asked.size === 3, "the first questions");
  const small = await b.create(at("narrow", ...texts("small", 5)));
  const foreign = await b.create(at("narrow", ...texts("foreign", 5)), theirs);
  await aMoment();
  assert.equal(asked.size, 3);
  while (asked.size < 33) {
    const before = asked.size;
    waiting.shift()?.();
    await b.pass(async () => asked.size > before, "the next question");
  }
  const order = [...asked.keys()].slice(3).map((text) => text.split("-")[0] ?? "");
  const lastOf = (name: string) => order.lastIndexOf(name) + 1;
  assert.equal(order.filter((name) => name === "foreign").length, 5);
  assert.equal(order.filter((name) => name === "small").length, 5);
  assert.ok(lastOf("foreign") <= 11, `each second one is theirs: ${order.join(" ")}`);
  assert.ok(lastOf("small") <= 22, `each second one of its workspace: ${order.join(" ")}`);
  await letGo([foreign.id], theirs);
  assert.equal((await b.retrieve(large.id)).processing_status, "in_progress");
  await letGo([small.id, large.id]);
});
