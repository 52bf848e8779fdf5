// The face of members. It stands below single sign-on and SCIM, which provision through it; of those it asks only
// server/identity_provider, for what the identity provider controls.
export { provisionUser, removeUser, setRole, type NewMember } from "./users/membership.ts";
export { lockMembership } from "./users/queries.ts";
export { kinds, schedules } from "./jobs.ts";
export { kind as mailJobKind, linkContext as mailLinkContext } from "./invites/mail.ts";
export { routes } from "./routes.ts";
export { membersSection } from "./settings.ts";
export { searchables } from "./found/queries.ts";
