// The face of memory stores.
export { kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";
export { memorySection } from "./settings.ts";
