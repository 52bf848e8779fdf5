// The face of federation.
import { routes as accountRoutes } from "./accounts/routes.ts";
import { routes as federationRoutes } from "./routes.ts";

export { grants } from "./exchange/exchange.ts";
export { keyFetchesPart } from "./issuers/keys.ts";
export { kinds, pollDue, schedules } from "./jobs.ts";
export const routes = [...accountRoutes, ...federationRoutes];
export { searchables } from "./found/queries.ts";
