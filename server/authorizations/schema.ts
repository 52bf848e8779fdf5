// Shapes of authorizations.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../kernel/http/route.ts";
import type { ResourceScope, TokenScope } from "../tokens/module.ts";

/** The scopes that may be requested, in the words of the page. */
export const scopeDescriptions: Readonly<Record<TokenScope | ResourceScope, string>> = {
  "org:admin": "Administer the organization: members, workspaces, keys, service accounts, limits",
  "workspace:developer":
    "Use models, batches, files, memory and agents, and manage what belongs to them",
  "workspace:inference": "Ask models",
  mcp: "Use the tools of one workspace's MCP server as you could: ask models, run agents, read and change memory and files",
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
  client_id: Text(500),
  redirect_uri: Text(500),
  code_challenge: Text(200),
  code_challenge_method: Text(40),
  scope: Type.Optional(Type.String({ maxLength: 500 })),
  state: Type.Optional(Type.String({ maxLength: 1000 })),
  resource: Type.Optional(Type.String({ maxLength: 500 })),
  workspace_id: Type.Optional(Text(100)),
});
export type CodeAuthorizationRequest = Static<typeof CodeAuthorizationRequest>;

/** What a person reads before they decide. */
export const AuthorizationPrompt = Type.Object(
  {
    type: Type.Literal("authorization_prompt"),
    client: Type.String(),
    /** A program that registered itself may have taken any name. */
    is_verified: Type.Boolean(),
    /** Where the browser goes back to, in words; null where a device polls. */
    returns_to: Type.Union([Type.String(), Type.Null()]),
    scopes: Type.Array(Type.Object({ scope: Type.String(), means: Type.String() })),
    /** Requested scopes that the person may not grant. */
    refused: Type.Array(Type.String()),
    person: Type.String(),
    organization: Type.String(),
    workspace: Type.Union([Type.String(), Type.Null()]),
    /** The person has to choose one: this kind of access is to one alone. */
    needs_workspace: Type.Boolean(),
    address: Type.String(),
    user_agent: Type.String(),
    at: Type.String({ format: "date-time" }),
  },
  { $id: "AuthorizationAsked" },
);
export type AuthorizationPrompt = Static<typeof AuthorizationPrompt>;

/** What is wrong with what a program asks, where the browser may carry that back to it. */
export const AuthorizationProblem = Type.Object(
  {
    type: Type.Literal("authorization_problem"),
    client: Type.String(),
    message: Type.String(),
    returns_to: Type.String(),
    redirect_to: Type.String(),
  },
  { $id: "AuthorizationProblem" },
);
export type AuthorizationProblem = Static<typeof AuthorizationProblem>;

export const Decided = Type.Object({ decision: Type.Enum(["granted", "denied"]) });
export const Redirect = Type.Object({ redirect_to: Type.String() });

export const Revoke = closed({
  token: Text(300),
  token_type_hint: Type.Optional(Text(40)),
  client_id: Type.Optional(Text(500)),
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

const Named = Type.Object({ id: Type.String(), name: Type.String() });
const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** What programs may hold. */
export const programCredentials = [
  "api_key",
  "admin_key",
  "oauth_token",
  "environment_key",
  "session_token",
] as const;

export const Credential = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("credential"),
    kind: Type.Enum(programCredentials),
    name: Type.String(),
    organization: Type.Object({ id: Type.String(), type: Type.String(), name: Type.String() }),
    workspace: OrNull(Named),
    user: OrNull(Type.Object({ ...Named.properties, email: Type.String() })),
    service_account_id: OrNull(Type.String()),
    environment_id: OrNull(Type.String()),
    session_id: OrNull(Type.String()),
    scopes: Type.Array(Type.String()),
    permissions: Type.Array(Type.String()),
  },
  { $id: "Credential" },
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
