// The face of the worker of self-hosted environments.
export { limits as workerLimits } from "./limits.ts";
export { makeTeller } from "./report.ts";
export { runWorker } from "./worker.ts";
