// The face of tokens.
export { endFamilyById, endFamilyOf, openFamily, type IssuedTokens } from "./families.ts";
export { grants, requiredParameter, type GrantHandler, type GrantHandlers } from "./grants.ts";
export { kinds, schedules } from "./jobs.ts";
export { listFamilies } from "./queries-families.ts";
export { findScopes, type TokenRow } from "./queries.ts";
export { GrantRefusal, tokenRefusal, type OAuthError, type RefusalFacts } from "./refusal.ts";
export { addressOfResource, namedResource, scopesIn } from "./resources.ts";
export {
  resourceScopes,
  type ResourceScope,
  tokenScopes,
  type TokenRequest,
  type TokenResource,
  type TokenScope,
} from "./schema.ts";
export { tokenRoutes } from "./routes.ts";
export {
  endTokensOfAccount,
  endTokensOfUser,
  issueToken,
  verifiedTokensPart,
  verifyToken,
} from "./service.ts";
