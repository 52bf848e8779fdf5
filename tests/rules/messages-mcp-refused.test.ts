// Rules MCM10 to MCM16: what is refused of servers in a message request, servers that fail, tokens that stay hidden.
import assert from "node:assert/strict";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { sql } from "../../kernel/sql/statement.ts";
import { failing, fallback07, ledgerOf } from "../conformance/messages-client.ts";
import { calling, messagesMcpHouseOfFile, newBeta, openDocs, text } from "./messages-mcp-house.ts";

const { h, docs, told } = await messagesMcpHouseOfFile();

const server = (more: object = {}) => [{ type: "url", name: "docs", url: docs.url, ...more }];

/** Nothing is asked of the model, and nothing charged. */
async function refused(more: object, sentence: RegExp) {
  const before = h.upstream.requests.length;
  const error = await failing(Anthropic.BadRequestError, h.client.beta.messages.create(told(more)));
  assert.match(error.message, sentence);
  assert.equal(h.upstream.requests.length, before);
  assert.deepEqual(await ledgerOf(h.house, error.requestID), []);
}

test("[MCM10] what cannot be served beside servers is refused by its name", async () => {
  const second = { fallbacks: [{ model: "second" }] };
  await refused(second, /fallbacks: a list is in beta: send the header/);
  await refused(
    { ...second, fallback_credit_token: "x", betas: [newBeta, fallback07] },
    /fallback_credit_token: is not taken beside/,
  );
  await refused({ fallback_credit_token: "x" }, /fallback_credit_token: is not taken beside/);
  await refused({ thread: { type: "create" } }, /thread: is not supported here/);
  const change = {
    type: "tool_removal",
    tool: { type: "mcp_toolset_reference", server_name: "docs" },
  };
  const messages = [...told().messages, { role: "system", content: [change] }];
  await refused({ messages }, /messages\.1\.content\.0\.tool: must be a tool of the request/);
});

test("[MCM11] servers and toolsets have their shapes, and belong together", async () => {
  const toolset = { type: "mcp_toolset", mcp_server_name: "docs" };
  await refused(
    { tools: [] },
    /mcp_servers\.0\.name: must be the mcp_server_name of an mcp_toolset/,
  );
  await refused(
    { tools: [toolset, toolset] },
    /tools\.1\.mcp_server_name: must not be named by tools\.0/,
  );
  await refused(
    { mcp_servers: undefined, tools: [toolset] },
    /"tools\.0\.mcp_server_name: must be the name of one of mcp_servers; found/,
  );
  await refused({ tools: [{ ...toolset, config: 1 }] }, /tools\.0\.config: is not known/);
  await refused(
    { mcp_servers: server({ tool_configuration: {} }) },
    /mcp_servers\.0\.tool_configuration: is the older form/,
  );
  await refused(
    { mcp_servers: server({ url: "ftp://x" }) },
    /mcp_servers\.0\.url: must begin with/,
  );
  await refused(
    { mcp_servers: server({ url: "http://10.1.2.3/mcp" }) },
    /mcp_servers\.0\.url: leads to 10\.1\.2\.3/,
  );
  await refused(
    { mcp_servers: server({ authorization_token: "a\nb" }) },
    /mcp_servers\.0\.authorization_token: must be visible/,
  );
  await refused(
    {
      mcp_servers: Array.from({ length: 21 }, (_, at) => ({ ...server()[0], name: `s${at}` })),
      tools: [],
    },
    /mcp_servers: must have at most 20 items/,
  );
});

test("[MCM12] a server that cannot be asked fails the request, named by its place", async () => {
  await refused(
    { mcp_servers: server({ url: "http://127.0.0.1:9/mcp" }) },
    /mcp_servers\.0\.url: The MCP server \\"docs\\" cannot be reached/,
  );
  await using closed = await openDocs();
  closed.before = (_request, response) => {
    response.writeHead(401).end();
    return true;
  };
  await refused(
    { mcp_servers: server({ url: closed.url, authorization_token: "secret-token-1" }) },
    /mcp_servers\.0\.authorization_token: The MCP server \\"docs\\" refused the request/,
  );
});

test("[MCM13] a server that fails later gives a result that says so, and the model goes on", async () => {
  await using weak = await openDocs();
  weak.before = (request, response, body) => {
    if (!body.includes("tools/call")) return false;
    void request;
    response.writeHead(500).end();
    return true;
  };
  h.models.set("told", calling([["search"]]));
  const { content, stop_reason } = await h.client.beta.messages.create(
    told({ mcp_servers: server({ url: weak.url }) }),
  );
  assert.equal(stop_reason, "end_turn");
  const result = content.find((block) => block.type === "mcp_tool_result");
  assert.equal(result?.is_error, true);
  assert.deepEqual(result?.content, [
    text(
      'The MCP server "docs" answered with the status 500. Whether the call had its effect is not known.',
    ),
  ]);
});

test("[MCM14] a token goes to its server as a bearer, and nowhere else", async () => {
  const token = "secret-token-that-is-nowhere-else";
  await using own = await openDocs();
  own.tools["search"] = {
    call: () => ({ content: [{ type: "text", text: `You sent ${token}.` }] }),
  };
  h.models.set("told", calling([["search"]]));
  const message = await h.client.beta.messages.create(
    told({ mcp_servers: server({ url: own.url, authorization_token: token }) }),
  );
  assert.ok(own.asked.every(({ authorization }) => authorization === `Bearer ${token}`));
  assert.ok(!JSON.stringify(message).includes(token));
  assert.match(JSON.stringify(message), /You sent \[hidden\]/);
  const sent = h.upstream.requests.map(({ body }) => String(body)).join("\n");
  assert.ok(!sent.includes(token));
  assert.ok(!JSON.stringify(h.house.log).includes(token));
  const { db } = h.house.world;
  const tables = await db.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  assert.ok(tables.some(({ name }) => name === "ledger"));
  const found = await db.query<{ name: string }>(
    sql`select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
      and query_to_xml(format('select t::text from %I t', table_name), true, true, '')::text
        like ${`%${token}%`}`,
  );
  assert.deepEqual(found, []);
});

test("[MCM15] a model whose upstream calls servers is given them as they came", async () => {
  h.models.set("takes", () => ({ content: [text("Theirs.")] }));
  const mcp_servers = server({ authorization_token: "for the upstream" });
  await h.client.beta.messages.create(told({ model: "takes", mcp_servers }));
  const sent = JSON.parse(String(h.upstream.requests.at(-1)?.body)) as Record<string, unknown>;
  assert.deepEqual(sent["mcp_servers"], mcp_servers);
});

test("[MCM16] a forced choice is forced once, and names a tool as its server does", async () => {
  h.models.set("told", calling([["search"]]));
  const choice = { type: "tool", name: "search", disable_parallel_tool_use: true };
  await h.client.beta.messages.create(told({ tool_choice: choice }));
  const choices = h.upstream.requests
    .slice(-2)
    .map(({ body }) => (JSON.parse(String(body)) as { tool_choice: unknown }).tool_choice);
  assert.deepEqual(choices, [choice, { type: "auto", disable_parallel_tool_use: true }]);
});
