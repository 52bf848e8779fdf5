// The face of identity.
export { makeAuthentication } from "./authentication.ts";
export { kinds, schedules } from "./jobs.ts";
export {
  mayDelegate,
  permissionsOfKey,
  permissionsOfRole,
  roles,
  type Role,
} from "./permissions.ts";
export {
  actorFor,
  createUser,
  emailKey,
  endSignIns,
  expectOwnOrigin,
  expectPassword,
  recordFor,
  toSignedIn,
  userOrThrow,
} from "./people.ts";
export { countMembers, listPrimaryOwners, listUnclaimed, peopleOf } from "./queries.ts";
export { updateProfile } from "./profile.ts";
export { rightsOfPerson, type Person, type Rights } from "./rights.ts";
export { field, messageLine, plainPage } from "./plain-page.ts";
export {
  Email,
  emailPattern,
  limits as identityLimits,
  NewPassword,
  PersonName,
  SignedIn,
} from "./schema.ts";
export { routes } from "./routes.ts";
export { expectOperator } from "./operator.ts";
export { createSetupLink } from "./setup.ts";
export { attempt } from "./attempts.ts";
export { expectProof, noteProof, proveByPassword, readTicket, spendOnce } from "./proof.ts";
export { setSecondStep } from "./queries-proof.ts";
export { admit, expectLocalWay, keepsLocalWays, readSecondStep } from "./ways.ts";
