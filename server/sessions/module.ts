// The face of sessions.
export { brainPart, startBrain } from "./brain/brain.ts";
export { routes } from "./routes.ts";
