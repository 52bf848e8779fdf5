// Shapes of single sign-on.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { worded } from "../../kernel/base/patterns.ts";
import { roles } from "../identity/module.ts";
import { limits } from "./limits.ts";

const Time = Type.String({ format: "date-time" });
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const Claim = Type.String({ minLength: 1, maxLength: 200 });
const Role = Type.Enum([...roles]);
const Url = Type.String({ minLength: 1, maxLength: 2_000 });
const Scope = Type.String({
  minLength: 1,
  maxLength: 200,
  ...worded(
    "^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$",
    "must have plain characters only, without blanks, quotes and backslashes",
  ),
});

export const RoleRule = closed({
  group: Type.String({ minLength: 1, maxLength: 300 }),
  role: Role,
});
export type RoleRule = Static<typeof RoleRule>;

const settings = {
  /** The provider's name: shown on the button and in refusals. */
  name: Type.String({ minLength: 1, maxLength: 200 }),
  issuer: Url,
  client_id: Type.String({ minLength: 1, maxLength: 1_000 }),
};

/** An absent field keeps its value, or has its default. */
export const SetConnection = closed({
  ...settings,
  client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4_000 })),
  scopes: Type.Optional(Type.Array(Scope, { maxItems: limits.scopesMax })),
  email_claim: Type.Optional(Claim),
  name_claim: Type.Optional(Claim),
  groups_claim: Type.Optional(Nullable(Claim)),
  trusts_emails: Type.Optional(Type.Boolean()),
  provisioning: Type.Optional(Type.Enum(["none", "jit"])),
  controls_roles: Type.Optional(Type.Boolean()),
  default_role: Type.Optional(Role),
  role_rules: Type.Optional(Type.Array(RoleRule, { maxItems: limits.roleRulesMax })),
});
export type SetConnection = Static<typeof SetConnection>;

/** The last test's finding: a sentence for a failed one, the person that the provider sent for a good one. */
export const TestReport = Type.Object({
  passed: Type.Boolean(),
  message: Type.String(),
  email: Nullable(Type.String()),
  email_verified: Nullable(Type.Boolean()),
  name: Nullable(Type.String()),
  groups: Nullable(Type.Array(Type.String())),
  role: Nullable(Type.String()),
});
export type TestReport = Static<typeof TestReport>;

export const Connection = Type.Object(
  {
    type: Type.Literal("sign_on_connection"),
    ...settings,
    scopes: Type.Array(Type.String()),
    email_claim: Type.String(),
    name_claim: Type.String(),
    groups_claim: Nullable(Type.String()),
    trusts_emails: Type.Boolean(),
    provisioning: Type.Enum(["none", "jit", "scim"]),
    controls_roles: Type.Boolean(),
    default_role: Type.String(),
    role_rules: Type.Array(RoleRule),
    enabled: Type.Boolean(),
    required: Type.Boolean(),
    tested_at: Nullable(Time),
    test: Nullable(TestReport),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "SignOnConnection" },
);
export type Connection = Static<typeof Connection>;

export const SingleSignOn = Type.Object({
  connection: Nullable(Connection),
  /** The values to enter at the provider. */
  redirect_uri: Type.String(),
  /** The organization's own sign-in address. */
  sign_in_url: Type.String(),
  /** Roles that rules may give here, and roles for people who match none. */
  roles: Type.Array(Type.String()),
  default_roles: Type.Array(Type.String()),
});

export const TestStarted = Type.Object({ url: Type.String() });
export const SwitchSingleSignOn = closed({
  enabled: Type.Optional(Type.Boolean()),
  required: Type.Optional(Type.Boolean()),
});
export type SwitchSingleSignOn = Static<typeof SwitchSingleSignOn>;

export const FindConnection = closed({
  email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
  organization_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type FindConnection = Static<typeof FindConnection>;
export const FoundConnection = Type.Object({
  organization_id: Type.String(),
  organization_name: Type.String(),
  provider: Type.String(),
  required: Type.Boolean(),
  url: Type.String(),
});

const OrganizationId = Type.String({ minLength: 1, maxLength: 100 });
export const StartQuery = closed({
  organization_id: OrganizationId,
  next: Type.Optional(Type.String({ maxLength: 2_000 })),
});
export type StartQuery = Static<typeof StartQuery>;
export const CallbackParams = closed({ organization_id: OrganizationId });
const Sent = Type.Optional(Type.String({ maxLength: 8_000 }));
/** Open: providers add parameters of their own, which the protocol says to ignore. */
export const CallbackQuery = Type.Object(
  { code: Sent, state: Sent, iss: Sent, error: Sent, error_description: Sent },
  { additionalProperties: true },
);

const Person = Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() });
export const SignInMethods = Type.Object({
  /** How people signed in last, newest first. */
  recent: Type.Array(
    Type.Object({ user: Person, role: Type.String(), method: Type.String(), at: Time }),
  ),
  break_glass: Type.Array(
    Type.Object({
      user: Person,
      role: Type.String(),
      marked: Type.Boolean(),
      has_password: Type.Boolean(),
      passkeys: Type.Integer(),
      last_signed_in_at: Nullable(Time),
      last_signed_in_by: Nullable(Type.String()),
      last_break_glass_at: Nullable(Time),
    }),
  ),
  /** Counted up to a thousand. */
  people_with_passkeys: Type.Integer(),
  domains: Type.Array(Type.Object({ domain: Type.String(), verified: Type.Boolean() })),
});

export const Stranger = Type.Object({
  id: Type.String(),
  type: Type.Literal("sign_on_stranger"),
  subject: Type.String(),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  reason: Type.String(),
  seen_at: Time,
});
export const Strangers = Type.Object({ data: Type.Array(Stranger) });
export const UserId = Type.String({ minLength: 1, maxLength: 100 });
/** The member is named as an owner knows them. */
export const LinkStranger = closed({
  stranger_id: UserId,
  email: Type.String({ minLength: 3, maxLength: 254 }),
});
export type LinkStranger = Static<typeof LinkStranger>;
export const Linked = Type.Object({
  id: Type.String(),
  type: Type.Literal("sign_on_identity"),
  user_id: Type.String(),
});
export const UserParams = closed({ user_id: UserId });
export const Unlinked = Type.Object({
  id: Type.String(),
  type: Type.Literal("sign_on_identity_deleted"),
});
export const BreakGlass = closed({ break_glass: Type.Boolean() });
export const BreakGlassSet = Type.Object({
  id: Type.String(),
  type: Type.Literal("user"),
  break_glass: Type.Boolean(),
});
export const SetupLink = Type.Object({ url: Type.String(), expires_at: Time });
