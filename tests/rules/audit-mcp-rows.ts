// The changes of a workspace's MCP servers that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";
import { mcpRowsOf } from "./mcp-rows-house.ts";

/** What these leave is tried where there is an authorization server: tests/rules/mcp-connect.test.ts. */
export const elsewhereOfMcpRows = [
  "mcp_servers.connect",
  "mcp_servers.finish_connection",
  "console.mcp_connections.read",
  "console.mcp_connections.answer",
];

/** The house is there when they are made ready. */
export function mcpRowChanges(houseOf: () => House): Record<string, AuditedChange> {
  const rows = mcpRowsOf(houseOf);
  const state = async ({ api_key: key }: Tenant) => (await rows.call("GET", "", { key })).body;
  const change = (verb: string, method: string, path: string, body?: object): AuditedChange => ({
    action: `mcp_server.${verb}`,
    prepare: async ({ api_key: key }) => {
      // Nothing listens there.
      const { id } = await rows.make({ url: "https://localhost/mcp" }, { key });
      return () => rows.call(method, `/${id}${path}`, { key, ...(body && { body }) });
    },
    state,
  });
  return {
    "mcp_servers.create": {
      action: "mcp_server.created",
      prepare: async ({ api_key: key }) => {
        const body = { name: "docs", url: "https://mcp.example.com/mcp" };
        return () => rows.call("POST", "", { key, body });
      },
      state,
    },
    "mcp_servers.update": change("updated", "POST", "", { description: "other" }),
    "mcp_servers.delete": change("deleted", "DELETE", ""),
    "mcp_servers.tools": change("asked", "POST", "/tools"),
    "mcp_servers.page": change("asked", "POST", "/page", { name: "search" }),
    "mcp_servers.call": change("called", "POST", "/call", { name: "search" }),
  };
}
