// Shapes of authorizations.
import Type, { type Static } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import type { TokenScope } from "../tokens/module.ts";

/** The programs that may ask. They have no secrets. */
export const clients: Readonly<Record<string, { name: string }>> = {
  "plinth-cli": { name: "The plinth command line" },
};

/** The scopes that may be requested, in the words of the page. */
export const scopeDescriptions: Readonly<Record<TokenScope, string>> = {
  "org:admin": "Administer the organization: members, workspaces, keys, service accounts, limits",
  "workspace:developer":
    "Use models, batches, files, memory and agents, and manage what belongs to them",
  "workspace:inference": "Ask models",
};

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });

export const DeviceAuthorizationRequest = closed({
  client_id: Text(100),
  scope: Type.Optional(Type.String({ maxLength: 500 })),
  workspace_id: Type.Optional(Text(100)),
});
export type DeviceAuthorizationRequest = Static<typeof DeviceAuthorizationRequest>;

export const DeviceAuthorizationReply = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String(),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String(),
    expires_in: Type.Integer(),
    interval: Type.Integer(),
  },
  { $id: "DeviceAsked" },
);

export const UserCode = closed({ user_code: Text(40) });
export type UserCode = Static<typeof UserCode>;

/** As written in the address that a program opens the browser with. */
export const CodeAuthorizationRequest = closed({
  response_type: Text(40),
  client_id: Text(100),
  redirect_uri: Text(500),
  code_challenge: Text(200),
  code_challenge_method: Text(40),
  scope: Type.Optional(Type.String({ maxLength: 500 })),
  state: Type.Optional(Type.String({ maxLength: 500 })),
  workspace_id: Type.Optional(Text(100)),
});
export type CodeAuthorizationRequest = Static<typeof CodeAuthorizationRequest>;

/** What a person reads before they decide. */
export const AuthorizationPrompt = Type.Object(
  {
    client: Type.String(),
    scopes: Type.Array(Type.Object({ scope: Type.String(), means: Type.String() })),
    /** Requested scopes that the person may not grant. */
    refused: Type.Array(Type.String()),
    person: Type.String(),
    organization: Type.String(),
    workspace: Type.Union([Type.String(), Type.Null()]),
    address: Type.String(),
    user_agent: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  { $id: "AuthorizationAsked" },
);
export type AuthorizationPrompt = Static<typeof AuthorizationPrompt>;

export const Decided = Type.Object({ decision: Type.Enum(["granted", "denied"]) });
export const Redirect = Type.Object({ redirect_to: Type.String() });

export const Revoke = closed({
  token: Text(300),
  token_type_hint: Type.Optional(Text(40)),
  client_id: Type.Optional(Text(100)),
});
export type Revoke = Static<typeof Revoke>;
/** RFC 7009 wants 200, and says nothing of the body. */
export const Revoked = Type.Object({});

export const UserInfo = Type.Object(
  {
    sub: Type.String(),
    name: Type.String(),
    email: Type.Union([Type.String(), Type.Null()]),
    organization: Type.Object({ id: Type.String(), type: Type.String(), name: Type.String() }),
    workspace_id: Type.Union([Type.String(), Type.Null()]),
    scope: Type.String(),
  },
  { $id: "UserInfo" },
);

export const Metadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    device_authorization_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(Type.String()),
  },
  { $id: "OauthMetadata" },
);

export const ProgramSignIn = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("program_sign_in"),
    client: Type.String(),
    scopes: Type.Array(Type.String()),
    workspace_id: Type.Union([Type.String(), Type.Null()]),
    created_at: Type.String({ format: "date-time" }),
    last_used_at: Type.String({ format: "date-time" }),
    address: Type.String(),
    user_agent: Type.String(),
  },
  { $id: "ProgramSignIn" },
);
export const ProgramSignIns = Type.Object({ data: Type.Array(ProgramSignIn) });
export const ProgramSignInParams = closed({ program_sign_in_id: Text(100) });
export const ProgramSignInDeleted = Type.Object({
  id: Type.String(),
  type: Type.Literal("program_sign_in_deleted"),
});
