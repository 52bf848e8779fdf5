// The face of operations.
export { claimInstallation } from "./installation.ts";
export { routes } from "./routes.ts";
export { makeTraffic, type Traffic } from "./traffic.ts";
