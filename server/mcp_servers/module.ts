// The face of the MCP servers of a workspace.
export { connectionSecretContext } from "./connect/connect.ts";
export { routes } from "./routes.ts";
