// The face of sessions.
export { brainPart } from "./brain/brain.ts";
export { routes } from "./routes.ts";
