// What the tests of MCP servers in message requests share: the official client, models whose answers are told, servers.
import { after } from "node:test";
import type Anthropic from "@anthropic-ai/sdk";
import { listeningClient } from "../conformance/messages-client.ts";
import { openUpstreamsHouse, text } from "./fallbacks-upstreams-house.ts";
import { toLoopback } from "./mcp-house.ts";
import { openMcpServer, words } from "./mcp-server.ts";

export { text };
export const newBeta = "mcp-client-2025-11-20";
export const oldBeta = "mcp-client-2025-04-04";

/** `mimic` is simulated and calls what double brackets say; the others answer what a test says. */
async function openMessagesMcpHouse() {
  const opened = await openUpstreamsHouse(
    [
      { id: "told", thinking: ["enabled", "disabled"] },
      { id: "second", thinking: ["enabled", "disabled"] },
      { id: "third" },
      { id: "routed", fallback_routing: { cyber: "second" } },
      { id: "takes", pass: ["mcp_servers", "mcp_toolset"] },
      { id: "mimic", upstream: "simulator", thinking: ["enabled", "disabled"] },
    ],
    { network: toLoopback },
  );
  const { house } = opened;
  const { client, seen } = listeningClient(house);
  return { ...opened, client, seen };
}

/** The house of a test file and a server beside it, both closed behind its last test. */
export async function messagesMcpHouseOfFile() {
  const house = await openMessagesMcpHouse();
  const docs = await openDocs();
  after(async () => {
    await docs[Symbol.asyncDispose]();
    await house[Symbol.asyncDispose]();
  });
  const told = (more: object = {}) => withDocs(docs.url, "Look.", { model: "told", ...more });
  return { h: house, docs, told };
}

export const openDocs = () =>
  openMcpServer({
    search: { call: ({ text: asked }) => words(`Found ${String(asked)}.`) },
    fail: {
      call: () => ({ ...words("It went wrong."), isError: true }),
    },
    picture: {
      call: () => ({ content: [{ type: "image", data: onePixel, mimeType: "image/png" }] }),
    },
  });

const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Params = Anthropic.Beta.MessageCreateParamsNonStreaming;

/** With one server, in the newer form. */
export const withDocs = (url: string, content: string, more: object = {}): Params => ({
  model: "mimic",
  max_tokens: 1_000,
  messages: [{ role: "user", content }],
  mcp_servers: [{ type: "url", name: "docs", url }],
  tools: [{ type: "mcp_toolset", mcp_server_name: "docs" }],
  betas: [newBeta],
  ...more,
});

/** The model of a test calls these tools, one answer after the other, and then speaks. */
export const calling = (...answers: readonly (readonly [name: string, input?: object])[][]) => {
  let at = 0;
  return () => {
    const calls = answers[at++];
    if (calls === undefined) return { content: [text("That is all.")] };
    const content = calls.map(([name, input = {}], index) => ({
      type: "tool_use",
      id: `toolu_${at}_${index}`,
      name,
      input,
    }));
    return { content: [text(`Round ${at}.`), ...content], stop: "tool_use" };
  };
};

export const typesOf = (content: readonly { type: string }[]): string[] =>
  content.map(({ type }) => type);
