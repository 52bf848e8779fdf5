// The face of environments.
export { findEnvironmentKey } from "./keys/service.ts";
export type { KnownEnvironmentKey } from "./keys/queries.ts";
export { findEnvironment, type EnvironmentRow } from "./queries.ts";
export { routes } from "./routes.ts";
export type { EnvironmentConfig } from "./schema.ts";
