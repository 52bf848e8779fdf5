// What the tests of MCP servers share: a house that reaches the loopback, and sessions whose agents name servers there.
import { openUpstreamsHouse, type AskedBody } from "./fallbacks-upstreams-house.ts";
import { ofType, said, sessionsOf, type SessionEvent } from "./sessions-house.ts";

export const toLoopback = { allow_private_addresses: ["127.0.0.0/8"] };

export type McpHouse = Awaited<ReturnType<typeof openMcpHouse>>;

export interface ServerInAgent {
  url: string;
  name?: string;
  /** Of all its tools, unless `configs` says otherwise. */
  policy?: string;
  configs?: readonly object[];
  enabled?: boolean;
}

/** The fields of an agent. */
export const withServers = (...servers: readonly ServerInAgent[]) => ({
  mcp_servers: servers.map(({ url, name = "docs" }) => ({ type: "url", name, url })),
  tools: servers.map(
    ({ name = "docs", policy = "always_allow", configs = [], enabled = true }) => ({
      type: "mcp_toolset",
      mcp_server_name: name,
      default_config: { enabled, permission_policy: { type: policy } },
      configs,
    }),
  ),
});

/** What the model `eyes` was shown when it was asked last. */
interface Seen extends AskedBody {
  system?: unknown;
  tools?: readonly { name: string; description: string; input_schema: unknown }[];
}

export async function openMcpHouse(sections: Record<string, unknown> = {}) {
  const entries = [
    { id: "eyes" },
    { id: "judge" },
    { id: "guarded", upstream: "simulator", guard: "judge" },
  ];
  const opened = await openUpstreamsHouse(entries, {
    network: toLoopback,
    ...sections,
  });
  const it = sessionsOf(() => opened.house);
  let seen: Seen = { messages: [] };
  opened.models.set("eyes", (body) => {
    seen = body;
    return { content: [{ type: "text", text: "Seen." }] };
  });
  let verdict = "ask";
  opened.models.set("judge", () => ({ content: [{ type: "text", text: verdict }] }));
  return {
    ...it,
    /** What the guard of the model `guarded` says from now on. */
    judge: (word: "allow" | "ask" | "deny") => void (verdict = word),
    house: opened.house,
    /** A session whose agent has these servers. */
    with: async (...servers: readonly ServerInAgent[]): Promise<string> =>
      (await it.make(withServers(...servers))).id,
    /** One with a model that calls nothing; what it was shown in a turn. */
    looking: async (...servers: readonly ServerInAgent[]) =>
      (await it.make({ model: "eyes", ...withServers(...servers) })).id,
    look: async (id: string): Promise<Seen> => {
      await it.turn(id, said("Look."));
      return seen;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

export const namesIn = ({ tools = [] }: Seen): string[] => tools.map(({ name }) => name);

export const call = (tool: string, input: object = {}) =>
  said(`[[tool ${tool} ${JSON.stringify(input)}]]`);

/** What calls came to, in the order of the events. */
export const resultsOf = (events: readonly SessionEvent[]): string[] =>
  ofType(events, "agent.mcp_tool_result").map(
    ({ content, is_error: isError }) =>
      `${isError === true ? "error: " : ""}${(content as { text?: string; type: string }[]).map(({ text, type }) => text ?? type).join("\n")}`,
  );

export const errorsOf = (events: readonly SessionEvent[]) =>
  ofType(events, "session.error").map(({ error }) => error as Record<string, unknown>);
