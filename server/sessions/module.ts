// The face of sessions.
export { beginSession, expectOpening, nanoOf } from "./begin/begin.ts";
export { OpeningEvent } from "./inputs/schema.ts";
export { answerLostCalls } from "./inputs/lost-calls.ts";
export { brainPart, startBrain } from "./brain/brain.ts";
export { followSession } from "./events/stream.ts";
export { actorOf as makerOf } from "./model/caller.ts";
export { presentBudget } from "./present.ts";
export { ResourceInput } from "./resources/schema.ts";
export { routes } from "./routes.ts";
export { kinds } from "./servers/left-tasks.ts";
export { questionStateContext } from "./servers/servers.ts";
export { secretOf as repositoryTokenContext } from "./resources/service.ts";
export { networkPart } from "./network/network.ts";
export { Budget, BudgetInput } from "./schema.ts";
export { sessionsSection } from "./time/settings.ts";
export { sandboxesPart } from "./sandbox/sandboxes.ts";
export { serversPart } from "./servers/servers.ts";
export { searchables } from "./found/queries.ts";
