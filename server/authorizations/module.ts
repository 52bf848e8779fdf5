// The face of authorizations.
export { grants } from "./grants.ts";
export { kinds, schedules } from "./jobs.ts";
export { mcpChallenge } from "./clients/metadata.ts";
export { routes } from "./routes.ts";
