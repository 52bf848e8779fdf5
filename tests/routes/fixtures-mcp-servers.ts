// How to make what the routes of MCP servers name.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

const path = "/v1/mcp_servers";
const beta = { "vendor-beta": "managed-agents-2026-04-01" };
let made = 0;

/** At a name that leads to an address which is refused. */
const serverIn = async (tenant: Tenant) => {
  made += 1;
  const body = { name: `server ${made}`, url: "https://localhost/mcp" };
  const { id } = (await tenant.console("POST", path, body, beta)) as { id: string };
  return { mcp_server_id: id };
};

export const mcpServerFixtures: Readonly<Record<string, Fixture>> = {
  "mcp_servers.create": {
    body: () => ({ name: `docs ${(made += 1)}`, url: "https://mcp.example.com/mcp" }),
  },
  "mcp_servers.list": {
    items: async (tenant) => {
      await serverIn(tenant);
      await serverIn(tenant);
    },
  },
  "mcp_servers.retrieve": { params: serverIn },
  "mcp_servers.update": { params: serverIn, body: () => ({ description: "other" }) },
  "mcp_servers.delete": { params: serverIn },
  "mcp_servers.tools": { params: serverIn },
  "mcp_servers.call": { params: serverIn, body: () => ({ name: "search" }) },
  "mcp_servers.connect": {
    elsewhere: "tests/rules/mcp-connect.test.ts [MSV13]",
    params: serverIn,
    body: () => ({ client_id: "by hand" }),
    // It is there, and has no vault.
    status: 400,
  },
  "mcp_servers.finish_connection": {
    elsewhere: "tests/rules/mcp-connect.test.ts [MSV14]",
    params: async (tenant) => ({ ...(await serverIn(tenant)), connection_id: "mcpconn_none" }),
    status: 404,
  },
  "console.mcp_connections.read": {
    elsewhere: "tests/rules/mcp-connect.test.ts [MSV15]",
    body: () => ({ state: "none" }),
  },
  "console.mcp_connections.answer": {
    elsewhere: "tests/rules/mcp-connect.test.ts [MSV15]",
    body: () => ({ state: "none", code: "none" }),
  },
  "pages.mcp_client": { elsewhere: "tests/rules/mcp-connect.test.ts [MSV18]" },
  "mcp_servers.page": { params: serverIn, body: () => ({ name: "search" }) },
};
