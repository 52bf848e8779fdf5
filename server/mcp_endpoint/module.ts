// The face of the MCP server that this server is.
import type { World } from "../../kernel/context.ts";
import type { CallRoute } from "../../kernel/http/inner-call.ts";
import type { Endpoint } from "./http/entry.ts";

export { isMcp, makeMcpDispatch, mcpRoute } from "./http/entry.ts";
export { shareMcp } from "./http/origins.ts";
export { noticeStreamsPart } from "./changes/places.ts";
export { kinds, schedules } from "./sessions/jobs.ts";
export { isAtLeast } from "./log-levels.ts";
export { withLongNames, withTableNames } from "./meta.ts";
export { endpointSection } from "./settings.ts";

/** The packages of MCP are there when the first client asks. */
export const loadPlinthServer = async (world: World, callRoute: CallRoute): Promise<Endpoint> => {
  const { makeEndpoint, makePlinthServer } = await import("./server.ts");
  return makeEndpoint(world, makePlinthServer(world, callRoute), callRoute);
};
