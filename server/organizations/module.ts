// The face of organizations.
export { routes } from "./routes.ts";
export { OrganizationName } from "./schema.ts";
export { cleanOrganizationName, createOrganization, renameOrganization } from "./service.ts";
export { countOrganizations, findOrganization, type OrganizationRow } from "./queries.ts";
