// The face of federation.
import { routes as accountRoutes } from "./routes-accounts.ts";
import { routes as federationRoutes } from "./routes.ts";

export { grants } from "./exchange.ts";
export { kinds, pollDue, schedules } from "./jobs.ts";
export const routes = [...accountRoutes, ...federationRoutes];
