// The face of environments.
export { cleanHosts, isHost as isAllowedHost } from "./config.ts";
export { findEnvironmentKey } from "./keys/service.ts";
export { queueWork, stopWork } from "./work/queue.ts";
export { findWorkToken, isLate } from "./work/reach.ts";
export { sweepPart } from "./work/sweep.ts";
export type { KnownEnvironmentKey } from "./keys/queries.ts";
export { findEnvironment, type EnvironmentRow } from "./queries.ts";
export { routes } from "./routes.ts";
export { environmentsSection, mountRootOf } from "./settings.ts";
export { EnvironmentParams, type EnvironmentConfig } from "./schema.ts";
export { searchables } from "./found/queries.ts";
