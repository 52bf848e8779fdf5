// Streams in the shapes that servers of chat completions write, and the message that each of them means.

export interface Transcript {
  text: string;
  content: unknown[];
  stopReason: string;
  /** input, cache read, output: as reported where the model's upstream reports caches. */
  usage: [number, number, number];
}

type Json = Record<string, unknown>;

const line = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;

function lines(base: Json, deltas: readonly (Json | [Json, string])[], tail: readonly Json[] = []) {
  const chunks = deltas.map((each) => {
    const [delta, finish_reason] = Array.isArray(each) ? each : [each, null];
    return { ...base, choices: [{ index: 0, delta, finish_reason, logprobs: null }] };
  });
  return [...chunks, ...tail.map((each) => ({ ...base, choices: [], ...each }))].map(line).join("");
}

const thinking = (text: string) => ({ type: "thinking", thinking: text, signature: "" });
const text = (words: string) => ({ type: "text", text: words, citations: null });
const caller = { type: "direct" };
const call = (id: string, name: string, input: Json) =>
  ({ type: "tool_use", id, name, input, caller }) as const;
const piece = (index: number, args: string, first: Json = {}) => ({
  tool_calls: [{ index, ...first, function: { arguments: args } }],
});

const vllm = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
const done = "data: [DONE]\n\n";

export const transcripts: Readonly<Record<string, Transcript>> = {
  "vLLM: reasoning, text, usage last": {
    text:
      lines(
        vllm,
        [
          { role: "assistant", content: "" },
          { reasoning_content: "Let me " },
          { reasoning_content: "sehen…" },
          { content: "Straße " },
          { content: "日本 🦆" },
          [{ content: "" }, "stop"],
        ],
        [{ usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } }],
      ) + done,
    content: [thinking("Let me sehen…"), text("Straße 日本 🦆")],
    stopReason: "end_turn",
    usage: [20, 0, 9],
  },
  "vLLM: two calls, arguments in pieces, ids in the first": {
    text:
      lines(
        vllm,
        [
          { role: "assistant", content: null },
          {
            tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "look" } }],
          },
          piece(0, '{"at'),
          piece(0, '": "é\\n"}'),
          {
            tool_calls: [
              { index: 1, id: "call_b", type: "function", function: { name: "go", arguments: "" } },
            ],
          },
          piece(1, '{"n":[1'),
          piece(1, ",2]}"),
          [{}, "tool_calls"],
        ],
        [{ usage: { prompt_tokens: 30, completion_tokens: 5 } }],
      ) + done,
    content: [call("call_a", "look", { at: "é\n" }), call("call_b", "go", { n: [1, 2] })],
    stopReason: "tool_use",
    usage: [30, 0, 5],
  },
  "calls that interleave": {
    text:
      lines(vllm, [
        { role: "assistant", content: "I go." },
        {
          tool_calls: [
            { index: 0, id: "a", function: { name: "one", arguments: '{"x"' } },
            { index: 1, id: "b", function: { name: "two", arguments: '{"y"' } },
          ],
        },
        piece(1, ":2"),
        piece(0, ":1}"),
        piece(1, "}"),
        piece(0, ""),
        [{}, "tool_calls"],
      ]) + done,
    content: [text("I go."), call("a", "one", { x: 1 }), call("b", "two", { y: 2 })],
    stopReason: "tool_use",
    // Two of text, and of each call one for its name and two for its input.
    usage: [11, 0, 8],
  },
  "Ollama: whole calls, all numbered 0, ended by stop": {
    text:
      lines(
        { id: "chatcmpl-2", object: "chat.completion.chunk", system_fingerprint: "fp_ollama" },
        [
          { role: "assistant", content: "", reasoning: "Hm." },
          {
            role: "assistant",
            content: "",
            tool_calls: [
              {
                id: "call_1",
                index: 0,
                type: "function",
                function: { name: "a", arguments: "{}" },
              },
            ],
          },
          {
            role: "assistant",
            content: "",
            tool_calls: [
              {
                id: "call_2",
                index: 0,
                type: "function",
                function: { name: "b", arguments: '{"k":1}' },
              },
            ],
          },
          [{ role: "assistant", content: "" }, "stop"],
        ],
      ) +
      line({ choices: [], usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 } }) +
      done,
    content: [thinking("Hm."), call("call_1", "a", {}), call("call_2", "b", { k: 1 })],
    stopReason: "tool_use",
    usage: [4, 0, 6],
  },
  "llama.cpp: timings beside usage, cut by length": {
    text:
      lines(
        { id: "chatcmpl-3", created: 1, model: "gguf", object: "chat.completion.chunk" },
        [
          { role: "assistant", content: null },
          { content: "One" },
          { content: " two" },
          [{}, "length"],
        ],
        [
          {
            usage: { completion_tokens: 2, prompt_tokens: 12, total_tokens: 14 },
            timings: { prompt_n: 12, predicted_n: 2 },
          },
        ],
      ) + done,
    content: [text("One two")],
    stopReason: "max_tokens",
    usage: [12, 0, 2],
  },
  "LM Studio: lines end in CRLF, no usage": {
    text: (
      lines({ id: "chatcmpl-4", object: "chat.completion.chunk", model: "q" }, [
        { role: "assistant", content: "Four" },
        { content: " wörds" },
        [{}, "stop"],
      ]) + done
    ).replaceAll("\n", "\r\n"),
    content: [text("Four wörds")],
    stopReason: "end_turn",
    usage: [11, 0, 3],
  },
  "OpenRouter: comments, both names of reasoning, cached tokens, no [DONE]": {
    text:
      ": OPENROUTER PROCESSING\n\n" +
      lines({ id: "gen-5", provider: "P", model: "m", object: "chat.completion.chunk" }, [
        {
          role: "assistant",
          content: "",
          reasoning: "So",
          reasoning_content: "So",
          reasoning_details: [{ type: "reasoning.text", text: "So" }],
        },
        { role: "assistant", content: "Yes" },
        [{ role: "assistant", content: "" }, "stop"],
      ]) +
      ": OPENROUTER PROCESSING\n\n" +
      line({
        id: "gen-5",
        choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
        usage: {
          prompt_tokens: 100,
          completion_tokens: 3,
          prompt_tokens_details: { cached_tokens: 64 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      }),
    content: [thinking("So"), text("Yes")],
    stopReason: "end_turn",
    usage: [36, 64, 3],
  },
  "OpenAI: a filter ends the answer": {
    text:
      lines(vllm, [{ role: "assistant", content: "Well", refusal: null }, [{}, "content_filter"]]) +
      done,
    content: [text("Well")],
    stopReason: "refusal",
    usage: [11, 0, 1],
  },
  "Mistral: reasoning as parts of the content": {
    text:
      lines(vllm, [
        {
          role: "assistant",
          content: [{ type: "thinking", thinking: [{ type: "text", text: "Ah" }] }],
        },
        { content: [{ type: "text", text: "B" }] },
        [{ content: "c" }, "stop"],
      ]) + done,
    content: [thinking("Ah"), text("Bc")],
    stopReason: "end_turn",
    usage: [11, 0, 3],
  },
  "calls without numbers or ids": {
    text:
      lines(vllm, [
        { role: "assistant", tool_calls: [{ function: { name: "a", arguments: '{"p":' } }] },
        { tool_calls: [{ function: { arguments: "1}" } }] },
        { tool_calls: [{ function: { name: "b", arguments: { q: 2 } } }] },
        [{}, "tool_calls"],
      ]) + done,
    content: [call("toolu_req_test_0", "a", { p: 1 }), call("toolu_req_test_1", "b", { q: 2 })],
    stopReason: "tool_use",
    // Not reported by the server: of each call a token for its name, and seven bytes of input.
    usage: [11, 0, 6],
  },
};
