// The face of vaults.
export {
  currentToken,
  refreshAfter401,
  renewalsPart,
  type HeldToken,
  type TokenOwner,
} from "./tokens/renew.ts";
export { secretContext as credentialSecretContext } from "./credentials/secret.ts";
export { expectOauthPlace, putOauth } from "./credentials/sign-in.ts";
export { limits as vaultLimits } from "./limits.ts";
export { findVault } from "./queries.ts";
export { routes } from "./routes.ts";
export { credentialsForServer, expectSessionVaults } from "./session-vaults.ts";
export type { VaultsOfSession } from "./variables/queries.ts";
export { noteUse, usesPart } from "./variables/uses.ts";
export {
  openVariables,
  variablesFor,
  type Variable,
  type VariablesOfSession,
} from "./variables/variables.ts";
export { searchables } from "./found/queries.ts";
