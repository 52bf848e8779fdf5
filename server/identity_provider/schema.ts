// Shapes of an organization's identity provider and its e-mail domains.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Provisioning = Type.Union([Type.Literal("none"), Type.Literal("jit"), Type.Literal("scim")]);

const fields = {
  name: nullable(Type.String()),
  provisioning: Provisioning,
  controls_roles: Type.Boolean(),
  controls_groups: Type.Boolean(),
  default_role: Type.String(),
  invites_own_domains: Type.Boolean(),
};

export const IdentityProvider = Type.Object(
  {
    type: Type.Literal("identity_provider"),
    ...fields,
    /** Roles for people who join by the provider. */
    default_roles: Type.Array(Type.String()),
    /** The parts that this organization's type has. */
    has_groups: Type.Boolean(),
  },
  { $id: "IdentityProvider" },
);
export type IdentityProvider = Static<typeof IdentityProvider>;

export const UpdateIdentityProvider = closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: limits.providerNameCharactersMax })),
  provisioning: Type.Optional(Provisioning),
  controls_roles: Type.Optional(Type.Boolean()),
  controls_groups: Type.Optional(Type.Boolean()),
  default_role: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  invites_own_domains: Type.Optional(Type.Boolean()),
});
export type UpdateIdentityProvider = Static<typeof UpdateIdentityProvider>;

export const EmailDomain = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("email_domain"),
    domain: Type.String(),
    status: Type.Union([Type.Literal("pending"), Type.Literal("verified")]),
    verified_by: nullable(Type.Union([Type.Literal("dns"), Type.Literal("operator")])),
    /** Where the TXT record belongs, and its text. */
    record_name: Type.String(),
    record_value: Type.String(),
    created_at: Type.String({ format: "date-time" }),
    checked_at: nullable(Type.String({ format: "date-time" })),
    verified_at: nullable(Type.String({ format: "date-time" })),
  },
  { $id: "EmailDomain" },
);
export type EmailDomain = Static<typeof EmailDomain>;

export const EmailDomains = Type.Object({ data: Type.Array(EmailDomain) });

export const ClaimDomain = closed({
  domain: Type.String({ minLength: 3, maxLength: limits.domainCharactersMax }),
});

export const DomainParams = Type.Object({ email_domain_id: Type.String() });

export const DomainDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("email_domain_deleted"),
});
