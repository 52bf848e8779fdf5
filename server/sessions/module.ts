// The face of sessions.
export { answerLostCalls } from "./inputs/lost-calls.ts";
export { brainPart, startBrain } from "./brain/brain.ts";
export { routes } from "./routes.ts";
export { secretOf as repositoryTokenContext } from "./resources/service.ts";
export { networkPart } from "./network/network.ts";
export { sessionsSection } from "./time/settings.ts";
export { sandboxesPart } from "./sandbox/sandboxes.ts";
