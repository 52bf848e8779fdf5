// Bridges before the old server of these tests, and the official client that knows the newest revision alone.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  StreamableHTTPClientTransport,
  type ClientCapabilities,
} from "@modelcontextprotocol/client";
import { makeManualClock, systemClock } from "../../kernel/base/clock.ts";
import { loadBridge, type Upstream } from "../../server/mcp_bridge/module.ts";

const { makeBridge, Upstreams } = await loadBridge();

export const command: Upstream = {
  kind: "command",
  command: process.execPath,
  args: ["tests/mcp_bridge/old-server.ts"],
  env: { PATH: process.env["PATH"] ?? "" },
};

export type Answer = (params: Record<string, unknown>) => object | Promise<object>;

interface Connecting {
  who?: string;
  capabilities?: ClientCapabilities;
  /** What it does where it is asked, by method. */
  answers?: Record<string, Answer>;
}

type Options = ConstructorParameters<typeof Upstreams>[1] & Parameters<typeof makeBridge>[1];

export function openBridge(upstream: Upstream = command, options: Options = {}) {
  const upstreams = new Upstreams(upstream, options);
  const bridge = makeBridge(upstreams, options);
  const clients: Client[] = [];
  return {
    upstreams,
    answer: bridge.answer,
    async connect({ who, capabilities = {}, answers = {} }: Connecting = {}): Promise<Client> {
      const client = newClient(capabilities);
      for (const [method, answer] of Object.entries(answers))
        client.setRequestHandler(
          method as never,
          (({ params }: { params: never }) => answer(params)) as never,
        );
      const transport = new StreamableHTTPClientTransport(new URL("http://bridge.test/mcp"), {
        fetch: (url, init) => bridge.answer(new Request(url, init)),
        requestInit: { headers: who === undefined ? {} : { authorization: who } },
      });
      await client.connect(transport);
      clients.push(client);
      return client;
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.close();
      await upstreams.close();
      await bridge.close();
    },
  };
}

export const newClient = (capabilities: ClientCapabilities = {}) =>
  new Client(
    { name: "new", version: "1" },
    { capabilities, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );

export const textOf = (result: unknown) =>
  (result as { content: { text: string }[] }).content[0]?.text;

export const calling = async (client: Client, name: string) =>
  textOf(await client.callTool({ name }));

export async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A clock that stands until the test moves it; moments pass by themselves. */
export function stillClock() {
  const clock = makeManualClock(new Date("2026-07-28T00:00:00Z"));
  return {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => (ms < 100 ? systemClock : clock).sleep(ms, signal),
  };
}
