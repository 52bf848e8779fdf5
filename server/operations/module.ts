// The face of operations.
export { claimInstallation, expectMasterKey, keyCheck, storeIdOf } from "./installation.ts";
export { gaugesPart } from "./gauges.ts";
export { makeRequestLogger } from "./request-log.ts";
export { makeRequestSpans, noteJobRun } from "./request-spans.ts";
export { routes } from "./routes.ts";
export { networkSection, readNetworkSettings } from "./settings.ts";
