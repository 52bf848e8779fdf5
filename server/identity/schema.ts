// Shapes of people, sign-ins and set-up links.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { OrganizationName } from "../organizations/module.ts";
import { UsableWorkspace } from "../workspaces/module.ts";
import { limits } from "./limits.ts";

/** No blanks, and nothing invisible: a person who gives no name is called by its first half. */
const unseen =
  "\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff";
const label = `[^@.${unseen}]+`;
/** Only this machine gets mail under a domain of one label: `ada@example` is a typing error. */
export const emailPattern = `^[^@${unseen}]+@(?:localhost|${label}(?:\\.${label})+)$`;
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  ...worded(emailPattern, "must be an e-mail address such as ada@example.com"),
});
export const NewPassword = Type.String({
  minLength: limits.passwordCharactersMin,
  maxLength: limits.passwordCharactersMax,
});
const AnyPassword = Type.String({ minLength: 1, maxLength: limits.passwordCharactersMax });
export const PersonName = Type.String({ minLength: 1, maxLength: limits.personNameCharactersMax });

export const Setup = closed({
  token: Type.String({ minLength: 1, maxLength: 200 }),
  email: Type.Optional(Email),
  password: NewPassword,
  name: Type.Optional(PersonName),
  organization_name: Type.Optional(OrganizationName),
});
export type Setup = Static<typeof Setup>;

/** The purpose of a set-up link, so that the page can ask for the right things. */
export const SetupToken = closed({ token: Type.String({ minLength: 1, maxLength: 200 }) });
export const SetupState = Type.Object({
  organization_name: Type.String(),
  email: Type.Union([Type.String(), Type.Null()]),
});

/** The ways to sign in. */
export const methods = [
  "password",
  "password_and_passkey",
  "passkey",
  "single_sign_on",
  "setup_link",
] as const;
export type Method = (typeof methods)[number];

export const SignIn = closed({
  email: Email,
  password: AnyPassword,
  organization_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type SignIn = Static<typeof SignIn>;

const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: Type.String(),
});
const OrganizationOfUser = Type.Object({
  id: Type.String(),
  type: Type.Enum(["platform", "enterprise", "platform_cloud"]),
  name: Type.String(),
});

export const SignedIn = Type.Object({ user: User, organization: OrganizationOfUser });
export type SignedIn = Static<typeof SignedIn>;

export const Me = Type.Object({
  user: User,
  organization: OrganizationOfUser,
  /** The workspaces that the person may work in. */
  workspaces: Type.Array(UsableWorkspace),
  permissions: Type.Array(Type.String()),
});

export const ChangePassword = closed({ current_password: AnyPassword, new_password: NewPassword });
export type ChangePassword = Static<typeof ChangePassword>;

export const SignInRecord = Type.Object({
  id: Type.String(),
  type: Type.Literal("sign_in"),
  created_at: Type.String({ format: "date-time" }),
  last_seen_at: Type.String({ format: "date-time" }),
  address: Type.String(),
  user_agent: Type.String(),
  method: Type.Enum([...methods]),
  current: Type.Boolean(),
});
export const SignInRecords = Type.Object({ data: Type.Array(SignInRecord) });
export const SignInParams = closed({ sign_in_id: Type.String({ minLength: 1, maxLength: 100 }) });
export const SignInDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("sign_in_deleted"),
});
export const SignedOut = Type.Object({ signed_out: Type.Integer() });
