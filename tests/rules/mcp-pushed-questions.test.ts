// Rules MCP45 to MCP47: servers of the older revisions ask a person over the connection of a call, which waits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { limits } from "../../server/mcp_client/limits.ts";
import { call, resultsOf, toLoopback, withServers } from "./mcp-house.ts";
import { accepted, answered, callsOf, person, questionIn, stopOf } from "./mcp-questions-house.ts";
import { openMcpServer, words, type Tools } from "./mcp-server.ts";
import { interrupt, ofType, openSessionHouse, said, type SessionHouse } from "./sessions-house.ts";
import { until } from "./support.ts";

const callSeconds = 2;
/** As long as a person has, and no call waits for. */
let personMs: number = limits.personMsMax;
let it: SessionHouse;
before(async () => {
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      systemClock.sleep(ms > limits.personMsMax / 2 ? personMs : ms, signal),
  };
  const sections = { network: toLoopback, mcp: { call_seconds: callSeconds } };
  it = await openSessionHouse({ sections, clock });
});
after(() => it[Symbol.asyncDispose]());

const form = { message: "For whom?", requestedSchema: person };
const address = {
  mode: "url",
  message: "Pay there.",
  url: "https://pay.example.com/42",
  elicitationId: "e1",
};
const pushes = (params: object): Tools => ({
  book: {
    call: async (_input, _signal, { ask }) =>
      words(JSON.stringify(await ask("elicitation/create", params))),
  },
});
const open = (tools: Tools) => openMcpServer(tools, "legacy");
const begun = async ({ url }: { url: string }) => (await it.make(withServers({ url }))).id;
const book = call("mcp__docs__book");
const ada = { answer: accepted({ name: "Ada" }) };
const expectGone = ({ status, body }: { status: number; body: unknown }) => {
  assert.equal(status, 400);
  assert.match(JSON.stringify(body), /tool_call_not_pending/);
};
/** That what was asked is closed without an answer, and the call has a result. */
const gone = async (id: string, question: { id: string }, results: number) => {
  const events = await until(async () => {
    const all = await it.idle(id);
    return resultsOf(all).length === results && all;
  }, "the call has its result");
  const closed = ofType(events, "agent.tool_result").find(
    ({ tool_use_id: of }) => of === question.id,
  );
  assert.equal(closed?.["is_error"], true);
  expectGone(await it.trySend(id, [answered(question.id, ada)]));
  return resultsOf(events).at(-1);
};
const passed = (ms: number) => systemClock.sleep(ms);

test("[MCP45] what a server asks over its call is a question of the session, answered over the same connection", async () => {
  await using server = await open(pushes(form));
  const id = await begun(server);
  const events = await it.turn(id, book);
  const question = questionIn(events);
  assert.deepEqual(stopOf(events), { type: "requires_action", event_ids: [question.id] });
  assert.deepEqual((await it.read(id)).status, "idle");
  const { requests } = question["input"] as { requests: Record<string, { message: string }> };
  assert.equal(requests["answer"]?.message, "For whom?");
  const wrong = answered(question.id, { answer: accepted({ age: 3 }) });
  assert.equal((await it.trySend(id, [wrong])).status, 400);
  const told = await it.turn(id, answered(question.id, ada));
  assert.deepEqual(JSON.parse(resultsOf(told)[0] ?? ""), ada.answer);
  assert.deepEqual([callsOf(server), server.sessions.size], [1, 1]);
  expectGone(await it.trySend(id, [answered(question.id, ada)]));
});

test("[MCP51] a server also asks on the stream of its session, by the kit of the older revisions", async () => {
  await using server = await open({
    book: { call: async (_input, _signal, { push }) => words(JSON.stringify(await push(form))) },
  });
  const id = await begun(server);
  const question = questionIn(await it.turn(id, book));
  const told = await it.turn(id, answered(question.id, ada));
  assert.deepEqual(JSON.parse(resultsOf(told)[0] ?? ""), ada.answer);
  assert.equal(server.asked.filter(({ method }) => method === "GET").length, 1);
});

test("[MCP51] a stream that is refused or ends is no fault, and one that ends is opened again", async () => {
  await using server = await open({
    book: { call: async (_input, _signal, { push }) => words(JSON.stringify(await push(form))) },
    plain: { call: () => words("plain") },
  });
  const kinds = ["text/html", "text/event-stream"];
  server.before = (request, response) => {
    const kind = request.method === "GET" && kinds.pop();
    if (kind === undefined || kind === false) return false;
    response.writeHead(200, { "content-type": kind }).end("id: 1\nretry: 1\ndata:\n\n");
    return true;
  };
  const id = await begun(server);
  const plain = () => it.turn(id, call("mcp__docs__plain"));
  const ofServer = (events: Awaited<ReturnType<typeof plain>>) =>
    assert.deepEqual([resultsOf(events).at(-1), ofType(events, "session.error")], ["plain", []]);
  ofServer(await plain());
  await until(async () => kinds.length === 0, "the stream is opened again");
  ofServer(await plain());
});

test("[MCP45] it may ask ten times in a call, one after the other, and is told cancel then", async () => {
  await using server = await open({
    book: {
      call: async (_input, _signal, { ask }) => {
        const both = ["a", "b"].map((message) => ask("elicitation/create", { ...form, message }));
        const first = await Promise.all(both);
        const more: unknown[] = [];
        for (let time = 0; time < 9; time++) more.push(await ask("elicitation/create", form));
        return words(JSON.stringify([...first, ...more]));
      },
    },
  });
  const id = await begun(server);
  let events = await it.turn(id, book);
  for (let time = 0; time < 10; time++) {
    const name = `Ada ${time}`;
    const answer = answered(questionIn(events).id, { answer: accepted({ name }) });
    events = await it.turn(id, answer);
  }
  const all = JSON.parse(resultsOf(events)[0] ?? "") as { action: string }[];
  assert.deepEqual(
    all.map(({ action }) => action),
    [...Array.from({ length: 10 }, () => "accept"), "cancel"],
  );
});

test("[MCP46] a person's time is not that of the call, which goes on afterwards", async () => {
  await using server = await open({
    ...pushes(form),
    slow: {
      call: async (_input, signal, { ask }) => {
        await ask("elicitation/create", form);
        await systemClock.sleep(60_000, signal);
        return words("never");
      },
    },
  });
  const id = await begun(server);
  const question = questionIn(await it.turn(id, book));
  await passed(callSeconds * 1_500);
  const told = await it.turn(id, answered(question.id, ada));
  assert.deepEqual(JSON.parse(resultsOf(told)[0] ?? ""), ada.answer);
  const slow = questionIn(await it.turn(id, call("mcp__docs__slow")));
  const ended = resultsOf(await it.turn(id, answered(slow.id, ada)));
  assert.match(ended[0] ?? "", /did not answer within 2 seconds.*not known/);
});

test("[MCP46] where a person takes too long the server is told cancel, and the question is closed", async () => {
  const goesOn = Promise.withResolvers<void>();
  await using server = await open({
    book: {
      call: async (_input, _signal, { ask }) => {
        const answer = await ask("elicitation/create", form);
        await goesOn.promise;
        return words(JSON.stringify(answer));
      },
    },
  });
  const id = await begun(server);
  personMs = 500;
  try {
    const question = questionIn(await it.turn(id, book));
    await until(async () => (await it.read(id)).status === "running", "the call goes on");
    expectGone(await it.trySend(id, [answered(question.id, ada)]));
    goesOn.resolve();
    assert.equal(await gone(id, question, 1), '{"action":"cancel"}');
  } finally {
    personMs = limits.personMsMax;
  }
});

test("[MCP47] an address is done with when the server says so, or the person", async () => {
  const done = Promise.withResolvers<void>();
  await using server = await open({
    ...pushes(address),
    wait: {
      call: async (_input, _signal, { ask, complete }) => {
        const answer = ask("elicitation/create", address);
        await done.promise;
        await complete("e1");
        return words(JSON.stringify(await answer));
      },
    },
  });
  const id = await begun(server);
  const question = questionIn(await it.turn(id, book));
  const told = await it.turn(id, answered(question.id, { answer: accepted() }));
  assert.deepEqual(resultsOf(told), ['{"action":"accept"}']);
  const other = questionIn(await it.turn(id, call("mcp__docs__wait")));
  done.resolve();
  assert.equal(await gone(id, other, 2), '{"action":"accept"}');
});

test("[MCP47] what no person can be shown is refused, and the call goes on", async () => {
  await using server = await open({
    book: {
      call: async (_input, _signal, { ask }) => {
        const bad = { ...address, url: "javascript:alert(1)" };
        const why = await ask("elicitation/create", bad).catch((error: Error) => error.message);
        return words(String(why));
      },
    },
  });
  const id = await begun(server);
  const [result] = resultsOf(await it.turn(id, book));
  assert.match(result ?? "", /that a person cannot be shown|Invalid elicitation/);
});

test("[SES159] an interrupt ends a call that is held for an answer, and its server is told", async () => {
  let isEnded = false;
  await using server = await open({
    book: {
      call: async (_input, signal, { ask }) => {
        signal.addEventListener("abort", () => (isEnded = true));
        return words(JSON.stringify(await ask("elicitation/create", form)));
      },
    },
  });
  const id = await begun(server);
  questionIn(await it.turn(id, book));
  const [result] = resultsOf(await it.turn(id, interrupt));
  assert.match(result ?? "", /^error: Interrupted while its server waited for an answer/);
  await until(async () => isEnded, "its server is told");
});

test("[SES159] the other calls of the answer wait until the call has its result", async () => {
  let times = 0;
  await using server = await open({
    ...pushes(form),
    plain: { call: () => words(`plain ${(times += 1)}`) },
  });
  const id = await begun(server);
  const both = said("[[tools mcp__docs__book {} | mcp__docs__plain {}]]");
  const events = await it.turn(id, both);
  const question = questionIn(events);
  assert.deepEqual(stopOf(events), { type: "requires_action", event_ids: [question.id] });
  assert.deepEqual([resultsOf(events), times], [[], 0]);
  const told = await it.turn(id, answered(question.id, ada));
  assert.deepEqual([resultsOf(told).length, resultsOf(told)[1]], [2, "plain 1"]);
  assert.equal(callsOf(server), 2);
});

test("[SES159] a process keeps 32 calls open: the server of another is told cancel, until one has its answer", async () => {
  await using server = await open(pushes(form));
  const ids = await Promise.all(Array.from({ length: 32 }, () => begun(server)));
  const held = await Promise.all(ids.map((id) => it.turn(id, book)));
  const questions = held.map((events) => questionIn(events).id);
  const another = await begun(server);
  const refused = await it.turn(another, book);
  assert.deepEqual(resultsOf(refused), ['{"action":"cancel"}']);
  assert.deepEqual(ofType(refused, "agent.custom_tool_use"), []);
  const [first = "", ...rest] = ids;
  await it.turn(first, answered(questions[0] ?? "", ada));
  questionIn(await it.turn(another, book));
  await Promise.all([another, ...rest].map((id) => it.turn(id, interrupt)));
});
