// What an old server asks in the midst of a call, asked of a client that calls again with the answers.
import { test } from "node:test";
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { calling, openBridge, stillClock, textOf, type Answer } from "./clients.ts";

const accepting =
  (name: string): Answer =>
  () => ({ action: "accept", content: { name } });
const asking = (answer: Answer) => ({
  capabilities: { elicitation: { form: {} } },
  answers: { "elicitation/create": answer },
});

interface Asked {
  method: string;
  params: { message: string };
  type: string;
  prompt: string;
}

/** One round of a call, by hand: the client of the package goes on by itself. */
interface Round {
  resultType?: string;
  inputRequests?: Record<string, Asked>;
  requestState?: string;
  content?: { text: string }[];
}

async function round(
  bridge: { answer(request: Request): Promise<Response> },
  params: Record<string, unknown>,
  {
    who,
    capabilities = { elicitation: { form: {} } },
    names = "long",
  }: { who?: string; capabilities?: object; names?: "long" | "short" | "beside" } = {},
) {
  const long = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
  const short = { clientInfo: { name: "by hand", version: "1" }, capabilities };
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  const body = {
    long: { ...call, params: { ...params, _meta: long } },
    short: { ...call, params: { ...params, _meta: short } },
    beside: { ...call, params, _meta: short },
  }[names];
  const response = await bridge.answer(
    new Request("http://bridge.test/mcp", {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": String(params["name"]),
        ...(who !== undefined && { authorization: who }),
      },
    }),
  );
  const answer = (await response.json()) as {
    result?: Round;
    error?: { code: number; message: string; data?: { reason?: string } };
  };
  return { result: answer.result ?? {}, error: answer.error };
}

const answers = { q1: { action: "accept", content: { name: "Ada" } } };

test("[MCB4] a question of the server is asked of the client, and the call goes on with the answer", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect(asking(accepting("Ada")));
  assert.equal(await calling(client, "ask"), "Hello Ada");
  const declining = await bridge.connect(asking(() => ({ action: "decline" })));
  assert.equal(await calling(declining, "ask"), "Hello decline");
});

test("[MCB4] it asks as often as it wants", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect(
    asking(({ message }) => ({ action: "accept", content: { name: String(message) } })),
  );
  assert.equal(await calling(client, "ask_twice"), "First? and Second?");
});

test("[MCB4] forms, sampling and roots are asked, several at once", async () => {
  await using bridge = openBridge();
  const client = await bridge.connect({
    capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
    answers: {
      "elicitation/create": accepting("Ada"),
      "sampling/createMessage": () => ({
        role: "assistant",
        model: "small",
        content: { type: "text", text: "something" },
      }),
      "roots/list": () => ({ roots: [{ uri: "file:///home" }] }),
    },
  });
  assert.equal(await calling(client, "ask_all"), "Ada, something, file:///home");
});

test("[MCB4] what is asked at once is told at once", async () => {
  await using bridge = openBridge();
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const { result } = await round(bridge, { name: "ask_all" }, { capabilities });
  assert.deepEqual(
    Object.values(result.inputRequests ?? {}).map(({ method }) => method),
    ["elicitation/create", "sampling/createMessage", "roots/list"],
  );
  // What the server and the bridge have between them is nothing of the client's.
  assert.deepEqual(result.inputRequests?.["q3"]?.params, { _meta: { trace: "kept" } });
});

test("[MCB27] what is asked has the names of the specification's table, too", async () => {
  await using bridge = openBridge();
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const { result } = await round(bridge, { name: "ask_all" }, { capabilities });
  assert.deepEqual(
    Object.values(result.inputRequests ?? {}).map(({ type, prompt }) => [type, prompt]),
    [
      ["elicitation", "Who?"],
      ["sampling", "Say something."],
      ["roots", "Which folders may the server look into?"],
    ],
  );
});

test("[MCB27] the short names of a request are read where no long one stands", async () => {
  await using bridge = openBridge();
  for (const names of ["short", "beside"] as const) {
    const asked = await round(bridge, { name: "ask" }, { names });
    assert.equal(asked.result.resultType, "input_required", names);
    const cannot = await round(bridge, { name: "ask" }, { names, capabilities: {} });
    assert.match(cannot.result.content?.[0]?.text ?? "", /does not support form elicitation/);
  }
});

test("[MCB4] the server of a client that cannot be asked knows it", async () => {
  await using bridge = openBridge();
  const result = await (await bridge.connect()).callTool({ name: "ask" });
  assert.equal(result.isError, true);
  assert.match(textOf(result) ?? "", /does not support form elicitation/);
});

test("[MCB5] calls at once that may ask are in sessions of their own, and each is asked its question", async () => {
  await using bridge = openBridge();
  const names = ["Ada", "Bea", "Cy"];
  const clients = await Promise.all(names.map((name) => bridge.connect(asking(accepting(name)))));
  const said = await Promise.all(clients.map((client: Client) => calling(client, "ask_twice")));
  assert.deepEqual(
    said,
    names.map((name) => `${name} and ${name}`),
  );
});

test("[MCB6] a state is good for its own call, caller and round, once", async () => {
  await using bridge = openBridge();
  const first = await round(bridge, { name: "ask", arguments: { a: 1, b: 2 } });
  assert.equal(first.result.resultType, "input_required");
  assert.equal(first.result.inputRequests?.["q1"]?.params.message, "Who?");
  const { requestState = "" } = first.result;
  const other = { requestState, inputResponses: answers };
  const refused = [
    await round(bridge, { name: "ask_twice", arguments: { a: 1, b: 2 }, ...other }),
    await round(bridge, { name: "ask", arguments: { a: 2, b: 2 }, ...other }),
    await round(bridge, { name: "ask", arguments: { a: 1, b: 2 }, ...other }, { who: "Bearer b" }),
    await round(bridge, {
      name: "ask",
      arguments: { a: 1, b: 2 },
      ...other,
      requestState: `${requestState.slice(0, -4)}AAAA`,
    }),
  ];
  for (const { error } of refused) {
    assert.equal(error?.code, -32602);
    assert.equal(error.data?.reason, "invalid_request_state");
  }
  const good = { name: "ask", arguments: { b: 2, a: 1 }, ...other };
  const atOnce = await Promise.all([round(bridge, good), round(bridge, good)]);
  // Which of the two comes first is not given.
  const [done, refusedOne] = atOnce.toSorted((a, b) => Number(!!a.error) - Number(!!b.error));
  assert.equal(done?.result.content?.[0]?.text, "Hello Ada");
  assert.match(refusedOne?.error?.message ?? "", /waits no longer/);
  const again = await round(bridge, { name: "ask", arguments: { a: 1, b: 2 }, ...other });
  assert.match(again.error?.message ?? "", /waits no longer/);
});

test("[MCB6] another bridge, as after a restart, says that the state is not its own", async () => {
  await using bridge = openBridge();
  await using other = openBridge();
  const { requestState } = (await round(bridge, { name: "ask" })).result;
  const refused = await round(other, { name: "ask", requestState, inputResponses: answers });
  assert.match(refused.error?.message ?? "", /was begun anew.*effect is not known/);
});

test("[MCB6] an answer that is none is refused, and one that is left out is asked again", async () => {
  await using bridge = openBridge();
  const { requestState } = (await round(bridge, { name: "ask" })).result;
  const wrong = { q1: { action: "perhaps" } };
  const refused = await round(bridge, { name: "ask", requestState, inputResponses: wrong });
  assert.match(refused.error?.message ?? "", /inputResponses\.q1 is no answer/);
  const asked = await round(bridge, { name: "ask", requestState, inputResponses: {} });
  assert.ok(asked.result.inputRequests?.["q1"]);
  const next = asked.result.requestState;
  assert.notEqual(next, requestState);
  const done = await round(bridge, { name: "ask", requestState: next, inputResponses: answers });
  assert.equal(done.result.content?.[0]?.text, "Hello Ada");
});

test("[MCB7] a call whose question is not answered ends, and its session is free", async () => {
  const clock = stillClock();
  await using bridge = openBridge(undefined, { clock, heldMs: 1_000, sessionsMax: 1 });
  const { requestState } = (await round(bridge, { name: "ask" })).result;
  // The next one that may ask has the one session when the first call has ended.
  const next = round(bridge, { name: "session" });
  clock.advance(1_000);
  assert.ok((await next).result.content?.[0]?.text);
  const late = await round(bridge, { name: "ask", requestState, inputResponses: answers });
  assert.match(late.error?.message ?? "", /waits no longer.*effect is not known/);
});

test("[MCB7] the time of a call stands still while its client is asked", async () => {
  const clock = stillClock();
  await using bridge = openBridge(undefined, { clock, callMs: 1_000 });
  const { requestState } = (await round(bridge, { name: "ask" })).result;
  clock.advance(2_000);
  const done = await round(bridge, { name: "ask", requestState, inputResponses: answers });
  assert.equal(done.result.content?.[0]?.text, "Hello Ada");
});

test("[MCB12] an address to open first is asked for, and the call is made again after that", async () => {
  await using bridge = openBridge();
  const capabilities = { elicitation: { url: {} } };
  const first = await round(bridge, { name: "open" }, { capabilities });
  const [key = "", asked] = Object.entries(first.result.inputRequests ?? {})[0] ?? [];
  assert.deepEqual(asked?.params, {
    mode: "url",
    url: "https://pay.test/1",
    message: "Pay first.",
    elicitationId: "pay",
  });
  const opened = { [key]: { action: "accept" } };
  const again = await round(bridge, { name: "open", inputResponses: opened }, { capabilities });
  assert.equal(again.result.resultType, "input_required");
  const refused = { [key]: { action: "decline" } };
  const ended = await round(bridge, { name: "open", inputResponses: refused }, { capabilities });
  assert.match(ended.result.content?.[0]?.text ?? "", /was not done/);
  const unable = await round(bridge, { name: "open" });
  assert.match(unable.result.content?.[0]?.text ?? "", /https:\/\/pay\.test\/1/);
});
