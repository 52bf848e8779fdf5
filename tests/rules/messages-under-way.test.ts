// Rules MSG81 and MSG82: what happens to a request that is under way while its model is removed, or its server stops.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "../../kernel/base/clock.ts";
import { upstreamLimits } from "../../server/models/upstreams/limits.ts";
import type { AnswerHandler } from "../upstreams/fake.ts";
import {
  blockFrames,
  countedInput,
  endFrames,
  openMessagesHouse,
  prices,
  question,
  startFrame,
  type MessagesHouse,
} from "./messages-house.ts";

let h: MessagesHouse;
before(async () => {
  h = await openMessagesHouse();
});
after(async () => {
  await h?.[Symbol.asyncDispose]();
});

const spoken = "Hi there.";
const content = [{ type: "text", text: spoken }];
const [input, output] = [countedInput("Well?"), Math.ceil(spoken.length / 4)];
const cost = (written: number) => input * prices.input + written * prices.output;

/** `mine` has an upstream of its own; both are the console's. */
async function addModel(): Promise<void> {
  const { cookie } = h.house.organizations.platform;
  for (const [path, body] of [
    ["upstreams", { name: "mine", kind: "messages", base_url: h.upstream.url }],
    ["models", { id: "mine", upstream: "mine", prices }],
  ] as const) {
    const { status } = await h.house.ask("POST", `/console/api/${path}`, { cookie, body });
    assert.equal(status, 200);
  }
}

async function removeModel(): Promise<void> {
  const { cookie } = h.house.organizations.platform;
  for (const path of ["models/mine", "upstreams/mine"]) {
    const { status } = await h.house.ask("DELETE", `/console/api/${path}`, { cookie });
    assert.equal(status, 204);
  }
}

/** Answers only after model and upstream are gone. */
async function askOfRemoved(body: object, answer: AnswerHandler) {
  await addModel();
  const told = Promise.withResolvers<void>();
  h.upstream.answer = async (answering) => {
    await told.promise;
    await answer(answering);
  };
  const heard = h.upstream.requests.length;
  const asked = h.begin({ model: "mine", ...body });
  await h.heard(heard);
  await removeModel();
  return { ...asked, answer: told.resolve };
}

const silent: AnswerHandler = () => {};
const whole: AnswerHandler = ({ reply }) =>
  reply(
    200,
    JSON.stringify({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "mine",
      content,
      stop_reason: "end_turn",
      stop_sequence: null,
    }),
    { "content-type": "application/json" },
  );
const streamed: AnswerHandler = ({ head, chunk, end }) => {
  head(200, { "content-type": "text/event-stream" });
  chunk(startFrame(null));
  chunk(blockFrames([spoken]).join(""));
  chunk(endFrames());
  end();
};

for (const [name, stream, answer] of [
  ["whole", false, whole],
  ["streamed", true, streamed],
] as const)
  test(`[MSG81] an answer without usage, ${name}, comes though model and upstream were removed`, async () => {
    let text = "";
    const [row] = await h.rowsOf(async () => {
      const asked = await askOfRemoved({ stream }, answer);
      asked.answer();
      const response = await asked.answered;
      for await (const chunk of response) text += String(chunk);
      assert.equal(response.statusCode, 200, text);
    });
    assert.ok(text.includes(spoken), text);
    assert.deepEqual(
      { outcome: row?.outcome, estimated: row?.estimated, nano: row?.nano },
      { outcome: "served", estimated: true, nano: cost(output) },
    );
  });

for (const stream of [false, true])
  test(`[MSG81] [MSG70] a client that leaves pays, ${stream ? "streamed" : "whole"}, though model and upstream were removed`, async () => {
    const [row] = await h.rowsOf(async () => {
      const { leave } = await askOfRemoved({ stream }, silent);
      leave();
    });
    assert.deepEqual(
      { outcome: row?.outcome, estimated: row?.estimated, nano: row?.nano },
      { outcome: "cut", estimated: true, nano: cost(0) },
    );
  });

test("[MSG82] [MSG71] a stream that is cut by a stop ends at its silent upstream at once, and is charged as one that broke", async () => {
  const second = await h.house.openSecondServer({ drainSeconds: 0.2 });
  h.upstream.answer = ({ head, chunk }) => {
    head(200, { "content-type": "text/event-stream" });
    chunk(startFrame());
    chunk(blockFrames([spoken]).join(""));
  };
  const begun = systemClock.monotonicMs();
  const [row] = await h.rowsOf(async () => {
    const response = await fetch(`${second.url}/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-api-key": h.house.organizations.platform.api_key,
      },
      body: JSON.stringify({ model: "ours", max_tokens: 100, stream: true, ...question("Well?") }),
    });
    assert.ok(response.body);
    let text = "";
    const decoder = new TextDecoder();
    let stopped: PromiseLike<void> | undefined;
    for await (const bytes of response.body) {
      text += decoder.decode(bytes as Uint8Array, { stream: true });
      if (text.includes(spoken)) stopped ??= second[Symbol.asyncDispose]();
    }
    await stopped;
    assert.match(text, /event: error\ndata: .*shutting down/);
  });
  // An upstream is given this long for requests that nothing ends.
  assert.ok(systemClock.monotonicMs() - begun < upstreamLimits.drainMs);
  assert.deepEqual({ outcome: row?.outcome, input: row?.input }, { outcome: "failed", input: 7 });
  assert.ok((row?.output ?? 0) > 0 && (row?.nano ?? 0) > 0);
});
