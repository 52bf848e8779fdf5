// The face of files.
export { kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";
export { filesSection } from "./settings.ts";
export { storeToolFile } from "./tools.ts";
