// The face of organizations.
export { makeAdministrationBudget } from "./budget.ts";
export { changeQueuesPart, makeChangeQueue, queueChange } from "./change-queue.ts";
export { routes } from "./routes.ts";
export { OrganizationName } from "./schema.ts";
export { cleanOrganizationName, createOrganization, renameOrganization } from "./service.ts";
export { countOrganizations, findOrganization, type OrganizationRow } from "./queries.ts";
export { administrationSection } from "./settings.ts";
