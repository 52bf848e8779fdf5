// The face of the MCP servers of a workspace.
export { connectionSecretContext, kinds, schedules } from "./connect/connect.ts";
export { routes } from "./routes.ts";
export { searchables } from "./found/queries.ts";
