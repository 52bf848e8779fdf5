// The face of keys.
export { routes } from "./routes.ts";
export { issueKey, verifyKey, type IssueKey } from "./service.ts";
export { countUses, type VerifiedRow } from "./queries.ts";
export { enterpriseScopes } from "./schema.ts";
export { verdictsOf, type Memory, type Verdicts } from "./verdicts.ts";
