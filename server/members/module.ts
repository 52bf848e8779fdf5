// The face of members. It stands below single sign-on and SCIM, which provision through it; only what the
// identity provider controls is asked of server/sign_on.
export { provisionUser, removeUser, setRole, type NewMember } from "./users/membership.ts";
export { lockMembership } from "./users/queries.ts";
export { kinds, schedules } from "./jobs.ts";
export { routes } from "./routes.ts";
export { membersSection, mailSection, readMailSettings } from "./settings.ts";
