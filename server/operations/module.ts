// The face of operations.
export { routes } from "./routes.ts";
export { makeTraffic, type Traffic } from "./traffic.ts";
