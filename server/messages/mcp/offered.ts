// What of the servers' tools a model is offered, as plain tools, and under which names.
import { modelNameOf, type ServerTool } from "../../mcp_client/module.ts";
import { passesTool, type MessageBody, type Model, type Tool } from "../../models/module.ts";
import type { Connections } from "./connections.ts";
import type { NamedServer } from "./servers.ts";
import { plainNameOf, type NameOf } from "./turns.ts";

export interface OfferedTool {
  server: NamedServer;
  tool: ServerTool;
}

export interface Offered {
  /** By the name that the model calls. */
  byName: ReadonlyMap<string, OfferedTool>;
  /** In place of those of the request. */
  tools: readonly Tool[];
  nameOf: NameOf;
}

/** Each server is asked once, all at the same time. */
export async function offerTools(
  body: MessageBody,
  servers: readonly NamedServer[],
  connections: Connections,
  model: Model,
): Promise<Offered> {
  const asked = servers.filter(({ mayHaveTools }) => mayHaveTools);
  const lists = await Promise.all(
    asked.map(async (server) => ({ server, tools: await connections.list(server) })),
  );
  const offered = lists.flatMap(({ server, tools }) =>
    tools
      .filter(({ name, isForModels = true }) => isForModels && server.isEnabled(name))
      .map((tool) => ({ server, tool })),
  );
  const { byName, names } = namedTools(body, offered);
  const isFound = (body.tools ?? []).some(
    ({ type }) => String(type).startsWith("tool_search_tool_") && passesTool(model, String(type)),
  );
  const ofServer = (wanted: NamedServer): Tool[] =>
    withMark(
      [...byName]
        .filter(([, { server }]) => server === wanted)
        .map(([name, { server, tool }]) => plainTool(name, tool, isFound && server.isDeferred)),
      wanted.cacheControl,
    );
  const tools = (body.tools ?? []).flatMap((tool, at) => {
    const server = servers.find(({ toolsetIndex }) => toolsetIndex === at);
    return server === undefined ? [tool] : ofServer(server);
  });
  const older = servers.filter(({ toolsetIndex }) => toolsetIndex === undefined);
  const all = [...tools, ...older.flatMap(ofServer)];
  const taken = new Set(all.map(({ name }) => name));
  return {
    byName,
    tools: all,
    // A tool that is not offered any more has a name that no other one has.
    nameOf: (server, tool) => {
      const name = names.get(keyOf(server, tool));
      if (name !== undefined) return name;
      const plain = plainNameOf(server, tool);
      return taken.has(plain) ? modelNameOf(server, tool) : plain;
    },
  };
}

const keyOf = (server: string, tool: string) => JSON.stringify([server, tool]);

/** The tool's own name, and the long one where two tools have the same or it does not fit. */
function namedTools({ tools = [] }: MessageBody, offered: readonly OfferedTool[]) {
  const clients = new Set(tools.map(({ name }) => name));
  const times = new Map<string, number>();
  for (const { tool } of offered) times.set(tool.name, (times.get(tool.name) ?? 0) + 1);
  const byName = new Map<string, OfferedTool>();
  const names = new Map<string, string>();
  for (const each of offered) {
    const { server, tool } = each;
    const isAlone = times.get(tool.name) === 1 && !clients.has(tool.name);
    const name = isAlone
      ? plainNameOf(server.name, tool.name)
      : modelNameOf(server.name, tool.name);
    if (clients.has(name) || byName.has(name)) continue;
    byName.set(name, each);
    names.set(keyOf(server.name, tool.name), name);
  }
  return { byName, names };
}

const plainTool = (
  name: string,
  tool: ServerTool,
  isDeferred: false | ((tool: string) => boolean),
): Tool => ({
  name,
  ...(tool.description !== "" && { description: tool.description }),
  input_schema: tool.inputSchema,
  ...(isDeferred !== false && isDeferred(tool.name) && { defer_loading: true }),
});

/** A mark of a toolset stands behind its last tool. */
const withMark = (tools: readonly Tool[], mark: unknown): Tool[] =>
  tools.map((tool, at) =>
    mark !== undefined && at === tools.length - 1 ? { ...tool, cache_control: mark } : tool,
  );
