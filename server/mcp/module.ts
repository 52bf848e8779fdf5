// The face of MCP servers.
export {
  connectServer,
  McpFault,
  type ListedTools,
  type McpConnection,
  type ServerAddress,
  type Waiting,
} from "./connection.ts";
export { mcpSection, mcpSettingsOf } from "./settings.ts";
export { modelNameOf, type ServerTool } from "./tools.ts";
