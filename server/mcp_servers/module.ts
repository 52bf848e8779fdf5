// The face of the MCP servers of a workspace.
export { routes } from "./routes.ts";
