// Routes of the MCP servers of a workspace.
import { openRoute, route, type BetaRule } from "../../kernel/http/route.ts";
import { routes as connectRoutes } from "./connect/routes.ts";
import { callTool, lookAtTools, readToolPage } from "./ask.ts";
import { toolFrame } from "./pages.ts";
import * as schema from "./schema.ts";
import * as service from "./service.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
const ofServers = { permission: "vaults:use", beta } as const;
const server = "/v1/mcp_servers/{mcp_server_id}";

export const routes = [
  route({
    operation: "mcp_servers.create",
    method: "POST",
    path: "/v1/mcp_servers",
    summary: "Adds an MCP server to the workspace.",
    ...ofServers,
    body: schema.CreateMcpServer,
    reply: schema.McpServer,
    handle: (context, { body }) => service.createServer(context, body),
  }),
  route({
    operation: "mcp_servers.list",
    method: "GET",
    path: "/v1/mcp_servers",
    summary: "Lists the workspace's MCP servers, newest first.",
    ...ofServers,
    query: schema.McpServerQuery,
    reply: schema.McpServerPage,
    handle: (context, { query }) => service.listServers(context, query),
  }),
  route({
    operation: "mcp_servers.retrieve",
    method: "GET",
    path: server,
    summary: "One MCP server, with what it was when it was asked last.",
    ...ofServers,
    params: schema.McpServerParams,
    reply: schema.McpServer,
    handle: (context, { params }) => service.retrieveServer(context, params.mcp_server_id),
  }),
  route({
    operation: "mcp_servers.update",
    method: "POST",
    path: server,
    summary: "Changes what is named of an MCP server.",
    ...ofServers,
    params: schema.McpServerParams,
    body: schema.UpdateMcpServer,
    reply: schema.McpServer,
    handle: (context, { params, body }) =>
      service.updateServer(context, params.mcp_server_id, body),
  }),
  route({
    operation: "mcp_servers.delete",
    method: "DELETE",
    path: server,
    summary: "Takes an MCP server off the workspace; agents that name its address keep it.",
    ...ofServers,
    params: schema.McpServerParams,
    reply: schema.DeletedMcpServer,
    handle: (context, { params }) => service.deleteServer(context, params.mcp_server_id),
  }),
  route({
    operation: "mcp_servers.tools",
    method: "POST",
    path: `${server}/tools`,
    summary: "Asks an MCP server now which tools it has, and says what has changed.",
    ...ofServers,
    params: schema.McpServerParams,
    reply: schema.McpServerTools,
    handle: (context, { params }) => lookAtTools(context, params.mcp_server_id),
  }),
  route({
    operation: "mcp_servers.call",
    method: "POST",
    path: `${server}/call`,
    summary: "Calls a tool of an MCP server once.",
    ...ofServers,
    params: schema.McpServerParams,
    body: schema.CallMcpTool,
    reply: schema.McpToolResult,
    handle: (context, { params, body }) => callTool(context, params.mcp_server_id, body),
  }),
  route({
    operation: "mcp_servers.page",
    method: "POST",
    path: `${server}/page`,
    summary: "Reads the page on which what a tool of an MCP server answers is shown.",
    ...ofServers,
    params: schema.McpServerParams,
    body: schema.ReadMcpToolPage,
    reply: schema.McpToolPage,
    handle: (context, { params, body }) => readToolPage(context, params.mcp_server_id, body),
  }),
  openRoute({
    operation: "pages.mcp_tool",
    method: "GET",
    path: "/mcp-tool-page",
    summary: "An empty frame for the page of an MCP server's tool.",
    query: schema.FrameQuery,
    reply: "page",
    handle: (_, { query }) => toolFrame(query),
  }),
  ...connectRoutes,
];
