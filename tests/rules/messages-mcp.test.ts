// Rules MCM1 to MCM9: servers that a request names, called by this server where the upstream calls none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ledgerOf, opensOf, textOf } from "../conformance/messages-client.ts";
import {
  calling,
  messagesMcpHouseOfFile,
  newBeta,
  oldBeta,
  text,
  typesOf,
  withDocs,
} from "./messages-mcp-house.ts";
import { openMcpServer, words } from "./mcp-server.ts";

const { h, docs, told } = await messagesMcpHouseOfFile();

const create = (params: ReturnType<typeof withDocs>) =>
  h.client.beta.messages.create(params).withResponse();

for (const revision of ["modern", "legacy"] as const)
  test(`[MCM1] [MCM2] a model calls a server's tool and goes on with its result, in one message: ${revision}`, async () => {
    await using server = await openMcpServer(
      { search: { call: ({ text: asked }) => words(`Found ${String(asked)}.`) } },
      revision,
    );
    const asked = withDocs(server.url, 'Look. [[tool search {"text":"fish"}]]');
    const { data: whole } = await create(asked);
    const streamed = await h.client.beta.messages.stream(asked).finalMessage();
    for (const { content, stop_reason } of [whole, streamed]) {
      assert.equal(stop_reason, "end_turn");
      assert.deepEqual(
        typesOf(content).filter((type) => type !== "text"),
        ["mcp_tool_use", "mcp_tool_result"],
      );
      const use = content.find((block) => block.type === "mcp_tool_use");
      assert.match(String(use?.id), /^mcptoolu_/);
      assert.deepEqual(
        [use?.name, use?.server_name, use?.input],
        ["search", "docs", { text: "fish" }],
      );
      const result = content.find((block) => block.type === "mcp_tool_result");
      assert.equal(result?.tool_use_id, use?.id);
      assert.equal(result?.is_error, false);
      assert.deepEqual(result?.content, [text("Found fish.")]);
      assert.equal(content.at(-1)?.type, "text");
    }
    assert.equal(textOf(streamed.content as []), textOf(whole.content as []));
  });

test("[MCM2] a stream is one message: one beginning, one end, each block in its place", async () => {
  h.models.set("told", calling([["search"]], [["search"], ["fail"]]));
  const names: string[] = [];
  const starts: number[] = [];
  for await (const event of await h.client.beta.messages.create({ ...told(), stream: true })) {
    if (event.type === "content_block_start") starts.push(event.index);
    else if (!/delta|stop|ping/.test(event.type) || event.type.startsWith("message"))
      names.push(event.type);
  }
  assert.deepEqual(names, ["message_start", "message_delta", "message_stop"]);
  assert.deepEqual(starts, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("[MCM3] each round is charged by itself, and the usage is their sum", async () => {
  h.models.set("told", calling([["search"]], [["search"]]));
  const { data: message, request_id } = await create(told());
  const rows = await ledgerOf(h.house, request_id);
  assert.deepEqual(
    rows.map(({ outcome, input, output }) => [outcome, input, output]),
    [
      ["served", 100, 10],
      ["served", 100, 10],
      ["served", 100, 10],
    ],
  );
  assert.equal(message.usage.input_tokens, 300);
  assert.equal(message.usage.output_tokens, 30);
  assert.deepEqual(
    message.usage.iterations?.map(({ type, output_tokens }) => [type, output_tokens]),
    Array.from({ length: 3 }, () => ["message", 10]),
  );
  h.models.set("told", calling([["search"]], [["search"]]));
  const streamed = await h.client.beta.messages.stream(told()).finalMessage();
  assert.deepEqual(streamed.usage, message.usage);
  assert.equal(await opensOf(h.house), 0);
});

test("[MCM3] all rounds together write no more than max_tokens", async () => {
  h.models.set("told", calling([["search"]], [["search"]], [["search"]]));
  const { data: message } = await create(told({ max_tokens: 20 }));
  assert.equal(message.stop_reason, "max_tokens");
  assert.equal(message.usage.output_tokens, 20);
  assert.equal(message.content.at(-1)?.type, "mcp_tool_result");
});

test("[MCM4] a turn that goes on and on pauses, and goes on when it is sent back", async () => {
  h.models.set("told", calling(...Array.from({ length: 10 }, () => [["search"] as const])));
  const { data: paused } = await create(told());
  assert.equal(paused.stop_reason, "pause_turn");
  assert.equal(paused.usage.output_tokens, 100);
  const messages = [...told().messages, { role: "assistant" as const, content: paused.content }];
  const { data: message } = await create(told({ messages }));
  assert.equal(textOf(message.content as []), "That is all.");
});

test("[MCM4] a round that cannot be asked pauses the turn, and what there is of it is the client's", async () => {
  for (const stream of [false, true]) {
    let at = 0;
    h.models.set("told", () => (at++ === 0 ? calling([["search"]])() : { status: 400 }));
    const message = stream
      ? await h.client.beta.messages.stream(told()).finalMessage()
      : (await create(told())).data;
    assert.equal(message.stop_reason, "pause_turn");
    assert.deepEqual(typesOf(message.content), ["text", "mcp_tool_use", "mcp_tool_result"]);
    assert.equal(message.usage.output_tokens, 10);
  }
});

test("[MCM5] a call of the client's own tool ends the turn, with the servers' results in it", async () => {
  const mine = { name: "mine", input_schema: { type: "object" } };
  const tools = [{ type: "mcp_toolset", mcp_server_name: "docs" }, mine];
  h.models.set("told", calling([["search"], ["mine"]]));
  const { data: message } = await create(told({ tools }));
  assert.equal(message.stop_reason, "tool_use");
  assert.deepEqual(typesOf(message.content), [
    "text",
    "mcp_tool_use",
    "tool_use",
    "mcp_tool_result",
  ]);
  const use = message.content.find((block) => block.type === "tool_use");
  const result = { type: "tool_result", tool_use_id: use?.id, content: "Mine." };
  const messages = [
    ...told().messages,
    { role: "assistant", content: message.content },
    { role: "user", content: [result] },
  ];
  h.models.set("told", calling());
  assert.equal((await create(told({ tools, messages }))).data.stop_reason, "end_turn");
  const heard = h.heard().slice(1) as { role: string; content: { type: string }[] }[];
  assert.deepEqual(
    heard.map(({ role, content }) => [role, typesOf(content)]),
    [
      ["assistant", ["text", "tool_use", "tool_use"]],
      ["user", ["tool_result"]],
      ["user", ["tool_result"]],
    ],
  );
});

test("[MCM5] nothing comes between a call of the client's own tool and its result", async () => {
  const content = [
    { type: "mcp_tool_use", id: "mcptoolu_a", name: "search", server_name: "docs", input: {} },
    { type: "tool_use", id: "toolu_b", name: "mine", input: {} },
    { type: "mcp_tool_result", tool_use_id: "mcptoolu_a", content: "Found." },
    text("And now?"),
  ];
  const messages = [
    ...told().messages,
    { role: "assistant", content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_b", content: "Mine." }] },
  ];
  h.models.set("told", calling());
  await create(told({ messages }));
  assert.deepEqual(
    (h.heard().slice(1) as { content: { type: string }[] }[]).map((turn) => typesOf(turn.content)),
    [["tool_use", "tool_use", "text"], ["tool_result"], ["tool_result"]],
  );
});

test("[MCM6] earlier calls are the model's calls and results, also where no server is named any more", async () => {
  h.models.set("told", calling([["search", { text: "fish" }]]));
  const { data: message } = await create(told());
  const messages = [
    ...told().messages,
    { role: "assistant" as const, content: message.content },
    { role: "user" as const, content: "And?" },
  ];
  for (const servers of [{}, { mcp_servers: [], tools: [] }]) {
    const { mcp_servers: _, tools: __, ...plain } = told({ messages });
    await create({ ...plain, ...servers });
    const heard = h.heard().slice(1) as { content: Record<string, unknown>[] }[];
    const call = heard[0]?.content[1];
    assert.deepEqual(
      [call?.["type"], call?.["name"], call?.["input"]],
      ["tool_use", "search", { text: "fish" }],
    );
    const result = heard[1]?.content[0];
    assert.deepEqual([result?.["type"], result?.["tool_use_id"]], ["tool_result", call?.["id"]]);
    assert.deepEqual(typesOf(heard[2]?.content as []), ["text"]);
  }
});

test("[MCM7] the older form names the tools beside the server; the newer one in a toolset", async () => {
  const offered = async (params: ReturnType<typeof withDocs>) => {
    h.models.set("told", calling());
    await create(params);
    const { tools = [] } = JSON.parse(String(h.upstream.requests.at(-1)?.body)) as {
      tools?: { name: string; cache_control?: object }[];
    };
    return tools;
  };
  const server = { type: "url", name: "docs", url: docs.url };
  const older = (tool_configuration: object) =>
    told({ betas: [oldBeta], tools: undefined, mcp_servers: [{ ...server, tool_configuration }] });
  const names = async (params: ReturnType<typeof withDocs>) =>
    (await offered(params)).map(({ name }) => name);
  assert.deepEqual(await names(older({})), ["search", "fail", "picture"]);
  assert.deepEqual(await names(older({ allowed_tools: ["fail"] })), ["fail"]);
  assert.deepEqual(await names(older({ enabled: false })), []);
  const newer = (fields: object) =>
    told({ tools: [{ type: "mcp_toolset", mcp_server_name: "docs", ...fields }] });
  const only = { default_config: { enabled: false }, configs: { search: { enabled: true } } };
  assert.deepEqual(await names(newer(only)), ["search"]);
  assert.deepEqual(await names(newer({ configs: { search: { enabled: false } } })), [
    "fail",
    "picture",
  ]);
  const marked = await offered(newer({ cache_control: { type: "ephemeral" } }));
  assert.deepEqual(
    marked.map(({ cache_control: mark }) => mark !== undefined),
    [false, false, true],
  );
  const listed = [{ name: "told of", input_schema: { type: "object" } }];
  const asked = docs.asked.length;
  assert.match(String(await names(newer({ tools: listed }))), /^mcp__docs__told_of__/);
  assert.equal(docs.asked.length, asked);
});

test("[MCM8] tools of one name get long names, and are called at their own servers", async () => {
  await using other = await openMcpServer({ search: { call: () => words("From the other.") } });
  const mcp_servers = [
    { type: "url", name: "docs", url: docs.url },
    { type: "url", name: "other", url: other.url },
  ];
  const tools = mcp_servers.map(({ name }) => ({ type: "mcp_toolset", mcp_server_name: name }));
  h.models.set("told", calling([["mcp__other__search"], ["fail"]]));
  const { data: message } = await create(told({ mcp_servers, tools }));
  const uses = message.content.filter((block) => block.type === "mcp_tool_use");
  assert.deepEqual(
    uses.map(({ name, server_name }) => [name, server_name]),
    [
      ["search", "other"],
      ["fail", "docs"],
    ],
  );
  const results = message.content.filter((block) => block.type === "mcp_tool_result");
  assert.deepEqual(
    results.map(({ content, is_error }) => [content, is_error]),
    [
      [[text("From the other.")], false],
      [[text("It went wrong.")], true],
    ],
  );
});

test("[MCM9] the tools that servers list are counted", async () => {
  const { max_tokens: _, ...counted } = withDocs(docs.url, "Count.");
  const { input_tokens: many } = await h.client.beta.messages.countTokens(counted);
  const { mcp_servers: __, tools: ___, ...plain } = counted;
  const { input_tokens: few } = await h.client.beta.messages.countTokens(plain);
  assert.ok(many > few + 30, `${many} ${few}`);
  void newBeta;
});
