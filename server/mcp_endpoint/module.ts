// The face of the MCP server that this server is.
import type { World } from "../../kernel/context.ts";
import type { CallRoute } from "../../kernel/http/inner-call.ts";
import type { AnswerMessage } from "./entry.ts";

export { isMcp, makeMcpDispatch } from "./entry.ts";
export { endpointSection } from "./settings.ts";

/** The packages of MCP are there when the first client asks. */
export const loadPlinthServer = async (
  world: World,
  callRoute: CallRoute,
): Promise<AnswerMessage> => {
  const { answerWith, makePlinthServer } = await import("./server.ts");
  return answerWith(makePlinthServer(world, callRoute));
};
