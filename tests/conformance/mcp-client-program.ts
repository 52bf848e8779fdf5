// The client that the official conformance suite starts, once for each scenario, with the address of its server.
// Calls go over the connections that agents have to MCP servers; signing in is done by the official client alone.
import { parseArgs } from "node:util";
import {
  Client,
  InsufficientScopeError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
  type Tool,
} from "@modelcontextprotocol/client";
import { systemClock } from "../../kernel/base/clock.ts";
import type { World } from "../../kernel/context.ts";
import { openOutsideConnections } from "../../kernel/http/outside/connections.ts";
import { openLogger } from "../../kernel/observe/logger.ts";
import {
  connectServer,
  type CallOutcome,
  type Resumed,
  type ServerAsks,
} from "../../server/mcp_client/module.ts";

const {
  positionals: [address = ""],
} = parseArgs({ allowPositionals: true });
const {
  MCP_CONFORMANCE_SCENARIO: scenario = "",
  MCP_CONFORMANCE_CONTEXT: context = "{}",
  MCP_CONFORMANCE_PROTOCOL_VERSION: revision = "",
} = process.env;

interface Given {
  client_id?: string;
  client_secret?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}
const given = JSON.parse(context) as Given;

const isModern = revision === "2026-07-28";
const redirectUrl = "http://localhost:49152/callback";

/** What the person's browser would be sent back with, kept for the client. */
function makeProvider() {
  const kept = new Map<string, unknown>();
  let answer: URLSearchParams | undefined;
  const registered =
    given.client_id === undefined
      ? undefined
      : { client_id: given.client_id, client_secret: given.client_secret };
  const provider = {
    redirectUrl,
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientMetadata: {
      client_name: "Plinth",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
    },
    clientInformation: () => kept.get("client") ?? registered,
    saveClientInformation: (client: unknown) => void kept.set("client", client),
    tokens: () => kept.get("tokens"),
    saveTokens: (tokens: unknown) => void kept.set("tokens", tokens),
    saveCodeVerifier: (verifier: string) => void kept.set("verifier", verifier),
    codeVerifier: () => kept.get("verifier"),
    discoveryState: () => kept.get("discovery"),
    saveDiscoveryState: (discovery: unknown) => void kept.set("discovery", discovery),
    invalidateCredentials: (which: string) => void kept.delete(which),
    redirectToAuthorization: async (url: URL) => {
      const { headers } = await fetch(url, { redirect: "manual" });
      answer = new URL(headers.get("location") ?? "").searchParams;
    },
  };
  return {
    provider: provider as unknown as OAuthClientProvider,
    kept,
    takeAnswer: () => {
      const taken = answer;
      answer = undefined;
      return taken;
    },
  };
}

const { provider, kept, takeAnswer } = makeProvider();

/** A server that refuses a token it gave may have another authorization server now. */
const askAnew: typeof fetch = async (url, init) => {
  const response = await fetch(url, init);
  if (response.status === 401 && kept.has("tokens")) kept.delete("discovery");
  return response;
};

const signInsMax = 1;

async function signedIn<T>(transport: StreamableHTTPClientTransport, work: () => Promise<T>) {
  for (let times = 0; ; times++)
    try {
      return await work();
    } catch (error) {
      const isRefused =
        error instanceof UnauthorizedError || error instanceof InsufficientScopeError;
      const answer = takeAnswer();
      if (!isRefused || answer === undefined || times === signInsMax) throw error;
      await transport.finishAuth(answer);
    }
}

/** Something for each field of a tool that it cannot do without. */
function sampleOf({ properties = {}, required = [] }: Tool["inputSchema"]) {
  const samples: Record<string, unknown> = { number: 2, integer: 2, boolean: true, string: "two" };
  return Object.fromEntries(
    required.map((name) => {
      const { type } = (properties[name] ?? {}) as { type?: string };
      return [name, samples[type ?? "string"] ?? {}];
    }),
  );
}

async function official(): Promise<void> {
  const client = new Client(
    { name: "plinth", version: "1" },
    {
      versionNegotiation: { mode: isModern ? "auto" : "legacy" },
      capabilities: { elicitation: { form: { applyDefaults: true } } },
    },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }));
  let transport = new StreamableHTTPClientTransport(new URL(address), {
    authProvider: provider,
    fetch: askAnew,
  });
  const connect = () => client.connect(transport);
  try {
    await connect();
  } catch (error) {
    const answer = takeAnswer();
    if (answer === undefined) throw error;
    await transport.finishAuth(answer);
    transport = new StreamableHTTPClientTransport(new URL(address), {
      authProvider: provider,
      fetch: askAnew,
    });
    await connect();
  }
  const { tools } = await signedIn(transport, () => client.listTools());
  const calls =
    given.toolCalls ??
    tools.map(({ name, inputSchema }) => ({ name, arguments: sampleOf(inputSchema) }));
  for (const call of calls) await signedIn(transport, () => client.callTool(call));
  await client.close();
}

/** As an agent's session does it. */
async function ours(): Promise<void> {
  const outside = openOutsideConnections();
  const world = {
    clock: systemClock,
    logger: openLogger({ format: "json", level: "error" }),
    server: { version: "1" },
    outside,
    // What a process remembers is kept by its database; this one has none.
    db: {},
    sections: { network: { allow_private_addresses: ["127.0.0.0/8", "::1/128"] } },
  } as unknown as World;
  const { signal } = new AbortController();
  const waiting = { signal, untilMs: Infinity };
  const connection = await connectServer(
    world,
    { url: address, authorization: undefined, refusalOf: () => undefined },
    { ...waiting, mayAsk: true },
  );
  const { tools } = await connection.list(() => true, waiting);
  const sampled = tools.map(({ name, inputSchema }) => ({
    name,
    arguments: sampleOf(inputSchema as Tool["inputSchema"]),
  }));
  for (const call of given.toolCalls ?? sampled) {
    const tool = tools.find(({ name }) => name === call.name);
    let resumed: Resumed | null = null;
    do {
      const came: CallOutcome = await connection.callOrAsk(tool ?? call, call.arguments, {
        signal,
        resumed,
        help: {
          roots: [],
          tell: () => {},
          ask: () => Promise.resolve(null),
          sample: () => Promise.reject(new Error("no model")),
        },
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      });
      resumed = "asks" in came ? answered(came.asks) : null;
    } while (resumed !== null);
  }
  await connection.close();
  outside.close();
}

function answered({ questions, requestState, samples, given: helped }: ServerAsks): Resumed {
  const answers = Object.keys(questions).map((key) => [
    key,
    { action: "accept", content: { confirmed: true } },
  ]);
  return {
    answers: Object.fromEntries(answers) as Resumed["answers"],
    requestState,
    samples,
    given: helped,
  };
}

/** Agents ask no person in the midst of a call of the older revisions, and have no browser of their own. */
const isOfOfficial =
  scenario.startsWith("auth/") || scenario === "elicitation-sep1034-client-defaults";
await (isOfOfficial ? official() : ours());
