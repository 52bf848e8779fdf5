// Requests and whole replies of chat completions, both ways; and what has no words there, by its path.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Failure } from "../../kernel/base/failure.ts";
import type { MessageBody, Model } from "../../server/models/types.ts";
import { chatAddress, chatAdapter } from "../../server/models/chat/adapter.ts";
import { chatBody } from "../../server/models/chat/request.ts";
import { fakeUpstream, model, request, waitUntil, world } from "./fake.ts";

const words = { maxTokensField: "max_tokens", reasoningField: "reasoning_content" } as const;
const base: MessageBody = {
  model: "house-large",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hello" }],
};

const translate = (body: Partial<MessageBody>, of: Partial<Model> = {}) =>
  chatBody({ ...base, ...body }, { ...model, ...of }, false, words);

test("a whole conversation with tools, images and reasoning", () => {
  const chat = translate({
    system: [
      { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Be kind." },
    ],
    messages: [
      { role: "user", content: "Old question" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "old", signature: "s" },
          { type: "text", text: "Old" },
        ],
      },
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
          { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
          { type: "text", text: "What is it?" },
        ],
      },
      { role: "user", content: "Look." },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I look", signature: "s" },
          { type: "redacted_thinking", data: "zzz" },
          { type: "text", text: "A moment." },
          { type: "tool_use", id: "toolu_1", name: "look", input: { at: "ü" } },
          { type: "tool_use", id: "toolu_2", name: "look", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [{ type: "text", text: "a cat" }],
          },
          { type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: "dark" },
        ],
      },
    ],
    tools: [
      { name: "look", description: "Looks.", input_schema: { type: "object" }, strict: true },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    stop_sequences: ["END"],
    temperature: 0.5,
    top_p: 0.9,
    metadata: { user_id: "u-1" },
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high", format: { type: "json_schema", schema: { type: "object" } } },
    service_tier: "auto",
    speed: "standard",
    context_management: null,
  });
  assert.deepEqual(chat, {
    model: "vendor/large-1",
    stream: false,
    messages: [
      { role: "system", content: "Be brief.\n\nBe kind." },
      { role: "user", content: "Old question" },
      { role: "assistant", content: "Old" },
      {
        role: "user",
        content: [
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://x.test/a.png" } },
          { type: "text", text: "What is it?" },
          { type: "text", text: "Look." },
        ],
      },
      {
        role: "assistant",
        content: "A moment.",
        reasoning_content: "I look",
        tool_calls: [
          { id: "toolu_1", type: "function", function: { name: "look", arguments: '{"at":"ü"}' } },
          { id: "toolu_2", type: "function", function: { name: "look", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "toolu_1", content: "a cat" },
      { role: "tool", tool_call_id: "toolu_2", content: "Error: dark" },
    ],
    max_tokens: 50,
    tools: [
      {
        type: "function",
        function: {
          name: "look",
          description: "Looks.",
          parameters: { type: "object" },
          strict: true,
        },
      },
    ],
    tool_choice: "auto",
    parallel_tool_calls: false,
    stop: ["END"],
    temperature: 0.5,
    top_p: 0.9,
    user: "u-1",
    reasoning_effort: "high",
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", strict: true, schema: { type: "object" } },
    },
  });
});

test("a turn that says nothing to this model is left out, and those around it become one", () => {
  const turns = (content: object[], of: Partial<Model> = {}, last = "And now?") => {
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content },
      { role: "user", content: last },
    ];
    return translate({ messages } as Partial<MessageBody>, of)["messages"];
  };
  const joined = ["Hello", "And now?"].map((text) => ({ type: "text", text }));
  const hidden = { type: "redacted_thinking", data: "zzz" };
  const thought = { type: "thinking", thinking: "", signature: "s" };
  const border = { type: "fallback", from: { model: "a" }, to: { model: "b" } };
  for (const content of [[], [hidden], [thought], [border], [hidden, thought, border]])
    assert.deepEqual(turns(content), [{ role: "user", content: joined }], JSON.stringify(content));
  assert.deepEqual(turns([hidden, { type: "text", text: "Hi" }]), [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi" },
    { role: "user", content: "And now?" },
  ]);
  const call = { type: "tool_use", id: "toolu_1", name: "look", input: {} };
  assert.deepEqual(turns([hidden, call])[1], {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "toolu_1", type: "function", function: { name: "look", arguments: "{}" } }],
  });
});

test("choices of tools, thinking that is off, and fields that the operator lets pass", () => {
  const tools = [{ name: "t", input_schema: {} }];
  const choose = (tool_choice: Record<string, unknown>) =>
    translate({ tools, tool_choice })["tool_choice"];
  assert.equal(choose({ type: "any" }), "required");
  assert.equal(choose({ type: "none" }), "none");
  assert.deepEqual(choose({ type: "tool", name: "t" }), {
    type: "function",
    function: { name: "t" },
  });
  const off = { thinking: { type: "disabled" } };
  assert.equal(translate(off)["reasoning_effort"], "none");
  assert.equal(translate(off, { thinking: [], efforts: [] })["reasoning_effort"], undefined);
  // In whichever order they are written, not to think goes before how hard to try.
  const low = { output_config: { effort: "low" } };
  assert.equal(translate({ ...off, ...low })["reasoning_effort"], "none");
  assert.equal(translate({ ...low, ...off })["reasoning_effort"], "none");
  // Leaving it out is `high`, independent of the level that the server there takes for usual.
  assert.equal(translate({})["reasoning_effort"], "high");
  assert.equal(translate({}, { efforts: ["low"] })["reasoning_effort"], undefined);
  assert.equal(translate({ top_k: 5 }, { pass: ["top_k"] })["top_k"], 5);
  const body = chatBody(base, model, true, { ...words, maxTokensField: "max_completion_tokens" });
  assert.deepEqual(body["stream_options"], { include_usage: true });
  assert.equal(body["max_completion_tokens"], 50);
});

test("what has no words there is refused by path and model, never dropped", () => {
  const user = (...content: { type: string; [field: string]: unknown }[]) => ({
    messages: [{ role: "user" as const, content }],
  });
  const tool = (extra: Record<string, unknown>) => ({
    tools: [{ name: "t", input_schema: {}, ...extra }],
  });
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "A" } };
  const cases: [string, Partial<MessageBody>, Partial<Model>?][] = [
    ["messages.0.content.1", user({ type: "text", text: "x" }, { type: "document", source: {} })],
    [
      "messages.0.content.0.source",
      user({ type: "image", source: { type: "file", file_id: "f" } }),
    ],
    ["messages.0.content.0", user(image), { vision: false }],
    [
      "messages.0.content.0.content.0",
      user({ type: "tool_result", tool_use_id: "a", content: [image] }),
    ],
    ["messages.0.content.0", user({ type: "search_result" })],
    ["messages.0.clear_at", { messages: [{ role: "user", content: "x", clear_at: "never" }] }],
    [
      "messages.1.content.0",
      {
        messages: [...base.messages, { role: "assistant", content: [{ type: "server_tool_use" }] }],
      },
      { prefill: true },
    ],
    ["messages.1", { messages: [...base.messages, { role: "assistant", content: "I" }] }],
    ["tools.0.type", tool({ type: "web_search_20250305" })],
    ["tools.0.input_examples", tool({ input_examples: [{}] })],
    ["tools", tool({}), { tools: false }],
    ["tool_choice", { tool_choice: { type: "any" } }],
    ["thinking.budget_tokens", { thinking: { type: "enabled", budget_tokens: 2048 } }],
    ["thinking.type", { thinking: { type: "between_tools" } }],
    ["thinking.display", { thinking: { type: "adaptive", display: "updates" } }],
    ["thinking.block_binding", { thinking: { type: "adaptive", block_binding: "x" } }],
    ["output_config.effort", { output_config: { effort: "max" } }],
    ["output_config.task_budget", { output_config: { task_budget: { type: "tokens", total: 1 } } }],
    [
      "output_config.format",
      { output_config: { format: { type: "json_schema" } } },
      { structuredOutputs: false },
    ],
    ["top_k", { top_k: 5 }],
    ["speed", { speed: "fast" }],
    ["service_tier", { service_tier: "standard_only" }],
    ["max_tokens", { max_tokens: 0 }],
    ["mcp_servers", { mcp_servers: [] }],
    ["container", { container: "c" }],
    ["metadata.other", { metadata: { other: 1 } }],
    ["something_new", { something_new: 1 }],
  ];
  for (const [path, body, of] of cases)
    assert.throws(
      () => translate(body, of),
      (error) =>
        error instanceof Failure &&
        error.status === 400 &&
        error.message.startsWith(`${path}: `) &&
        error.message.includes("house-large"),
      path,
    );
});

test("addresses with and without a version", () => {
  const path = (url: string) => {
    const address = chatAddress(url);
    return address.prefix + address.path;
  };
  assert.equal(path("http://h:1"), "http://h:1/v1/chat/completions");
  assert.equal(path("http://h:1/"), "http://h:1/v1/chat/completions");
  assert.equal(path("https://h/api/v1/"), "https://h/api/v1/chat/completions");
  assert.equal(path("https://h/v1beta/openai"), "https://h/v1beta/openai/chat/completions");
  assert.equal(path("https://h/v1/chat/completions"), "https://h/v1/chat/completions");
});

async function upstream(t: { after(fn: () => Promise<void>): void }) {
  const fake = await fakeUpstream();
  const adapter = chatAdapter({ baseUrl: fake.url, key: "sk-up", estimate: () => 11, ...world });
  t.after(async () => {
    await adapter.close();
    await waitUntil("no connection is left", () => fake.open() === 0);
    await fake[Symbol.asyncDispose]();
  });
  return { fake, adapter };
}

test("a whole reply becomes a message", async (t) => {
  const { fake, adapter } = await upstream(t);
  const reply = {
    id: "chatcmpl-1",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: "Now.",
          reasoning_content: "Hm",
          tool_calls: [
            { id: "c1", type: "function", function: { name: "a", arguments: '{"k":"ü"}' } },
            { type: "function", function: { name: "b", arguments: "" } },
          ],
        },
      },
    ],
    usage: {
      prompt_tokens: 50,
      completion_tokens: 8,
      prompt_tokens_details: { cached_tokens: 30 },
      completion_tokens_details: { reasoning_tokens: 5 },
    },
  };
  const caller = { type: "direct" };
  fake.answer = (answering) => answering.reply(200, JSON.stringify(reply));
  const ask = (given: Partial<Model> = {}) =>
    adapter.attempt(request({ stream: false, model: { ...model, ...given } }));
  const attempt = await ask();
  const message = attempt.kind === "message" ? attempt.message : assert.fail(attempt.kind);
  assert.deepEqual(message, {
    id: "msg_chatcmpl1",
    type: "message",
    role: "assistant",
    model: "house-large",
    content: [
      { type: "thinking", thinking: "Hm", signature: "" },
      { type: "text", text: "Now.", citations: null },
      { type: "tool_use", id: "c1", name: "a", input: { k: "ü" }, caller },
      { type: "tool_use", id: "toolu_req_test_1", name: "b", input: {}, caller },
    ],
    stop_reason: "tool_use",
    stop_sequence: null,
    stop_details: null,
    container: null,
    context_management: null,
    diagnostics: null,
    usage: {
      input_tokens: 20,
      output_tokens: 8,
      cache_creation: null,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 30,
      output_tokens_details: { thinking_tokens: 5 },
      server_tool_use: null,
      service_tier: null,
      speed: null,
      inference_geo: null,
    },
  });
  assert.equal(fake.requests[0]?.headers["authorization"], "Bearer sk-up");
  assert.equal(fake.requests[0].path, "/v1/chat/completions");
  // Where the operator says that the upstream's cache is not reported, it is all input.
  const told = await ask({ reportsCache: false });
  assert.equal(told.kind === "message" && told.message.usage.input_tokens, 50);
});

test("stop reasons, refusals, errors in a success, and replies that are none", async (t) => {
  const { fake, adapter } = await upstream(t);
  const ask = async (reply: unknown) => {
    fake.answer = (answering) => answering.reply(200, JSON.stringify(reply));
    const body = { ...base, stop_sequences: ["END"] };
    return adapter.attempt(request({ stream: false, body }));
  };
  const ended = async (choice: object, message: object = { content: "x" }) => {
    const attempt = await ask({ choices: [{ message, ...choice }] });
    return attempt.kind === "message" ? attempt.message : assert.fail(attempt.kind);
  };
  assert.equal((await ended({ finish_reason: "stop" })).stop_reason, "end_turn");
  assert.equal((await ended({ finish_reason: "length" })).stop_reason, "max_tokens");
  const stopped = await ended({ finish_reason: "stop", stop_reason: "END" });
  assert.deepEqual([stopped.stop_reason, stopped.stop_sequence], ["stop_sequence", "END"]);
  const refused = await ended({ finish_reason: "stop" }, { content: null, refusal: "I cannot." });
  const details = { type: "refusal", category: null, explanation: "I cannot." };
  assert.deepEqual([refused.stop_reason, refused.stop_details], ["refusal", details]);
  assert.deepEqual(refused.content, []);
  const choices = ["second", "first"].map((content, at) => ({
    index: 1 - at,
    message: { content },
  }));
  const both = await ask({ choices });
  assert.equal(both.kind === "message" && both.message.content[0]?.["text"], "first");
  const call = { id: "c", function: { name: "a", arguments: "{}" } };
  const twice = await ended({ finish_reason: "tool_calls" }, { tool_calls: [call, call] });
  assert.deepEqual(
    twice.content.map(({ id }) => id),
    ["c", "toolu_req_test_1"],
  );
  const estimated = await ended({ finish_reason: "stop" }, { content: "123456789" });
  assert.deepEqual([estimated.usage.input_tokens, estimated.usage.output_tokens], [11, 3]);

  const badCall = {
    message: { tool_calls: [{ id: "c", function: { name: "a", arguments: '{"k":' } }] },
  };
  const failures: [unknown, number, RegExp][] = [
    [{ error: { code: 429, message: "slow" } }, 429, /^slow$/],
    [{ error: { code: "x", message: "bad" } }, 500, /^bad$/],
    [{ choices: [] }, 500, /without a choice/],
    [[], 500, /without a choice/],
    [{ choices: [{ index: 1, message: { content: "x" } }] }, 500, /without a choice/],
    [{ choices: [{ ...badCall, finish_reason: "tool_calls" }] }, 500, /no JSON object/],
  ];
  for (const [reply, status, sentence] of failures) {
    const attempt = await ask(reply);
    assert.equal(attempt.kind, "failure");
    if (attempt.kind !== "failure") continue;
    assert.equal(attempt.failure.status, status);
    assert.match(attempt.failure.message, sentence);
  }
  const refusedBody = await adapter.attempt(request({ body: { ...base, top_k: 1 } }));
  assert.equal(refusedBody.kind === "failure" && refusedBody.failure.status, 400);
});
