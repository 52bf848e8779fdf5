// Shapes of issuers and rules.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";
import { audited, Description, Id, NullableString, orNull, Slug } from "./accounts/schema.ts";

const Url = Type.String({ minLength: 1, maxLength: limits.urlCharactersMax });
const Pem = Type.String({ minLength: 1, maxLength: limits.caCertificateCharactersMax });

const Discovery = closed({
  type: Type.Literal("discovery"),
  discovery_base: orNull(Url),
  ca_cert_pem: orNull(Pem),
});
const ExplicitUrl = closed({
  type: Type.Literal("explicit_url"),
  url: Url,
  ca_cert_pem: orNull(Pem),
});
const Inline = closed({
  type: Type.Literal("inline"),
  keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    minItems: 1,
    maxItems: limits.keysMax,
  }),
});
const KeySource = Type.Union([Discovery, ExplicitUrl, Inline]);
export type KeySource = Static<typeof KeySource>;

const Lifetime = Type.Integer({ minimum: 1, maximum: limits.jwtLifetimeSecondsMax });

export const Issuer = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("federation_issuer"),
    name: Type.String(),
    issuer_url: Type.String(),
    jwks: Type.Union([
      Type.Object({
        type: Type.Literal("discovery"),
        discovery_base: NullableString,
        ca_cert_pem: NullableString,
      }),
      Type.Object({
        type: Type.Literal("explicit_url"),
        url: Type.String(),
        ca_cert_pem: NullableString,
      }),
      Inline,
    ]),
    check_jti: Type.Boolean(),
    max_jwt_lifetime_seconds: Type.Integer(),
    jwks_polling_disabled_at: NullableString,
    poll_status: Type.Union([
      Type.Object({
        consecutive_failures: Type.Integer(),
        last_fetched_at: NullableString,
        next_poll_at: NullableString,
        /** Plinth's own field: why the last fetch failed. */
        last_failure: NullableString,
      }),
      Type.Null(),
    ]),
    ...audited,
  },
  { $id: "FederationIssuer" },
);
export type Issuer = Static<typeof Issuer>;
export const IssuerPage = cursorPage(Issuer);
export const IssuerParams = closed({ federation_issuer_id: Id });
export const CreateIssuer = closed({
  name: Slug,
  issuer_url: Url,
  jwks: Type.Optional(KeySource),
  check_jti: orNull(Type.Boolean()),
  max_jwt_lifetime_seconds: orNull(Lifetime),
});
export type CreateIssuer = Static<typeof CreateIssuer>;
export const UpdateIssuer = closed({
  name: orNull(Slug),
  issuer_url: orNull(Url),
  jwks: orNull(KeySource),
  check_jti: orNull(Type.Boolean()),
  max_jwt_lifetime_seconds: orNull(Lifetime),
  jwks_polling_disabled: orNull(Type.Boolean()),
});
export type UpdateIssuer = Static<typeof UpdateIssuer>;

const Claim = Type.String({ minLength: 1, maxLength: limits.claimCharactersMax });

const Match = closed({
  subject_prefix: orNull(Claim),
  claims: orNull(Type.Record(Type.String(), Claim, { maxProperties: limits.claimsMax })),
  condition: orNull(Type.String({ minLength: 1, maxLength: limits.conditionCharactersMax })),
  audience: orNull(Claim),
});
export type Match = Static<typeof Match>;

const Target = closed({
  type: Type.Literal("service_account"),
  service_account_id: Id,
  /** Fields of a reply that a client sends back: ignored. */
  service_account_name: orNull(Type.String({ maxLength: 200 })),
});
const TokenLifetime = Type.Integer({
  minimum: limits.tokenLifetimeSecondsMin,
  maximum: limits.tokenLifetimeSecondsMax,
});
const Scopes = Type.String({ minLength: 1, maxLength: 200 });
/** From the beta's shape: must be empty so far. */
const Attributes = orNull(Type.Record(Type.String(), Type.String()));

export const Rule = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("federation_rule"),
    name: Type.String(),
    description: NullableString,
    issuer_id: Type.String(),
    issuer_name: NullableString,
    match: Type.Object({
      subject_prefix: NullableString,
      claims: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()]),
      condition: NullableString,
      audience: NullableString,
    }),
    target: Type.Object({
      type: Type.Literal("service_account"),
      service_account_id: Type.String(),
      service_account_name: NullableString,
    }),
    oauth_scope: Type.String(),
    token_lifetime_seconds: Type.Integer(),
    applies_to_all_workspaces: Type.Boolean(),
    workspace_ids: Type.Array(Type.String()),
    workspace_id: NullableString,
    attributes: Type.Null(),
    ...audited,
  },
  { $id: "FederationRule" },
);
export type Rule = Static<typeof Rule>;
export const RulePage = cursorPage(Rule);
export const RuleParams = closed({ federation_rule_id: Id });
export const RuleQuery = closed({
  ...cursorQuery,
  include_archived: Type.Optional(Type.Boolean()),
  issuer_id: Type.Optional(Id),
});
export type RuleQuery = Static<typeof RuleQuery>;

export const CreateRule = closed({
  name: Slug,
  issuer_id: Id,
  match: Match,
  target: Target,
  oauth_scope: Scopes,
  workspace_id: orNull(Id),
  applies_to_all_workspaces: Type.Optional(Type.Boolean()),
  description: orNull(Description),
  token_lifetime_seconds: Type.Optional(TokenLifetime),
  attributes: Attributes,
});
export type CreateRule = Static<typeof CreateRule>;
export const UpdateRule = closed({
  name: orNull(Slug),
  match: orNull(Match),
  target: orNull(Target),
  oauth_scope: orNull(Scopes),
  workspace_id: orNull(Id),
  applies_to_all_workspaces: orNull(Type.Boolean()),
  description: orNull(Description),
  token_lifetime_seconds: orNull(TokenLifetime),
  attributes: Attributes,
});
export type UpdateRule = Static<typeof UpdateRule>;

export const RuleWorkspace = Type.Object(
  {
    type: Type.Literal("federation_rule_workspace"),
    federation_rule_id: Type.String(),
    workspace_id: Type.String(),
    workspace_name: NullableString,
    created_at: Type.String({ format: "date-time" }),
    created_by_actor_id: NullableString,
  },
  { $id: "FederationRuleWorkspace" },
);
export type RuleWorkspace = Static<typeof RuleWorkspace>;
export const RuleWorkspacePage = cursorPage(RuleWorkspace);
export const AddWorkspace = closed({ workspace_id: Id });
export const RuleWorkspaceParams = closed({ federation_rule_id: Id, workspace_id: Id });
export const DeletedRuleWorkspace = Type.Object(
  {
    type: Type.Literal("federation_rule_workspace_deleted"),
    federation_rule_id: Type.String(),
    workspace_id: Type.String(),
  },
  { $id: "DeletedFederationRuleWorkspace" },
);
