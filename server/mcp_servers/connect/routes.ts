// Routes of connecting an MCP server by OAuth.
import Type from "typebox";
import { openRoute, route } from "../../../kernel/http/route.ts";
import { McpServerParams } from "../schema.ts";
import * as connect from "./connect.ts";
import { connectedPage, pageScript, shownDocument } from "./open-documents.ts";
import * as schema from "./schema.ts";

const ofServers = {
  permission: "vaults:use",
  beta: { name: "managed-agents-2026-04-01", gate: "always" },
} as const;
const person = { permission: "console:use", credentials: ["console"] } as const;
/** The page reads its address itself. */
const AnyQuery = Type.Object({}, { additionalProperties: true });

export const routes = [
  route({
    operation: "mcp_servers.connect",
    method: "POST",
    path: "/v1/mcp_servers/{mcp_server_id}/connect",
    summary:
      "Begins a sign-in at an MCP server's authorization server, whose token goes into a vault.",
    ...ofServers,
    params: McpServerParams,
    body: schema.ConnectMcpServer,
    reply: schema.McpConnection,
    handle: (context, { params, body }) =>
      connect.beginConnection(context, params.mcp_server_id, body),
  }),
  route({
    operation: "mcp_servers.finish_connection",
    method: "POST",
    path: "/v1/mcp_servers/{mcp_server_id}/connect/{connection_id}",
    summary: "Finishes it where the browser has come back, for the caller who began it.",
    ...ofServers,
    params: schema.McpConnectionParams,
    reply: schema.McpConnection,
    handle: (context, { params }) => connect.finishConnection(context, params),
  }),
  route({
    operation: "console.mcp_connections.read",
    method: "POST",
    path: "/console/api/mcp_connections",
    summary: "What the sign-in is for with which a browser has come back.",
    ...person,
    body: schema.ReadMcpConnection,
    reply: schema.McpConnectionPrompt,
    handle: (context, { body }) => connect.readConnection(context, body),
  }),
  route({
    operation: "console.mcp_connections.answer",
    method: "POST",
    path: "/console/api/mcp_connections/answer",
    summary: "Hands over what the authorization server answered, once.",
    ...person,
    body: schema.AnswerMcpConnection,
    reply: schema.McpConnectionAnswered,
    handle: (context, { body }) => connect.answerConnection(context, body),
  }),
  openRoute({
    operation: "pages.mcp_connected",
    method: "GET",
    path: "/mcp-connected",
    summary: "The page to which an authorization server sends the browser back.",
    query: AnyQuery,
    reply: "page",
    handle: () => connectedPage(),
  }),
  openRoute({
    operation: "pages.mcp_connected_script",
    method: "GET",
    path: "/mcp-connected/page.js",
    summary: "The script of that page.",
    reply: "text",
    handle: () => pageScript(),
  }),
  openRoute({
    operation: "pages.mcp_client",
    method: "GET",
    path: "/mcp-client.json",
    summary:
      "What this server is as a client of authorization servers (a client id metadata document).",
    reply: schema.ClientDocument,
    handle: (context) => shownDocument(context),
  }),
];
