// The official client against a session whose agent has an MCP server: calls that are confirmed, results, errors.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { openHouse, type House } from "../house.ts";
import { toLoopback } from "../rules/mcp-house.ts";
import { openMcpServer, words } from "../rules/mcp-server.ts";
import { listeningClient } from "./messages-client.ts";

let house: House;
before(async () => {
  house = await openHouse({ sections: { network: toLoopback } });
});
after(() => house[Symbol.asyncDispose]());

type Sent = Anthropic.Beta.Sessions.BetaManagedAgentsEventParams;
type Seen = Anthropic.Beta.Sessions.BetaManagedAgentsStreamSessionEvents;

const said = (text: string): Sent => ({ type: "user.message", content: [{ type: "text", text }] });

type Policy = "always_ask" | "always_allow";

async function begin(client: Anthropic, url: string, policy: Policy = "always_ask") {
  const agent = await client.beta.agents.create({
    name: "Reader",
    model: "sim-small",
    mcp_servers: [{ type: "url", name: "docs", url }],
    tools: [
      {
        type: "mcp_toolset",
        mcp_server_name: "docs",
        default_config: { permission_policy: { type: policy } },
      },
    ],
  });
  const environment = await client.beta.environments.create({
    name: "lab",
    config: { type: "cloud", networking: { type: "limited", allow_mcp_servers: true } },
  });
  return client.beta.sessions.create({ agent: agent.id, environment_id: environment.id });
}

/** What comes over the stream up to the idle event. */
async function turn(client: Anthropic, id: string, event: Sent): Promise<Seen[]> {
  const stream = await client.beta.sessions.events.stream(id);
  await client.beta.sessions.events.send(id, { events: [event] });
  const seen: Seen[] = [];
  for await (const each of stream) {
    seen.push(each);
    if (each.type === "session.status_idle") break;
  }
  return seen;
}

test("sessions: a tool of an MCP server is called once a person has allowed it", async () => {
  await using server = await openMcpServer({
    search: { call: ({ text }) => words(`found ${String(text)}`) },
  });
  const { client } = listeningClient(house, { maxRetries: 2 });
  const { id } = await begin(client, server.url);
  const asked = await turn(client, id, said('[[tool mcp__docs__search {"text": "it"}]] Look.'));
  const use = asked.find((event) => event.type === "agent.mcp_tool_use");
  assert.ok(use?.type === "agent.mcp_tool_use");
  assert.deepEqual(
    [use.mcp_server_name, use.name, use.input, use.evaluated_permission],
    ["docs", "search", { text: "it" }, "ask"],
  );
  const idle = asked.at(-1);
  assert.ok(idle?.type === "session.status_idle" && idle.stop_reason.type === "requires_action");
  assert.deepEqual(idle.stop_reason.event_ids, [use.id]);
  const came = await turn(client, id, {
    type: "user.tool_confirmation",
    tool_use_id: use.id,
    result: "allow",
  });
  const result = came.find((event) => event.type === "agent.mcp_tool_result");
  assert.ok(result?.type === "agent.mcp_tool_result");
  assert.deepEqual(
    [result.mcp_tool_use_id, result.content, result.is_error],
    [use.id, [{ type: "text", text: "found it" }], false],
  );
  const listed = await Array.fromAsync(client.beta.sessions.events.list(id));
  assert.ok(listed.some((event) => event.id === result.id));
});

test("sessions: an MCP server asks for something in a call, which the client answers as a custom tool", async () => {
  await using server = await openMcpServer({
    book: {
      call: (_input, _signal, { answers }) => {
        const who = acceptedContent<{ name: string }>(answers, "who");
        if (who !== undefined) return words(`booked for ${who.name}`);
        const requestedSchema = {
          type: "object" as const,
          properties: { name: { type: "string" as const } },
          required: ["name"],
        };
        return inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: "For whom?", requestedSchema }) },
        });
      },
    },
  });
  const { client } = listeningClient(house, { maxRetries: 2 });
  const { id } = await begin(client, server.url, "always_allow");
  const asked = await turn(client, id, said("[[tool mcp__docs__book {}]]"));
  const question = asked.find((event) => event.type === "agent.custom_tool_use");
  assert.ok(question?.type === "agent.custom_tool_use");
  const idle = asked.at(-1);
  assert.ok(idle?.type === "session.status_idle" && idle.stop_reason.type === "requires_action");
  assert.deepEqual([question.name, idle.stop_reason.event_ids], ["mcp_input", [question.id]]);
  const { requests } = question.input as { requests: Record<string, { message: string }> };
  assert.equal(requests["who"]?.message, "For whom?");
  const answers = { who: { action: "accept", content: { name: "Ada" } } };
  const came = await turn(client, id, {
    type: "user.custom_tool_result",
    custom_tool_use_id: question.id,
    content: [{ type: "text", text: JSON.stringify(answers) }],
  });
  const result = came.find((event) => event.type === "agent.mcp_tool_result");
  assert.ok(result?.type === "agent.mcp_tool_result");
  assert.deepEqual(result.content, [{ type: "text", text: "booked for Ada" }]);
});

test("sessions: an MCP server that wants credentials is told, and the turn goes on", async () => {
  await using server = await openMcpServer({});
  server.before = (_request, response) => {
    response.writeHead(401, { "www-authenticate": "Bearer" });
    response.end();
    return true;
  };
  const { client } = listeningClient(house, { maxRetries: 2 });
  const { id } = await begin(client, server.url);
  const seen = await turn(client, id, said("[[say Without it.]]"));
  const told = seen.find((event) => event.type === "session.error");
  assert.ok(told?.type === "session.error");
  const { error } = told;
  assert.ok(error.type === "mcp_authentication_failed_error");
  assert.deepEqual([error.mcp_server_name, error.retry_status.type], ["docs", "retrying"]);
  assert.ok(seen.some((event) => event.type === "agent.message"));
});
