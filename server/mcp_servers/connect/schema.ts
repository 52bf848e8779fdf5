// Shapes of connecting an MCP server by OAuth.
import Type, { type Static, type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "../limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Id = Type.String({ minLength: 1, maxLength: 100 });
const Text = Type.String({ minLength: 1, maxLength: limits.clientTextCharactersMax });

export const ConnectMcpServer = closed({
  /** Where the token goes; the vault of the server where it is not named. */
  vault_id: Type.Optional(nullable(Id)),
  /** A client that was registered at the authorization server by hand, where it registers none itself. */
  client_id: Type.Optional(nullable(Text)),
  client_secret: Type.Optional(nullable(Text)),
});
export type ConnectMcpServer = Static<typeof ConnectMcpServer>;

export const McpConnection = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("mcp_connection"),
    mcp_server_id: Type.String(),
    vault_id: Type.String(),
    status: Type.Enum(["pending", "connected", "failed"]),
    /** A sentence, where it failed. */
    error: nullable(Type.String()),
    /** What the person opens in the browser; told once, as it begins. */
    authorization_url: nullable(Type.String()),
    /** The credential of the vault that holds the token. */
    credential_id: nullable(Type.String()),
    expires_at: Type.String({ format: "date-time" }),
  },
  { $id: "McpConnection" },
);
export type McpConnection = Static<typeof McpConnection>;

export const McpConnectionParams = closed({ mcp_server_id: Id, connection_id: Id });
export type McpConnectionParams = Static<typeof McpConnectionParams>;

const State = Type.String({ minLength: 1, maxLength: 200 });
export const ReadMcpConnection = closed({ state: State });
export const McpConnectionPrompt = Type.Object({
  type: Type.Literal("mcp_connection_prompt"),
  server: Type.String(),
  url: Type.String(),
  workspace: Type.String(),
  vault: Type.String(),
  /** A key began it: the person at the browser is asked first. */
  asks: Type.Boolean(),
});
export type McpConnectionPrompt = Static<typeof McpConnectionPrompt>;

const Word = Type.Optional(Type.String({ maxLength: limits.answerCharactersMax }));
export const AnswerMcpConnection = closed({
  state: State,
  code: Word,
  iss: Word,
  error: Word,
  error_description: Word,
});
export type AnswerMcpConnection = Static<typeof AnswerMcpConnection>;
export const McpConnectionAnswered = Type.Object({ type: Type.Literal("mcp_connection_answered") });

export const ClientDocument = Type.Object({
  client_id: Type.String(),
  client_name: Type.String(),
  client_uri: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Array(Type.String()),
  response_types: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.Literal("none"),
  application_type: Type.Literal("web"),
});
