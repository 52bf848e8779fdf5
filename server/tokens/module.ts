// The face of tokens.
export { openFamily, type Granted } from "./families.ts";
export { grants, parameter, type Grant, type Grants } from "./grants.ts";
export { kinds, schedules } from "./jobs.ts";
export { type TokenRow } from "./queries.ts";
export { GrantRefusal } from "./refusal.ts";
export { tokenScopes, type TokenScope } from "./schema.ts";
export { tokenRoutes } from "./routes.ts";
export { endTokensOfAccount, endTokensOfUser, issueToken, verifyToken } from "./service.ts";
