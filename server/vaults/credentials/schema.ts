// Shapes of credentials: what is said of them, which holds secrets, and what is shown, which holds none.
import Type, { type Static } from "typebox";
import { cursorPage } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { toldFields } from "../../../kernel/http/input/told-fields.ts";
import { limits } from "../limits.ts";
import { Id, Metadata, MetadataPatch, Name, Time, nullable, optional } from "../schema.ts";

const Secret = Type.String({ minLength: 1, maxLength: limits.secretCharactersMax });
const Url = Type.String({ minLength: 1, maxLength: limits.urlCharactersMax });
const ClientId = Type.String({ minLength: 1, maxLength: limits.clientIdCharactersMax });
const Scope = Type.String({ maxLength: limits.scopeCharactersMax });
const SecretName = Type.String({ minLength: 1, maxLength: limits.secretNameCharactersMax });

const Networking = Type.Union([
  closed({ type: Type.Literal("unrestricted") }),
  closed({
    type: Type.Literal("limited"),
    allowed_hosts: Type.Array(Type.String(), { maxItems: limits.allowedHostsMax }),
  }),
]);
export type Networking = Static<typeof Networking>;
const InjectionLocation = closed({
  header: Type.Optional(Type.Boolean()),
  body: Type.Optional(Type.Boolean()),
});

const endpointAuthTypes = ["none", "client_secret_basic", "client_secret_post"] as const;
const withSecret = <const T extends string>(type: T) =>
  closed({ type: Type.Literal(type), client_secret: Secret });
const withOptionalSecret = <const T extends string>(type: T) =>
  closed({ type: Type.Literal(type), client_secret: optional(Secret) });

const CreateAuth = Type.Union([
  closed({ type: Type.Literal("static_bearer"), token: Secret, mcp_server_url: Url }),
  closed({
    type: Type.Literal("mcp_oauth"),
    access_token: Secret,
    mcp_server_url: Url,
    expires_at: optional(Time),
    refresh: optional(
      closed({
        client_id: ClientId,
        refresh_token: Secret,
        token_endpoint: Url,
        token_endpoint_auth: Type.Union([
          closed({ type: Type.Literal("none") }),
          withSecret("client_secret_basic"),
          withSecret("client_secret_post"),
        ]),
        resource: optional(Url),
        scope: optional(Scope),
      }),
    ),
  }),
  closed({
    type: Type.Literal("environment_variable"),
    secret_name: SecretName,
    secret_value: Secret,
    networking: Networking,
    injection_location: optional(InjectionLocation),
  }),
]);
export type CreateAuth = Static<typeof CreateAuth>;
export type AuthOf<T extends CreateAuth["type"]> = Extract<CreateAuth, { type: T }>;

/** What never changes may be sent back as it was read. */
const UpdateAuth = Type.Union([
  closed({
    type: Type.Literal("static_bearer"),
    token: optional(Secret),
    mcp_server_url: Type.Optional(Url),
  }),
  closed({
    type: Type.Literal("mcp_oauth"),
    access_token: optional(Secret),
    mcp_server_url: Type.Optional(Url),
    /** Null takes it away. */
    expires_at: optional(Time),
    refresh: optional(
      closed({
        client_id: Type.Optional(ClientId),
        refresh_token: optional(Secret),
        token_endpoint: Type.Optional(Url),
        token_endpoint_auth: optional(
          Type.Union([
            closed({ type: Type.Literal("none") }),
            withOptionalSecret("client_secret_basic"),
            withOptionalSecret("client_secret_post"),
          ]),
        ),
        resource: optional(Url),
        /** An empty text takes it away. */
        scope: optional(Scope),
      }),
    ),
  }),
  closed({
    type: Type.Literal("environment_variable"),
    secret_name: Type.Optional(SecretName),
    secret_value: optional(Secret),
    networking: optional(Networking),
    injection_location: optional(InjectionLocation),
  }),
]);
export type UpdateAuth = Static<typeof UpdateAuth>;
export type ChangeOf<T extends UpdateAuth["type"]> = Extract<UpdateAuth, { type: T }>;

const ShownRefresh = Type.Object({
  client_id: Type.String(),
  token_endpoint: Type.String(),
  token_endpoint_auth: Type.Object({ type: Type.Enum(endpointAuthTypes) }),
  resource: nullable(Type.String()),
  scope: nullable(Type.String()),
});
export type ShownRefresh = Static<typeof ShownRefresh>;
const ShownAuth = Type.Union([
  Type.Object({ type: Type.Literal("static_bearer"), mcp_server_url: Type.String() }),
  Type.Object({
    type: Type.Literal("mcp_oauth"),
    mcp_server_url: Type.String(),
    expires_at: nullable(Time),
    refresh: nullable(ShownRefresh),
  }),
  Type.Object({
    type: Type.Literal("environment_variable"),
    secret_name: Type.String(),
    networking: Type.Union([
      Type.Object({ type: Type.Literal("unrestricted") }),
      Type.Object({ type: Type.Literal("limited"), allowed_hosts: Type.Array(Type.String()) }),
    ]),
    injection_location: Type.Object({ header: Type.Boolean(), body: Type.Boolean() }),
  }),
]);
export type ShownAuth = Static<typeof ShownAuth>;
export type ShownOf<T extends ShownAuth["type"]> = Extract<ShownAuth, { type: T }>;

export const Credential = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("vault_credential"),
    vault_id: Type.String(),
    auth: ShownAuth,
    display_name: nullable(Type.String()),
    metadata: Type.Record(Type.String(), Type.String()),
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "VaultCredential" },
);
export type Credential = Static<typeof Credential>;
export const CredentialPage = cursorPage(Credential);

export const CreateCredential = closed({
  auth: CreateAuth,
  display_name: optional(Name),
  metadata: optional(Metadata),
});
export type CreateCredential = Static<typeof CreateCredential>;

export const UpdateCredential = closed({
  ...toldFields("vault_credential"),
  vault_id: Type.Optional(Id),
  auth: optional(UpdateAuth),
  /** Null takes it away. */
  display_name: optional(Name),
  metadata: optional(MetadataPatch),
});
export type UpdateCredential = Static<typeof UpdateCredential>;

export const CredentialParams = closed({ vault_id: Id, credential_id: Id });
export type CredentialParams = Static<typeof CredentialParams>;
export const DeletedCredential = Type.Object(
  { id: Type.String(), type: Type.Literal("vault_credential_deleted") },
  { $id: "DeletedVaultCredential" },
);

const HttpResponse = Type.Object({
  status_code: Type.Integer(),
  content_type: Type.String(),
  body: Type.String(),
  body_truncated: Type.Boolean(),
});
export type HttpResponse = Static<typeof HttpResponse>;
const RefreshOutcome = Type.Object({
  status: Type.Enum(["succeeded", "failed", "connect_error", "no_refresh_token"]),
  http_response: nullable(HttpResponse),
});
export type RefreshOutcome = Static<typeof RefreshOutcome>;
export const CredentialValidation = Type.Object(
  {
    type: Type.Literal("vault_credential_validation"),
    credential_id: Type.String(),
    vault_id: Type.String(),
    status: Type.Enum(["valid", "invalid", "unknown"]),
    validated_at: Time,
    has_refresh_token: Type.Boolean(),
    /** Null where the probe succeeded. */
    mcp_probe: nullable(
      Type.Object({ method: Type.String(), http_response: nullable(HttpResponse) }),
    ),
    /** Null where none was attempted. */
    refresh: nullable(RefreshOutcome),
  },
  { $id: "VaultCredentialValidation" },
);
export type CredentialValidation = Static<typeof CredentialValidation>;
