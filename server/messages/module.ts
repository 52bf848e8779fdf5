// The face of messages.
export { kinds, schedules } from "./cache-jobs.ts";
export { routes } from "./routes.ts";
