// The face of keys.
export { routes } from "./routes.ts";
export { issueKey, verifyKey, type IssueKey } from "./service.ts";
export { countUses, findKeyScopes, findLastUse, type VerifiedKeyRow } from "./queries.ts";
export { enterpriseScopes } from "./schema.ts";
export { verdictsOf, verdictsPart, type VerdictCache, type Verdicts } from "./verdicts.ts";
export { searchables } from "./found/queries.ts";
