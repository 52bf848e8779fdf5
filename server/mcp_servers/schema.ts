// Shapes of the MCP servers of a workspace, of what one shows when it is asked, and of a call of a tool.
import Type, { type Static, type TSchema } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { toldFields } from "../../kernel/http/input/told-fields.ts";
import { closed } from "../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 100 });

/** What a server said it was. */
const ServerVersion = Type.Object({
  name: Type.String(),
  version: Type.String(),
  /** The revision of the protocol that was spoken. */
  revision: Type.String(),
  first_seen_at: Time,
  last_seen_at: Time,
});
export type ServerVersion = Static<typeof ServerVersion>;

export const McpServer = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("mcp_server"),
    name: Type.String(),
    url: Type.String(),
    description: nullable(Type.String()),
    /** Its credential for the address of the server is used. */
    vault_id: nullable(Type.String()),
    health: Type.Object({
      status: Type.Enum(["unknown", "connected", "failed"]),
      last_asked_at: nullable(Time),
      last_connected_at: nullable(Time),
      last_error: nullable(Type.String()),
    }),
    /** How many it had when it was asked last. */
    tools_count: nullable(Type.Integer()),
    /** The one that was seen last comes first. */
    versions: Type.Array(ServerVersion),
    created_at: Time,
    updated_at: Time,
  },
  { $id: "McpServer" },
);
export type McpServer = Static<typeof McpServer>;
export const McpServerPage = cursorPage(McpServer);

const Name = Type.String({ minLength: 1 });
const Url = Type.String({ minLength: 1, maxLength: limits.urlCharactersMax });
const Description = Type.String({ maxLength: limits.descriptionCharactersMax });

export const CreateMcpServer = closed({
  name: Name,
  url: Url,
  description: optional(Description),
  vault_id: optional(Id),
});
export type CreateMcpServer = Static<typeof CreateMcpServer>;

export const UpdateMcpServer = closed({
  ...toldFields("mcp_server"),
  name: optional(Name),
  url: optional(Url),
  /** Null takes it away. */
  description: optional(Description),
  /** Null takes it away. */
  vault_id: optional(Id),
});
export type UpdateMcpServer = Static<typeof UpdateMcpServer>;

export const McpServerParams = closed({ mcp_server_id: Id });
export const McpServerQuery = closed(cursorQuery);
export type McpServerQuery = Static<typeof McpServerQuery>;
export const DeletedMcpServer = Type.Object(
  { id: Type.String(), type: Type.Literal("mcp_server_deleted") },
  { $id: "DeletedMcpServer" },
);

const Status = Type.Enum(["connected", "unauthorized", "failed"]);
const AnyObject = Type.Record(Type.String(), Type.Unknown());

export const McpServerTools = Type.Object(
  {
    type: Type.Literal("mcp_server_tools"),
    mcp_server_id: Type.String(),
    status: Status,
    /** A sentence, where it did not answer as it should. */
    error: nullable(Type.String()),
    server: nullable(
      Type.Object({ name: Type.String(), version: Type.String(), revision: Type.String() }),
    ),
    /** From the first request to the last answer. */
    latency_ms: Type.Integer(),
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        input_schema: AnyObject,
        /** It says that it changes nothing. */
        is_reading: Type.Boolean(),
        /** Of the page on which what it answers is shown (Apps). */
        page_uri: nullable(Type.String()),
        /** Pages of this server may call it. */
        is_for_pages: Type.Boolean(),
      }),
    ),
    /** It has more: too many, too large, or such as cannot be read. */
    has_more: Type.Boolean(),
    /** Names, against the time before at which it answered; null where this is the first time. */
    changes: nullable(
      Type.Object({
        added: Type.Array(Type.String()),
        changed: Type.Array(Type.String()),
        removed: Type.Array(Type.String()),
      }),
    ),
  },
  { $id: "McpServerTools" },
);
export type McpServerTools = Static<typeof McpServerTools>;

export const CallMcpTool = closed({
  name: Type.String({ minLength: 1, maxLength: limits.toolNameCharactersMax }),
  arguments: Type.Optional(AnyObject),
});
export type CallMcpTool = Static<typeof CallMcpTool>;

const Source = Type.Object({
  type: Type.Literal("base64"),
  media_type: Type.String(),
  data: Type.String(),
});
export const McpToolResult = Type.Object(
  {
    type: Type.Literal("mcp_tool_result"),
    mcp_server_id: Type.String(),
    name: Type.String(),
    status: Status,
    /** A sentence, where the server did not answer as it should. */
    error: nullable(Type.String()),
    /** False where it is known that the tool was not run. */
    may_have_run: Type.Boolean(),
    is_error: Type.Boolean(),
    content: Type.Array(
      Type.Union([
        Type.Object({ type: Type.Literal("text"), text: Type.String() }),
        Type.Object({ type: Type.Enum(["image", "document"]), source: Source }),
      ]),
    ),
    /** The same for programs, as pages read it. */
    structured_content: nullable(AnyObject),
    latency_ms: Type.Integer(),
  },
  { $id: "McpToolResult" },
);
export type McpToolResult = Static<typeof McpToolResult>;

export const ReadMcpToolPage = closed({ name: CallMcpTool.properties.name });
export type ReadMcpToolPage = Static<typeof ReadMcpToolPage>;

export const McpToolPage = Type.Object(
  {
    type: Type.Literal("mcp_tool_page"),
    mcp_server_id: Type.String(),
    name: Type.String(),
    status: Status,
    /** A sentence, where the server did not answer as it should. */
    error: nullable(Type.String()),
    /** Words of the server: to be shown in a frame that reaches nothing of this one. */
    html: nullable(Type.String()),
    /** Origins that the page says it reaches. */
    connects: Type.Array(Type.String()),
    /** Origins from which it takes pictures, scripts and styles. */
    loads: Type.Array(Type.String()),
  },
  { $id: "McpToolPage" },
);
export type McpToolPage = Static<typeof McpToolPage>;

/** Origins, with a space between them. */
const Origins = Type.Optional(Type.String({ maxLength: limits.originsCharactersMax }));
export const FrameQuery = closed({ connects: Origins, loads: Origins });
export type FrameQuery = Static<typeof FrameQuery>;
