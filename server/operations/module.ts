// The face of operations.
export { claimInstallation } from "./installation.ts";
export { routes } from "./routes.ts";
export { networkSection, readNetworkSettings } from "./settings.ts";
export { makeTraffic, type Traffic } from "./traffic.ts";
