// Shapes of the token endpoint.
import Type, { type Static } from "typebox";
import { limits } from "./limits.ts";

const Parameter = Type.Optional(Type.String({ maxLength: limits.parameterCharactersMax }));

/** Open: RFC 6749 says to ignore unknown parameters. The grant decides which of these are needed. */
export const TokenRequest = Type.Object({
  grant_type: Type.String({ minLength: 1, maxLength: 200 }),
  client_id: Parameter,
  refresh_token: Parameter,
  assertion: Parameter,
  federation_rule_id: Parameter,
  organization_id: Parameter,
  service_account_id: Parameter,
  workspace_id: Parameter,
  device_code: Parameter,
  code: Parameter,
  code_verifier: Parameter,
  redirect_uri: Parameter,
  resource: Parameter,
  scope: Parameter,
});
export type TokenRequest = Static<typeof TokenRequest>;

export const TokenReply = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal("Bearer"),
    expires_in: Type.Integer(),
    scope: Type.String(),
    refresh_token: Type.Optional(Type.String()),
  },
  { $id: "TokenReply" },
);

export const tokenScopes = ["org:admin", "workspace:developer", "workspace:inference"] as const;
export type TokenScope = (typeof tokenScopes)[number];

/** What a token may be bound to in place of the API, with the scopes that there are for it. */
export const resourceScopes = { mcp: ["mcp"] } as const;
export type TokenResource = keyof typeof resourceScopes;
export type ResourceScope = (typeof resourceScopes)[TokenResource][number];
