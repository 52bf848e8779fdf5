// The face of kept bodies.
export { kinds, schedules } from "./jobs.ts";
export { bodyKeeperOf, bodyKeeperPart } from "./kept/body-keeper.ts";
export type { UnderWay } from "./kept/said.ts";
export { bodyContext } from "./kept/sealed-body.ts";
export { routes } from "./routes.ts";
