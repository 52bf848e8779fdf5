// Shapes of content blocks: what may stand in a turn, in a system prompt and in a tool's result.
import Type, { type TSchema } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";

export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
export const oneOf = (...values: string[]) =>
  Type.Union(values.map((value) => Type.Literal(value)));
export const anyObject = Type.Object({});
export const nonEmptyString = Type.String({ minLength: 1 });

export const CacheControl = closed({
  type: Type.Literal("ephemeral"),
  ttl: optional(oneOf("5m", "1h")),
});

/** Every block that can carry a breakpoint. */
const cached = { cache_control: optional(orNull(CacheControl)) };
const Citations = closed({ enabled: optional(Type.Boolean()) });

/** A citation is what a model wrote before: its kind matters, its fields are the upstream's. */
export const Text = closed({
  type: Type.Literal("text"),
  text: Type.String(),
  citations: optional(orNull(Type.Array(Type.Object({ type: nonEmptyString })))),
  ...cached,
});

const UrlSource = closed({ type: Type.Literal("url"), url: nonEmptyString });
const FileSource = closed({ type: Type.Literal("file"), file_id: nonEmptyString });

const Image = closed({
  type: Type.Literal("image"),
  source: Type.Union([
    closed({
      type: Type.Literal("base64"),
      media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
      data: nonEmptyString,
    }),
    UrlSource,
    FileSource,
  ]),
  transformations: optional(
    orNull(closed({ oversized_image: optional(oneOf("downsize", "error")) })),
  ),
  ...cached,
});

const Document = closed({
  type: Type.Literal("document"),
  source: Type.Union([
    closed({
      type: Type.Literal("base64"),
      media_type: Type.Literal("application/pdf"),
      data: nonEmptyString,
    }),
    closed({
      type: Type.Literal("text"),
      media_type: Type.Literal("text/plain"),
      data: Type.String(),
    }),
    closed({
      type: Type.Literal("content"),
      content: Type.Union([Type.String(), Type.Array(Type.Union([Text, Image]))]),
    }),
    UrlSource,
    FileSource,
  ]),
  title: optional(orNull(Type.String())),
  context: optional(orNull(Type.String())),
  citations: optional(orNull(Citations)),
  ...cached,
});

const SearchResult = closed({
  type: Type.Literal("search_result"),
  source: Type.String(),
  title: Type.String(),
  content: Type.Array(Text),
  citations: optional(Citations),
  ...cached,
});

const ToolReference = closed({
  type: Type.Literal("tool_reference"),
  tool_name: nonEmptyString,
  ...cached,
});
const BrowserState = closed({
  type: Type.Literal("browser_state"),
  tabs: Type.Array(anyObject),
  state_changes: optional(orNull(Type.Array(anyObject))),
  ...cached,
});

const Caller = Type.Object({ type: nonEmptyString });
const ToolUse = closed({
  type: Type.Literal("tool_use"),
  id: nonEmptyString,
  name: nonEmptyString,
  input: anyObject,
  caller: optional(Caller),
  toolset_name: optional(orNull(Type.String())),
  ...cached,
});

const ToolResult = closed({
  type: Type.Literal("tool_result"),
  tool_use_id: nonEmptyString,
  content: optional(
    Type.Union([
      Type.String(),
      Type.Array(Type.Union([Text, Image, SearchResult, Document, ToolReference, BrowserState])),
    ]),
  ),
  is_error: optional(Type.Boolean()),
  toolset_name: optional(orNull(Type.String())),
  ...cached,
});

/** Some upstreams of this wire leave an empty signature out, or have it as null: so it comes back. */
const Thinking = closed({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  signature: optional(orNull(Type.String())),
});
const RedactedThinking = closed({ type: Type.Literal("redacted_thinking"), data: Type.String() });

const ServerToolUse = closed({
  type: Type.Literal("server_tool_use"),
  id: nonEmptyString,
  name: nonEmptyString,
  input: anyObject,
  caller: optional(Caller),
  ...cached,
});

/** What a server tool gave is the upstream's own: it comes back as it went out. */
const serverResult = (type: string) =>
  closed({
    type: Type.Literal(type),
    tool_use_id: nonEmptyString,
    content: Type.Union([anyObject, Type.Array(anyObject)]),
    caller: optional(Caller),
    ...cached,
  });

export const serverResults = [
  "web_search_tool_result",
  "web_fetch_tool_result",
  "code_execution_tool_result",
  "bash_code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "advisor_tool_result",
] as const;

const McpToolUse = closed({
  type: Type.Literal("mcp_tool_use"),
  id: nonEmptyString,
  name: nonEmptyString,
  server_name: nonEmptyString,
  input: anyObject,
  ...cached,
});
const McpToolResult = closed({
  type: Type.Literal("mcp_tool_result"),
  tool_use_id: nonEmptyString,
  content: optional(Type.Union([Type.String(), Type.Array(Text)])),
  is_error: optional(Type.Boolean()),
  ...cached,
});
const McpToolListing = closed({
  type: Type.Literal("mcp_tool_listing"),
  mcp_server_name: nonEmptyString,
  tools: Type.Array(anyObject),
});

const ContainerUpload = closed({
  type: Type.Literal("container_upload"),
  file_id: nonEmptyString,
  ...cached,
});
const Compaction = closed({
  type: Type.Literal("compaction"),
  content: optional(orNull(Type.String())),
  encrypted_content: optional(orNull(Type.String())),
  signature: optional(orNull(Type.String())),
  tool_changes: optional(orNull(Type.Array(anyObject))),
  ...cached,
});

const Hop = closed({ model: nonEmptyString });
const Fallback = closed({
  type: Type.Literal("fallback"),
  from: Hop,
  to: Hop,
  trigger: optional(orNull(anyObject)),
});
/** Text that an upstream put between the attempts of two models; never read again. */
const ConnectorText = Type.Object({ type: Type.Literal("connector_text") });

/** Objects without a `type` of their own are custom tools; what typed tools hold is their upstream's. */
const CustomTool = closed({
  type: optional(orNull(Type.Literal("custom"))),
  name: Type.String({
    ...worded("^[a-zA-Z0-9_-]{1,128}$", "must have 1 to 128 letters, digits, _ and - only"),
  }),
  input_schema: Type.Object({ type: Type.Literal("object") }),
  description: optional(Type.String()),
  cache_control: optional(orNull(CacheControl)),
  strict: optional(Type.Boolean()),
  defer_loading: optional(Type.Boolean()),
  allowed_callers: optional(Type.Array(Type.String())),
  input_examples: optional(Type.Array(anyObject)),
  eager_input_streaming: optional(orNull(Type.Boolean())),
});
const TypedTool = Type.Object({
  type: Type.String({
    ...worded("^(?!custom$).", 'must be the type of a tool other than "custom"'),
  }),
  name: optional(nonEmptyString),
  cache_control: optional(orNull(CacheControl)),
});
export const Tool = Type.Union([CustomTool, TypedTool]);

const references = [
  closed({ type: Type.Literal("tool_reference"), name: nonEmptyString }),
  closed({
    type: Type.Literal("mcp_tool_reference"),
    name: nonEmptyString,
    server_name: nonEmptyString,
  }),
  closed({ type: Type.Literal("mcp_toolset_reference"), server_name: nonEmptyString }),
];
const Definition = closed({ type: Type.Literal("tool_definition"), definition: Tool });
const ToolAddition = closed({
  type: Type.Literal("tool_addition"),
  tool: Type.Union([...references, Definition]),
  ...cached,
});
const ToolRemoval = closed({
  type: Type.Literal("tool_removal"),
  tool: Type.Union(references),
  ...cached,
});

/** The commonest first: a union is tried in order. */
export const ContentBlock = Type.Union([
  Text,
  ToolUse,
  ToolResult,
  Thinking,
  Image,
  Document,
  SearchResult,
  RedactedThinking,
  Fallback,
  ServerToolUse,
  ...serverResults.map(serverResult),
  McpToolUse,
  McpToolResult,
  McpToolListing,
  ContainerUpload,
  Compaction,
  ToolAddition,
  ToolRemoval,
  ConnectorText,
]);

export const SystemTurnBlock = Type.Union([Text, ToolAddition, ToolRemoval]);
