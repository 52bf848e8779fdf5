// Rules MCM17 to MCM20: the official tool runner, a server of the older package, batches, and clients that leave.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { sql } from "../../kernel/sql/statement.ts";
import { ledgerOf, opensOf } from "../conformance/messages-client.ts";
import { oldServer } from "../mcp_bridge/old-server.ts";
import {
  calling,
  openDocs,
  messagesMcpHouseOfFile,
  text,
  typesOf,
  withDocs,
} from "./messages-mcp-house.ts";
import { until } from "./support.ts";

const { h, docs, told } = await messagesMcpHouseOfFile();

test("[MCM17] the official tool runner goes on without a thread, with its own tools beside a server's", async () => {
  const mine = betaTool({
    name: "mine",
    description: "Its own.",
    inputSchema: { type: "object", properties: {} } as const,
    run: () => "Mine.",
  });
  const {
    tools = [],
    thread: _,
    ...asked
  } = withDocs(docs.url, 'Go. [[tool search {"text":"a"}]] [[tool mine {}]]');
  const runner = h.client.beta.messages.toolRunner({ ...asked, tools: [...tools, mine] });
  const reasons: (string | null)[] = [];
  const types: string[] = [];
  for await (const message of runner) {
    reasons.push(message.stop_reason);
    types.push(...typesOf(message.content).filter((type) => type !== "text"));
  }
  assert.deepEqual(reasons, ["tool_use", "end_turn"]);
  assert.deepEqual(types, ["mcp_tool_use", "mcp_tool_result", "tool_use"]);
});

test("[MCM1] a server made with the older package is called as well", async () => {
  const listener = createServer((request, response) => {
    void (async () => {
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = oldServer();
      response.on("close", () => void server.close());
      await server.connect(transport);
      await transport.handleRequest(request, response);
    })();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = listener.address() as AddressInfo;
    const asked = withDocs(`http://127.0.0.1:${port}/mcp`, "Go. [[tool level {}]]");
    const { content } = await h.client.beta.messages.create(asked);
    const result = content.find((block) => block.type === "mcp_tool_result");
    assert.deepEqual([result?.is_error, result?.content], [false, [text("none")]]);
  } finally {
    listener.closeAllConnections();
    listener.close();
  }
});

const ended = (id: string) =>
  until(async () => {
    const { processing_status: status } = await h.client.beta.messages.batches.retrieve(id);
    return status === "ended";
  }, "the batch has ended");

test("[MCM18] a request of a batch calls servers too, and each round is charged", async () => {
  h.models.set("told", calling([["search", { text: "fish" }]]));
  const { betas: _, ...params } = told();
  const { id } = await h.client.beta.messages.batches.create({
    requests: [{ custom_id: "one", params }],
  });
  await ended(id);
  for await (const { result } of await h.client.beta.messages.batches.results(id)) {
    assert.equal(result.type, "succeeded", JSON.stringify(result));
    if (result.type !== "succeeded") return;
    assert.deepEqual(typesOf(result.message.content), [
      "text",
      "mcp_tool_use",
      "mcp_tool_result",
      "text",
    ]);
    assert.equal(result.message.usage.output_tokens, 20);
  }
});

test("[MCM26] a process that has lost a batch's request to another one calls no tool for it", async () => {
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  h.models.set("told", async ({ messages }) => {
    if (messages.length > 1) return { content: [text("Done.")] };
    asked.resolve();
    await mayAnswer.promise;
    return calling([["search"]])();
  });
  const calls = () => docs.asked.filter(({ method }) => method === "tools/call").length;
  const before = calls();
  const { betas: _, ...params } = told();
  const { id } = await h.client.beta.messages.batches.create({
    requests: [{ custom_id: "one", params }],
  });
  await asked.promise;
  const requests = h.upstream.requests.length;
  await h.house.world.db.query(sql`update batch_chunks
    set lease_owner = 'another', lease_epoch = lease_epoch + 1,
      lease_until = statement_timestamp() + interval '1 second'
    where batch_id = ${id}`);
  mayAnswer.resolve();
  await ended(id);
  assert.equal(calls(), before + 1);
  assert.equal(h.upstream.requests.length, requests + 2, "it was begun anew");
  for await (const { result } of await h.client.beta.messages.batches.results(id))
    assert.equal(result.type, "succeeded", JSON.stringify(result));
});

test("[MCM19] a client that leaves while a server works pays for the round that ran, and the call is given up", async () => {
  await using slow = await openDocs();
  const left = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  slow.tools["search"] = {
    call: (_input, signal) => {
      began.resolve();
      return new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          left.resolve();
          reject(new Error("left"));
        }),
      );
    },
  };
  h.models.set("told", calling([["search"]]));
  const asked = h.upstream.requests.length;
  const stream = h.client.beta.messages.stream(
    told({ mcp_servers: [{ type: "url", name: "docs", url: slow.url }] }),
  );
  const gone = stream.done().catch(() => {});
  await began.promise;
  const { request_id: id } = stream;
  stream.abort();
  await gone;
  await left.promise;
  assert.equal(await opensOf(h.house), 0);
  const rows = await ledgerOf(h.house, id);
  assert.deepEqual(
    rows.map(({ outcome, output }) => [outcome, output]),
    [["served", 10]],
  );
  assert.equal(h.upstream.requests.length, asked + 1);
});

test("[MCM20] a budget for thinking shrinks with what is left, and no picture is in a result", async () => {
  h.models.set("told", calling([["picture"]]));
  const thinking = { type: "enabled", budget_tokens: 1_995 };
  const { content } = await h.client.beta.messages.create(told({ max_tokens: 2_000, thinking }));
  const budgets = h.upstream.requests
    .slice(-2)
    .map(({ body }) => JSON.parse(String(body)) as { max_tokens: number; thinking: object });
  assert.deepEqual(
    budgets.map(({ max_tokens, thinking: given }) => [max_tokens, given]),
    [
      [2_000, thinking],
      [1_990, { type: "enabled", budget_tokens: 1_989 }],
    ],
  );
  const result = content.find((block) => block.type === "mcp_tool_result");
  assert.match(JSON.stringify(result?.content), /A picture/);
});
