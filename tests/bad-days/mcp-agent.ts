// The real program with an agent that has an MCP server; it is killed, and started anew on the same data.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratch, until } from "../kernel/sql-harness.ts";
import { toLoopback, withServers } from "../rules/mcp-house.ts";
import { accepted, answered } from "../rules/mcp-questions-house.ts";
import { ofType, type SessionEvent } from "../rules/sessions-house.ts";
import { ask, initOwner, nothingLeft, startPlinth, type Plinth } from "./plinth.ts";

const beta = { "vendor-beta": "managed-agents-2026-04-01" };

export async function openAgentOf(url: string) {
  const home = scratch();
  const data = join(home.path, "data");
  const config = join(home.path, "plinth.config.json");
  writeFileSync(config, JSON.stringify({ network: toLoopback }));
  const env = { PLINTH_CONFIG: config };
  const { api_key: key } = await initOwner(data, [], { env });
  let plinth: Plinth = await startPlinth(data, { env });
  const good = async (method: string, path: string, body?: object) => {
    const headers = { ...beta, "x-api-key": key };
    const given = { headers, ...(body && { body }) };
    const reply = await ask(plinth.url, method, path, given);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body as { id: string; data: SessionEvent[] };
  };
  const servers = withServers({ url });
  const agent = await good("POST", "/v1/agents", { name: "Asker", model: "sim-small", ...servers });
  const lab = await good("POST", "/v1/environments", {
    name: "lab",
    config: { type: "self_hosted" },
  });
  const events = async (id: string) =>
    (await good("GET", `/v1/sessions/${id}/events?limit=1000`)).data;
  const send = (id: string, event: object) =>
    good("POST", `/v1/sessions/${id}/events`, { events: [event] });
  const started = async () => void (plinth = await startPlinth(data, { env }));
  return {
    killed: () => plinth.killed(),
    started,
    crash: async () => {
      await plinth.killed();
      await started();
    },
    begin: async (event: object) => {
      const body = { agent: agent.id, environment_id: lab.id, initial_events: [event] };
      return (await good("POST", "/v1/sessions", body)).id;
    },
    send,
    /** What is in the log when it has come to rest so often. */
    idle: (id: string, times = 1) =>
      until(`${id} is idle`, async () => {
        const all = await events(id);
        const idles = ofType(all, "session.status_idle");
        return all.at(-1)?.type === "session.status_idle" && idles.length >= times && all;
      }),
    answer: (id: string, question: string, fields: Record<string, string>) =>
      send(id, answered(question, { who: accepted(fields) })),
    [Symbol.asyncDispose]: async () => {
      assert.equal((await plinth.stop()).code, 0);
      await nothingLeft(home.path);
      home[Symbol.dispose]();
    },
  };
}

export const questionsIn = (all: readonly SessionEvent[]) =>
  ofType(all, "agent.custom_tool_use").map((each) => each.id);

export const resultsIn = (all: readonly SessionEvent[]) =>
  ofType(all, "agent.mcp_tool_result").map(({ content }) => JSON.stringify(content));
