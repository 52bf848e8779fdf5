// Shapes of what clients read before they ask, and of their registration.
import Type, { type Static } from "typebox";
import { limits } from "../limits.ts";

export const Metadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    registration_endpoint: Type.String(),
    device_authorization_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    authorization_response_iss_parameter_supported: Type.Boolean(),
    client_id_metadata_document_supported: Type.Boolean(),
    scopes_supported: Type.Array(Type.String()),
  },
  { $id: "OauthMetadata" },
);

const Words = Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 }));

/** Open: RFC 7591 says to ignore unknown metadata. */
export const RegistrationRequest = Type.Object({
  redirect_uris: Type.Array(Type.String({ maxLength: limits.redirectUriCharactersMax }), {
    maxItems: limits.redirectUrisMax,
  }),
  application_type: Type.Optional(Type.Enum(["native", "web"])),
  client_name: Type.Optional(Type.String({ maxLength: 1000 })),
  grant_types: Words,
  response_types: Words,
  token_endpoint_auth_method: Type.Optional(Type.String({ maxLength: 100 })),
});
export type RegistrationRequest = Static<typeof RegistrationRequest>;

export const Registered = Type.Object(
  {
    client_id: Type.String(),
    client_id_issued_at: Type.Integer(),
    client_name: Type.String(),
    application_type: Type.Enum(["native", "web"]),
    redirect_uris: Type.Array(Type.String()),
    grant_types: Type.Array(Type.String()),
    response_types: Type.Array(Type.String()),
    token_endpoint_auth_method: Type.Literal("none"),
    scope: Type.String(),
  },
  { $id: "RegisteredClient" },
);

export const ProtectedResource = Type.Object(
  {
    resource: Type.String(),
    authorization_servers: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
    bearer_methods_supported: Type.Array(Type.String()),
    resource_name: Type.String(),
  },
  { $id: "ProtectedResource" },
);
