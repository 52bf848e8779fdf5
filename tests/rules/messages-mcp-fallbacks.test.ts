// Rules MCM28 to MCM33: other models take over in a message request with MCP servers, round by round.
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { failing, fallback07, ledgerOf, opensOf, textOf } from "../conformance/messages-client.ts";
import { refusalWith, type ModelAnswer } from "./fallbacks-upstreams-house.ts";
import { calling, messagesMcpHouseOfFile, newBeta, text, typesOf } from "./messages-mcp-house.ts";

const { h, docs, told } = await messagesMcpHouseOfFile();

const falling = (more: object = {}) =>
  told({ fallbacks: [{ model: "second" }], betas: [newBeta, fallback07], ...more });

/** One answer after the other. */
const inTurn = (...answers: readonly ModelAnswer[]): ModelAnswer => {
  let at = 0;
  return (body) => (answers[Math.min(at++, answers.length - 1)] ?? assert.fail())(body);
};
const searches = () => calling([["search"]])();
const ends = (words: string) => () => ({ content: [text(words)] });
const refuses = () => refusalWith("");
const aCall = ["text", "mcp_tool_use", "mcp_tool_result"];

/** A turn in which a server was called. */
const earlier = [
  { type: "mcp_tool_use", id: "mcptoolu_a", name: "search", server_name: "docs", input: {} },
  { type: "mcp_tool_result", tool_use_id: "mcptoolu_a", content: "Found." },
  text("Found."),
];

type Answered = Anthropic.Beta.BetaMessage & { _request_id?: string | null };

/** The answer, and which models were asked for it. */
async function ask(params: ReturnType<typeof falling>, isStreamed: boolean) {
  const before = h.upstream.requests.length;
  const calls = callsOf();
  let message: Answered;
  let id: string | null | undefined;
  if (isStreamed) {
    const stream = h.client.beta.messages.stream(params);
    message = await stream.finalMessage();
    id = stream.request_id;
  } else {
    message = await h.client.beta.messages.create(params);
    id = message._request_id;
  }
  const asked = h.upstream.requests
    .slice(before)
    .map(({ body }) => (JSON.parse(String(body)) as { model: string }).model);
  const rows = await ledgerOf(h.house, id);
  const hops = rows.map(({ model, outcome }) => `${model} ${outcome}`);
  assert.equal(await opensOf(h.house), 0);
  return { message, asked, hops, rows, called: callsOf() - calls };
}

const callsOf = () => docs.asked.filter(({ method }) => method === "tools/call").length;
const iterationsOf = ({ usage }: Answered) =>
  usage.iterations?.map((each) => `${each.type} ${(each as { model?: string }).model}`);

for (const isStreamed of [false, true]) {
  const how = isStreamed ? "streamed" : "whole";

  test(`[MCM28] a refusal in the first round falls back, and later rounds stay with the model that answered: ${how}`, async () => {
    h.models.set("told", refuses);
    h.models.set("second", inTurn(searches, searches, ends("Done.")));
    const asking = falling({ messages: [{ role: "user", content: `First, ${how}.` }] });
    const { message, asked, hops, called } = await ask(asking, isStreamed);
    assert.deepEqual(typesOf(message.content), ["fallback", ...aCall, ...aCall, "text"]);
    assert.deepEqual([message.model, message.stop_reason], ["second", "end_turn"]);
    assert.deepEqual(asked, ["told", "second", "second", "second"]);
    assert.deepEqual(hops, ["told declined", "second served", "second served", "second served"]);
    assert.equal(called, 2);
    assert.deepEqual(iterationsOf(message), [
      "message told",
      "message second",
      "message second",
      "fallback_message second",
    ]);
    assert.equal(message.usage.output_tokens, 30);
  });

  test(`[MCM28] a refusal in a later round falls back for it, with the results that there are: ${how}`, async () => {
    h.models.set("told", inTurn(searches, refuses));
    h.models.set("second", inTurn(searches, ends("Done.")));
    const asking = falling({ messages: [{ role: "user", content: `Later, ${how}.` }] });
    const { message, asked, hops, rows, called } = await ask(asking, isStreamed);
    assert.deepEqual(typesOf(message.content), [...aCall, "fallback", ...aCall, "text"]);
    const boundary = message.content.find(({ type }) => type === "fallback");
    assert.deepEqual(boundary, {
      type: "fallback",
      from: { model: "told" },
      to: { model: "second" },
      trigger: { type: "refusal", category: "cyber" },
    });
    assert.deepEqual([message.model, message.stop_reason], ["second", "end_turn"]);
    assert.deepEqual(asked, ["told", "told", "second", "second"]);
    assert.deepEqual(hops, ["told served", "told declined", "second served", "second served"]);
    assert.equal(rows[1]?.nano, 0, "a refusal before output costs nothing");
    assert.equal(called, 2);
    assert.deepEqual(iterationsOf(message), [
      "message told",
      "message told",
      "message second",
      "fallback_message second",
    ]);
    // What the first model was told, the second one sees: of the boundary it does not know.
    assert.deepEqual(
      (h.heard() as { role: string; content: { type: string }[] }[])
        .slice(1)
        .map(({ role, content }) => [role, ...typesOf(content)]),
      [
        ["assistant", "text", "tool_use"],
        ["user", "tool_result"],
        ["assistant", "text", "tool_use"],
        ["user", "tool_result"],
      ],
    );
  });

  test(`[MCM30] the conversation stays with the model that answered last, and boundaries stay where they were: ${how}`, async () => {
    const first = [
      { role: "user", content: `Before, ${how}.` },
      { role: "assistant", content: earlier },
      { role: "user", content: `Stay, ${how}.` },
    ];
    h.models.set("told", inTurn(searches, refuses));
    h.models.set("second", ends("Done."));
    const { message } = await ask(falling({ messages: first }), isStreamed);
    h.models.set("second", inTurn(searches, ends("Here.")));
    const next = { role: "user", content: "And now?" };
    const answer = { role: "assistant", content: message.content };
    const again = await ask(falling({ messages: [...first, answer, next] }), isStreamed);
    assert.deepEqual(again.asked, ["second", "second"]);
    assert.ok(!typesOf(again.message.content).includes("fallback"));
    assert.deepEqual(iterationsOf(again.message), ["message second", "fallback_message second"]);
    const moved = message.content.toSorted(
      (a, b) => Number(a.type === "fallback") - Number(b.type === "fallback"),
    );
    const error = await failing(
      Anthropic.BadRequestError,
      h.client.beta.messages.create(
        falling({ messages: [...first, { ...answer, content: moved }, next] }),
      ),
    );
    assert.match(error.message, /messages\.3\.content: the fallback block .+ was moved/);
    // Without servers it is the same conversation.
    const plain = { mcp_servers: undefined, tools: undefined };
    h.models.set("second", ends("Without."));
    const without = await ask(
      falling({ ...plain, messages: [...first, answer, next] }),
      isStreamed,
    );
    assert.deepEqual(without.asked, ["second"]);
  });

  test(`[MCM31] a refusal that is the last one ends the turn, without a credit token: ${how}`, async () => {
    h.models.set("told", inTurn(searches, refuses));
    h.models.set("second", refuses);
    const asking = falling({ messages: [{ role: "user", content: `No, ${how}.` }] });
    const { message, hops } = await ask(asking, isStreamed);
    assert.equal(message.stop_reason, "refusal");
    assert.equal(message.stop_details?.fallback_credit_token, null);
    assert.deepEqual(hops, ["told served", "told declined", "second served"]);
    h.models.set("told", refuses);
    const { fallbacks: _, ...alone } = asking as typeof asking & { fallbacks: unknown };
    const refusal = await ask(alone, isStreamed);
    assert.equal(refusal.message.stop_details?.fallback_credit_token, null);
  });
}

test("[MCM30] a turn that paused goes on with the model that answered last", async () => {
  const first = { role: "user", content: "Pause." };
  h.models.set("told", refuses);
  h.models.set(
    "second",
    inTurn(searches, () => ({ status: 400 })),
  );
  const { message } = await ask(falling({ messages: [first] }), false);
  assert.equal(message.stop_reason, "pause_turn");
  h.models.set("second", inTurn(searches, ends("Done.")));
  const messages = [first, { role: "assistant", content: message.content }];
  const { message: rest, asked } = await ask(falling({ messages }), false);
  assert.deepEqual(asked, ["second", "second"]);
  assert.deepEqual(typesOf(rest.content), [...aCall, "text"]);
  const { max_tokens: _, ...counted } = falling({ messages });
  const { max_tokens: __, ...plain } = told({ messages });
  const { messages: counting } = h.client.beta;
  const many = await counting.countTokens(counted);
  assert.equal(many.input_tokens, (await counting.countTokens(plain)).input_tokens);
});

test("[MCM29] what a model called before it refused is not called, and what it wrote stays with the client", async () => {
  h.models.set("told", () => ({
    ...refuses(),
    content: [text("I begin. "), { type: "tool_use", id: "toolu_x", name: "search", input: {} }],
  }));
  h.models.set("second", inTurn(searches, ends("Done.")));
  const asking = falling({ messages: [{ role: "user", content: "In the middle." }] });
  const { message, asked, hops, called } = await ask(asking, true);
  assert.deepEqual(typesOf(message.content), [
    "text",
    "mcp_tool_use",
    "fallback",
    ...aCall,
    "text",
  ]);
  assert.equal(called, 1);
  assert.deepEqual(asked, ["told", "second", "second"]);
  assert.deepEqual(hops, ["told declined", "second served", "second served"]);
  const heard = h.heard() as { role: string; content: { type: string; text?: string }[] }[];
  assert.deepEqual(
    heard.slice(1).map(({ role, content }) => [role, ...typesOf(content)]),
    [
      ["assistant", "text", "text", "tool_use"],
      ["user", "tool_result"],
    ],
  );
  assert.equal(textOf(heard[1]?.content ?? []), "I begin. Round 1.");
  h.models.set("second", ends("And so on."));
  const messages = [
    ...asking.messages,
    { role: "assistant", content: message.content },
    { role: "user", content: "Go on." },
  ];
  const next = await ask(falling({ messages }), true);
  assert.equal(next.message.stop_reason, "end_turn");
});

test("[MCM32] each model writes at most its own max_tokens in all rounds", async () => {
  h.models.set("told", refuses);
  h.models.set("second", inTurn(searches, searches, ends("Done.")));
  const limitsOf = () =>
    h.upstream.requests.map(({ body }) => {
      const { model, max_tokens, thinking } = JSON.parse(String(body)) as Record<string, unknown>;
      return [model, max_tokens, thinking];
    });
  const before = h.upstream.requests.length;
  const fallbacks = [{ model: "second", max_tokens: 25 }];
  const messages = [{ role: "user", content: "Short." }];
  const short = await ask(falling({ fallbacks, messages, max_tokens: 15 }), false);
  assert.deepEqual(limitsOf().slice(before), [
    ["told", 15, undefined],
    ["second", 25, undefined],
    ["second", 15, undefined],
    ["second", 5, undefined],
  ]);
  assert.equal(short.message.stop_reason, "end_turn");
  h.models.set("second", inTurn(searches, ends("Done.")));
  const tight = falling({
    fallbacks: [{ model: "second", max_tokens: 10 }],
    messages: [{ role: "user", content: "Tight." }],
  });
  assert.equal((await ask(tight, false)).message.stop_reason, "max_tokens");
  h.models.set("told", inTurn(searches, refuses));
  h.models.set("second", ends("Done."));
  const thinking = { type: "enabled", budget_tokens: 1_995 };
  const from = h.upstream.requests.length;
  const thoughtful = falling({
    messages: [{ role: "user", content: "Think." }],
    max_tokens: 2_000,
    thinking,
  });
  assert.equal((await ask(thoughtful, false)).message.stop_reason, "end_turn");
  const shorter = { type: "enabled", budget_tokens: 1_989 };
  assert.deepEqual(limitsOf().slice(from), [
    ["told", 2_000, thinking],
    ["told", 1_990, shorter],
    ["second", 1_990, shorter],
  ]);
});

test('[MCM33] "default" and lists of several go on from the model that answers, and one that cannot take over is named', async () => {
  h.models.set("told", refuses);
  h.models.set("second", inTurn(searches, refuses));
  h.models.set("third", ends("Third."));
  const fallbacks = [{ model: "second" }, { model: "third" }];
  const messages = (content: string) => [{ role: "user", content }];
  const { message, asked } = await ask(falling({ fallbacks, messages: messages("On.") }), false);
  assert.deepEqual(asked, ["told", "second", "second", "third"]);
  assert.deepEqual(
    message.content.flatMap((block) => (block.type === "fallback" ? [block.to.model] : [])),
    ["second", "third"],
  );
  assert.equal(message.model, "third");
  h.models.set("routed", inTurn(searches, refuses));
  h.models.set("second", inTurn(searches, refuses));
  const byDefault = { model: "routed", fallbacks: "default" };
  const last = await ask(falling({ ...byDefault, messages: messages("Routed.") }), false);
  assert.deepEqual(last.asked, ["routed", "routed", "second", "second"]);
  assert.deepEqual(last.hops, [
    "routed served",
    "routed declined",
    "second served",
    "second served",
  ]);
  assert.deepEqual([last.message.model, last.message.stop_reason], ["second", "refusal"]);
  h.models.set("told", inTurn(searches, refuses));
  h.models.set("second", () => ({ status: 429 }));
  const busy = await ask(falling({ messages: messages("Busy.") }), false);
  assert.equal(busy.message.stop_reason, "refusal");
  assert.equal(busy.message.stop_details?.recommended_model, "second");
});
