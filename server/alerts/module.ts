// The face of alerts.
export { kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";
export { searchables } from "./found/queries.ts";
