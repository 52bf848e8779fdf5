// Batches as other tools that people use send them: their requests as they were recorded, with their headers.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { openBatchHouse, linesOf, type Batch, type BatchHouse } from "../rules/batches-house.ts";
import { until } from "../rules/support.ts";

let opened: BatchHouse;
before(async () => {
  opened = await openBatchHouse();
});
after(() => opened[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

interface Heard {
  status: number;
  headers: Record<string, unknown>;
  bytes: Buffer;
}

/** What a tool says beside its own headers is what every HTTP client must. */
function send(method: string, path: string, headers: Headers, body?: string): Promise<Heard> {
  const { promise, resolve, reject } = Promise.withResolvers<Heard>();
  const url = new URL(path, opened.house.url);
  const asked = request(url, { method, headers, agent: false });
  asked.on("error", reject).on("response", (response) => {
    const { statusCode: status = 0, headers: got } = response;
    buffer(response).then((bytes) => resolve({ status, headers: got, bytes }), reject);
  });
  asked.end(body);
  return promise;
}

async function good<T = Batch>(heard: Promise<Heard>): Promise<T> {
  const { status, bytes } = await heard;
  assert.equal(status, 200, bytes.toString());
  return JSON.parse(bytes.toString()) as T;
}

const path = "/v1/messages/batches";
const key = () => opened.house.organizations.platform.api_key;

const poll = (id: string, headers: Headers, query = "") =>
  until(async () => {
    const batch = await good(send("GET", `${path}/${id}${query}`, headers));
    return batch.processing_status === "ended" && batch;
  }, "its end");

/** By custom id; compressed where the tool takes that. */
async function resultsOf({ results_url: url }: Batch, headers: Headers) {
  const { status, headers: got, bytes } = await send("GET", String(url), headers);
  assert.equal(status, 200, bytes.toString());
  assert.equal(got["content-type"], "application/x-jsonl");
  const isZipped = /gzip/.test(headers["accept-encoding"] ?? "");
  assert.equal(got["content-encoding"], isZipped ? "gzip" : undefined);
  const lines = linesOf(isZipped ? gunzipSync(bytes) : bytes);
  return new Map(lines.map(({ custom_id, result }) => [custom_id, result]));
}

const slow = `{"requests":[{"custom_id":"slow","params":{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"[[rate 4]] [[tokens 4]]"}]}}]}`;

/** Of version 1.13.0; the body of its first request. */
const python = {
  headers: () => ({
    "accept-encoding": "gzip, deflate",
    connection: "keep-alive",
    "x-stainless-timeout": "NOT_GIVEN",
    "x-stainless-retry-count": "0",
    "x-stainless-read-timeout": "600",
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "Anthropic/Python 1.13.0",
    "x-stainless-lang": "python",
    "x-stainless-package-version": "1.13.0",
    "x-stainless-os": "Linux",
    "x-stainless-arch": "x64",
    "x-stainless-runtime": "CPython",
    "x-stainless-runtime-version": "3.11.7",
    "x-api-key": key(),
    "x-stainless-async": "false",
    "anthropic-version": "2023-06-01",
  }),
  body: `{"requests":[{"custom_id":"first","params":{"model":"claude-sonnet-4-5","max_tokens":1024,"system":"Be short.","temperature":0.3,"stop_sequences":["zzz"],"metadata":{"user_id":"u1"},"messages":[{"role":"user","content":"Hello. [[say \\"Grüße, 世界 👋\\"]]"}]}},{"custom_id":"thinks","params":{"model":"claude-sonnet-5","max_tokens":4000,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":[{"type":"text","text":"Think. [[think 30]] [[tokens 5]]","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]}},{"custom_id":"wrong","params":{"model":"claude-sonnet-4-5","max_tokens":0,"messages":[{"role":"user","content":"Hello"}]}}]}`,
};

for (const query of ["", "?beta=true"])
  test(`the Python client, ${query === "" ? "its namespace" : "the beta one with the beta of then"}`, async () => {
    const beta = { "anthropic-beta": "message-batches-2024-09-24" };
    const headers = query === "" ? python.headers() : { ...python.headers(), ...beta };
    const made = await good(send("POST", path + query, headers, python.body));
    // It is told how far a batch is: its version has live counts.
    const { processing, ...resolved } = made.request_counts;
    const sum = Object.values(resolved).reduce((all, one) => all + one, processing);
    assert.equal(sum, 3);
    const batch = await poll(made.id, headers, query);
    const results = await resultsOf(batch, { ...headers, accept: "application/binary" });
    const { message } = results.get("first") ?? {};
    assert.deepEqual(message.content, [{ type: "text", text: "Grüße, 世界 👋" }]);
    assert.equal(message.usage.service_tier, "batch");
    const thought = results.get("thinks")?.message.content as { type: string }[];
    assert.deepEqual(
      thought.map(({ type }) => type),
      ["thinking", "text"],
    );
    const { error } = results.get("wrong") ?? {};
    assert.deepEqual([error.type, error.error.type], ["error", "invalid_request_error"]);

    const older = await good(send("POST", path + query, headers, slow));
    // A call without a body that names the type of one.
    const empty = { ...headers, "content-length": "0" };
    const cancel = `${path}/${older.id}/cancel${query}`;
    assert.equal((await good(send("POST", cancel, empty))).processing_status, "canceling");
    await poll(older.id, headers, query);
    const next = `${path}${query === "" ? "?" : `${query}&`}limit=1&after_id=${older.id}`;
    const page = await good<{ data: Batch[]; has_more: boolean }>(send("GET", next, headers));
    assert.deepEqual(
      page.data.map(({ id }) => id),
      [made.id],
    );
    const gone = await good(send("DELETE", `${path}/${made.id}${query}`, headers));
    assert.equal(gone.type, "message_batch_deleted");
    assert.equal((await send("GET", `${path}/${made.id}${query}`, headers)).status, 404);
  });

/** Of `ai` 7.0.173 with `@ai-sdk/anthropic` 4.0.105. */
const aiSdk = {
  headers: () => ({
    "anthropic-version": "2023-06-01",
    "user-agent": "ai/7.0.173 ai-sdk-provider-utils/5.0.81 node.js/26",
    "x-api-key": key(),
  }),
  betas: "message-batches-2024-09-24,structured-outputs-2025-11-13",
  body: `{"requests":[{"custom_id":"plain","params":{"model":"claude-sonnet-4-5","max_tokens":100,"system":[{"type":"text","text":"Be short."}],"messages":[{"role":"user","content":[{"type":"text","text":"Good morning. [[say \\"Good morning to you.\\"]]"}]}]}},{"custom_id":"tool","params":{"model":"claude-sonnet-4-5","max_tokens":64000,"messages":[{"role":"user","content":[{"type":"text","text":"Look. [[tool look {\\"where\\":\\"under the mat\\"}]]"}]}],"tools":[{"name":"look","description":"Looks.","input_schema":{"type":"object","properties":{"where":{"type":"string"}},"required":["where"],"additionalProperties":false}}],"tool_choice":{"type":"auto"}}},{"custom_id":"wrong","params":{"model":"nobody-knows-it","max_tokens":4096,"messages":[{"role":"user","content":[{"type":"text","text":"Hello"}]}]}},{"custom_id":"image","params":{"model":"claude-sonnet-4-5","max_tokens":64000,"temperature":0.2,"messages":[{"role":"user","content":[{"type":"text","text":"What is it? [[tokens 4]]"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}}]}]}}]}`,
};

test("the batches of Vercel's AI SDK", async () => {
  const headers = aiSdk.headers();
  const json = { ...headers, "content-type": "application/json" };
  const made = await good(
    send("POST", path, { ...json, "anthropic-beta": aiSdk.betas }, aiSdk.body),
  );
  const batch = await poll(made.id, headers);
  const { processing, succeeded, errored } = batch.request_counts;
  assert.deepEqual([processing, succeeded, errored], [0, 3, 1]);
  // It gives its key to no other origin than the one that it was told.
  assert.equal(new URL(String(batch.results_url)).origin, new URL(opened.house.url).origin);
  const results = await resultsOf(batch, headers);
  assert.equal(results.get("plain")?.message.content[0].text, "Good morning to you.");
  const call = results.get("tool")?.message.content[0];
  assert.deepEqual([call.name, call.input], ["look", { where: "under the mat" }]);
  assert.equal(results.get("image")?.type, "succeeded");
  const { error } = results.get("wrong") ?? {};
  assert.equal(error.error.type, "not_found_error");
  assert.match(error.request_id, /^req_/);

  const older = await good(send("POST", path, json, slow));
  await good(send("POST", `${path}/${older.id}/cancel`, json, "{}"));
  const late = await send("POST", `${path}/${batch.id}/cancel`, json, "{}");
  assert.equal(late.status, 400);
  await poll(older.id, headers);
});

/** Each line of its file is one request; it sends them with the Python client. */
const instructorLine = `{"custom_id": "request-0", "params": {"model": "claude-sonnet-4-5", "max_tokens": 1000, "temperature": 0.1, "messages": [{"role": "user", "content": "Ada is 36 years old."}], "tools": [{"name": "extract_data", "description": "Extract data matching the User schema", "input_schema": {"properties": {"name": {"title": "Name", "type": "string"}, "age": {"title": "Age", "type": "integer"}}, "required": ["name", "age"], "title": "User", "type": "object", "additionalProperties": false}}], "tool_choice": {"type": "tool", "name": "extract_data"}, "system": "Extract the user."}}`;

test("a line of instructor's file: the tool that it asks for is called as its schema says", async () => {
  const headers = python.headers();
  const made = await good(send("POST", path, headers, `{"requests":[${instructorLine}]}`));
  const results = await resultsOf(await poll(made.id, headers), headers);
  const { content, stop_reason } = results.get("request-0")?.message ?? {};
  assert.equal(stop_reason, "tool_use");
  const call = (content as { type: string; name: string; input: Record<string, unknown> }[]).find(
    ({ type }) => type === "tool_use",
  );
  assert.equal(call?.name, "extract_data");
  assert.equal(typeof call.input["name"], "string");
  assert.ok(Number.isInteger(call.input["age"]));
});

/** It names the type of a body with every call, also where it sends none. */
test("LiteLLM's calls: the same headers for each, and a cancellation without a body", async () => {
  const headers = {
    "anthropic-beta": "message-batches-2024-09-24",
    accept: "application/json",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
    "x-api-key": key(),
    "accept-encoding": "gzip, deflate",
  };
  const made = await good(send("POST", path, headers, slow));
  const page = await good<{ data: Batch[]; first_id: string; last_id: string; has_more: boolean }>(
    send("GET", `${path}?limit=1`, headers),
  );
  assert.deepEqual([page.first_id, page.last_id], [made.id, made.id]);
  const canceling = await good(send("POST", `${path}/${made.id}/cancel`, headers));
  assert.equal(canceling.processing_status, "canceling");
  const batch = await poll(made.id, headers);
  assert.notEqual(batch.ended_at, null);
  const results = await resultsOf(batch, headers);
  assert.ok(["succeeded", "canceled"].includes(results.get("slow")?.type ?? ""));
});
