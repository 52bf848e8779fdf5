// The face of identity.
export { makeAuthentication } from "./access/authentication.ts";
export { kinds, schedules } from "./jobs.ts";
export {
  delegatePermission,
  permissionsOfKey,
  permissionsOfRole,
  roles,
  type Role,
} from "./access/permissions.ts";
export {
  actorFor,
  createUser,
  emailKey,
  endSignIns,
  expectSameOrigin,
  expectPassword,
  recordUserEvent,
  toSignedIn,
  userOrThrow,
} from "./people.ts";
export { countMembers, listPrimaryOwners, listUnclaimed, peopleOf } from "./queries.ts";
export { updateProfile } from "./profile.ts";
export { rightsOfPerson, type Person, type Rights } from "./access/rights.ts";
export { formField, messageLine, plainPage, plainScript } from "./plain-page.ts";
export { limits as identityLimits } from "./limits.ts";
export { Email, emailPattern, NewPassword, PersonName, SignedIn } from "./schema.ts";
export { routes } from "./routes.ts";
export { expectOperator } from "./operator.ts";
export { createSetupLink } from "./setup.ts";
export { countedAttempt } from "./sign_in/attempts.ts";
export { expectProof, noteProof, proveByPassword, readTicket, spendOnce } from "./sign_in/proof.ts";
export { findLastSeen } from "./sign_in/queries.ts";
export { setSecondStep } from "./sign_in/queries-proof.ts";
export {
  completeSignIn,
  expectLocalSignIn,
  keepsLocalSignIn,
  readSecondStep,
} from "./sign_in/methods.ts";
