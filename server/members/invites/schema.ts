// Shapes of invites: over the API, in the console, and on the page that accepts one.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery, idPage, idQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { Email, NewPassword, PersonName } from "../../identity/module.ts";
import { wireRoles } from "../users/roles.ts";
import { limits } from "../limits.ts";
import { EmailFilter, Id, nullable, Role, When } from "../schema.ts";

const facts = {
  id: Type.String(),
  type: Type.Literal("invite"),
  email: Type.String(),
  role: Role,
  status: Type.Enum(["pending", "accepted", "expired", "deleted", "withdrawn"]),
  invited_at: When,
  expires_at: When,
  accepted_at: nullable(When),
  rbac_group_ids: Type.Array(Type.String()),
};

export const Invite = Type.Object(facts, { $id: "Invite" });
export type Invite = Static<typeof Invite>;

export const InviteParams = closed({ invite_id: Id });
const filters = {
  email: Type.Optional(EmailFilter),
  roles: Type.Optional(Type.Array(Role, { maxItems: wireRoles.length })),
  statuses: Type.Optional(Type.Array(Type.Enum(["pending", "accepted", "expired"]))),
};
export const InviteQuery = closed({ ...idQuery, ...filters });
export type InviteQuery = Static<typeof InviteQuery>;
export const InvitePage = idPage(Invite);

export const CreateInvite = closed({
  email: Email,
  role: Role,
  rbac_group_ids: Type.Optional(Type.Array(Id, { maxItems: limits.groupsPerInviteMax })),
});
export type CreateInvite = Static<typeof CreateInvite>;
export const InviteDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("invite_deleted"),
});

export const ConsoleInvite = Type.Object(
  {
    ...facts,
    invited_by_name: nullable(Type.String()),
    /** The link was shown in the console, or sent by mail. */
    has_link: Type.Boolean(),
    mail: nullable(
      Type.Object({
        status: Type.Enum(["waiting", "sent", "failed"]),
        error: nullable(Type.String()),
        at: When,
      }),
    ),
  },
  { $id: "ConsoleInvite" },
);
export type ConsoleInvite = Static<typeof ConsoleInvite>;
export const ConsoleInviteQuery = closed({ ...cursorQuery, ...filters });
export type ConsoleInviteQuery = Static<typeof ConsoleInviteQuery>;
export const ConsoleInvitePage = cursorPage(ConsoleInvite);
/** The link is shown once; a new link ends the one before. */
export const InviteWithLink = Type.Object({ invite: ConsoleInvite, link: Type.String() });

export const InviteToken = closed({ token: Type.String({ minLength: 1, maxLength: 200 }) });
export const InviteFor = Type.Object({
  organization_name: Type.String(),
  email: Type.String(),
  role: Role,
  invited_by_name: nullable(Type.String()),
  expires_at: When,
});
export const AcceptInvite = closed({
  token: Type.String({ minLength: 1, maxLength: 200 }),
  name: PersonName,
  password: NewPassword,
});
export type AcceptInvite = Static<typeof AcceptInvite>;
