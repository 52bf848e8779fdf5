// Which wire an address speaks, as the servers that people run answer to empty questions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ExitError } from "../../kernel/base/failure.ts";
import { probe } from "../../server/models/discovery/probe.ts";
import { fakeUpstream } from "./fake.ts";

const envelope = (type: string) => JSON.stringify({ type: "error", error: { type, message: "x" } });
const openAiError = JSON.stringify({ error: { message: "x", type: "invalid_request_error" } });
const list = (...ids: string[]) =>
  JSON.stringify({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });

type Replies = Record<string, [number, string]>;

async function probed(replies: Replies, under = "", key?: string) {
  await using fake = await fakeUpstream(({ received: asked, reply }) => {
    const [status, body] = replies[asked.path] ?? [404, '{"detail":"Not Found"}'];
    reply(status, body);
  });
  const result = await probe({ baseUrl: fake.url + under, ...(key !== undefined && { key }) });
  return { result, asked: [...fake.requests] };
}

test("servers of both wires are told apart", async () => {
  const cases: [string, string, Replies, "messages" | "chat", string[]][] = [
    [
      "the vendor",
      "",
      {
        "/v1/messages": [400, envelope("invalid_request_error")],
        "/v1/models": [
          200,
          JSON.stringify({ data: [{ type: "model", id: "a" }], has_more: false }),
        ],
      },
      "messages",
      ["a"],
    ],
    [
      "the vendor without a key",
      "/v1",
      { "/v1/messages": [401, envelope("authentication_error")], "/v1/models": [401, "{}"] },
      "messages",
      [],
    ],
    [
      "vLLM: both; messages are preferred",
      "/v1/",
      {
        "/v1/messages": [422, '{"detail":[]}'],
        "/v1/chat/completions": [400, openAiError],
        "/v1/models": [200, list("q", "r")],
      },
      "messages",
      ["q", "r"],
    ],
    [
      "an older llama.cpp",
      "",
      {
        "/v1/chat/completions": [500, '{"error":{"code":500}}'],
        "/v1/models": [200, JSON.stringify({ models: [{ name: "g" }], data: [{ id: "g" }] })],
      },
      "chat",
      ["g"],
    ],
    [
      "LM Studio: says yes to any path",
      "",
      {
        "/v1/messages": [200, '{"error":"Unexpected endpoint or method."}'],
        "/v1/chat/completions": [400, '{"error":"messages is required"}'],
        "/v1/models": [200, list("s")],
      },
      "chat",
      ["s"],
    ],
    [
      "a gateway that wants a key before all else",
      "/v1",
      {
        "/v1/messages": [401, openAiError],
        "/v1/chat/completions": [401, openAiError],
        "/v1/models": [401, openAiError],
      },
      "chat",
      [],
    ],
    [
      "transformers serve: fails on an empty question",
      "",
      {
        "/v1/chat/completions": [500, "Internal Server Error"],
        "/v1/models": [200, list("t")],
      },
      "chat",
      ["t"],
    ],
    [
      "a version in the path",
      "/v1beta/openai",
      {
        "/v1beta/openai/chat/completions": [400, openAiError],
        "/v1beta/openai/models": [200, list("f")],
      },
      "chat",
      ["f"],
    ],
  ];
  for (const [name, under, replies, kind, models] of cases) {
    const { result } = await probed(replies, under);
    assert.equal(result.kind, kind, name);
    assert.deepEqual(result.models, models, name);
    assert.match(result.detail, kind === "chat" ? /chat completions/ : /Messages API/);
  }
});

test("models that make vectors or sort texts are no chat models", async () => {
  const lists: [string, object, string[]][] = [
    [
      "Ollama, by name",
      {
        data: [
          "nomic-embed-text:latest",
          "all-minilm:22m",
          "bge-m3:latest",
          "mxbai-embed-large",
          "qwen3:8b",
          "gemma3:4b",
        ].map((id) => ({ id, object: "model", owned_by: "library" })),
      },
      ["qwen3:8b", "gemma3:4b"],
    ],
    [
      "vLLM, by name",
      {
        data: ["Qwen/Qwen3-Embedding-8B", "BAAI/bge-reranker-v2-m3", "Qwen/Qwen3-8B"].map((id) => ({
          id,
        })),
      },
      ["Qwen/Qwen3-8B"],
    ],
    [
      "LM Studio, by type",
      {
        data: [
          { id: "my-vectors", type: "embeddings" },
          { id: "text-embedding-nomic-embed-text-v1.5" },
          { id: "seer", type: "vlm" },
        ],
      },
      ["seer"],
    ],
    [
      "llama.cpp, by capabilities",
      {
        models: [
          { name: "house-vectors", capabilities: ["embedding"] },
          { name: "embedded-systems-coder", capabilities: ["completion", "multimodal"] },
        ],
        data: [{ id: "house-vectors" }, { id: "embedded-systems-coder" }],
      },
      ["embedded-systems-coder"],
    ],
  ];
  for (const [name, listed, models] of lists) {
    const { result } = await probed({
      "/v1/chat/completions": [400, openAiError],
      "/v1/models": [200, JSON.stringify(listed)],
    });
    assert.deepEqual(result.models, models, name);
  }
});

test("the key goes along; what is asked names no model and so costs nothing", async () => {
  const { asked } = await probed(
    { "/v1/messages": [400, openAiError], "/v1/models": [200, list()] },
    "",
    "sk",
  );
  for (const { headers, body, method } of asked) {
    assert.equal(headers["x-api-key"], "sk");
    assert.equal(headers["authorization"], "Bearer sk");
    assert.equal(body.toString(), method === "POST" ? "{}" : "");
  }
});

test("who speaks neither wire, and who does not answer, is refused with a sentence", async () => {
  const page = "<html>Bad Request";
  for (const status of [200, 400, 404, 502])
    await assert.rejects(
      probed({ "/v1/messages": [status, page], "/v1/chat/completions": [status, page] }),
      /knows neither/,
    );
  await assert.rejects(probe({ baseUrl: "ftp://x" }), /no http or https/);
  const gone = await fakeUpstream();
  await gone[Symbol.asyncDispose]();
  await assert.rejects(probe({ baseUrl: gone.url }), (error) => {
    assert.ok(error instanceof ExitError);
    return /ECONNREFUSED/.test(error.message);
  });
  await using rude = await fakeUpstream(({ socket }) => void socket.end("hello\r\n\r\n"));
  await assert.rejects(probe({ baseUrl: rude.url }), /does not answer as a model server/);
});
