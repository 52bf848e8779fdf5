// The face of identity.
export { makeAuthentication } from "./authentication.ts";
export { kinds, schedules } from "./jobs.ts";
export { permissionsOfKey, permissionsOfRole, roles, type Role } from "./permissions.ts";
export { createUser, emailKey } from "./people.ts";
export { countMembers, listPrimaryOwners, listUnclaimed } from "./queries.ts";
export { rightsOfPerson, type Person, type Rights } from "./rights.ts";
export { emailPattern, limits as identityLimits } from "./schema.ts";
export { routes } from "./routes.ts";
export { expectOperator } from "./operator.ts";
export { createSetupLink } from "./setup.ts";
