// Shapes of an agent's tools: as they are sent, and with every default filled in.
import Type, { type Static } from "typebox";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { limits } from "../limits.ts";
import { nullable, optional } from "./shapes.ts";

export const builtInTools = [
  "bash",
  "edit",
  "read",
  "write",
  "glob",
  "grep",
  "web_fetch",
  "web_search",
] as const;

const BuiltInName = Type.Enum([...builtInTools]);
const PolicyType = Type.Enum(["always_allow", "always_ask", "auto"]);

const behaviour = {
  enabled: optional(nullable(Type.Boolean())),
  permission_policy: optional(nullable(closed({ type: PolicyType }))),
};
const DefaultConfig = optional(nullable(closed(behaviour)));
export type ToolBehaviourInput = Static<typeof DefaultConfig>;

const LocationText = optional(
  nullable(Type.String({ minLength: 1, maxLength: limits.locationCharactersMax })),
);
const UserLocationInput = closed({
  type: Type.Literal("approximate"),
  city: LocationText,
  country: optional(
    nullable(
      Type.String(worded("^[A-Z]{2}$", "must be a country as two large letters, such as DE")),
    ),
  ),
  region: LocationText,
  timezone: LocationText,
});
export type UserLocationInput = Static<typeof UserLocationInput>;

const SourceTools = Type.Array(
  closed({
    type: Type.Literal("tool_reference"),
    name: Type.String({ minLength: 1, maxLength: limits.toolNameCharactersMax }),
  }),
  { minItems: 1, maxItems: limits.sourceToolsMax },
);
const AllOrNone = Type.Enum(["all", "none"]);
const UserSourceInput = Type.Union([AllOrNone, closed({ type: AllOrNone })]);
const ToolSourceInput = Type.Union([
  AllOrNone,
  closed({ type: AllOrNone }),
  closed({ type: Type.Enum(["only", "except"]), tools: SourceTools }),
]);
const UrlSourcesInput = closed({
  user_input: optional(nullable(UserSourceInput)),
  client_tool_results: optional(nullable(ToolSourceInput)),
  server_tool_results: optional(nullable(ToolSourceInput)),
});
export type UrlSourcesInput = Static<typeof UrlSourcesInput>;

const Domains = optional(nullable(Type.Array(Type.String(), { maxItems: limits.domainsMax })));

/** One shape for all of them: which field belongs to which tool is said in `tools.ts`, with the tool's name. */
const BuiltInConfigInput = closed({
  name: BuiltInName,
  type: optional(BuiltInName),
  ...behaviour,
  allowed_domains: Domains,
  blocked_domains: Domains,
  user_location: optional(nullable(UserLocationInput)),
  max_content_tokens: optional(
    nullable(Type.Integer({ minimum: 1, maximum: limits.fetchedTokensMax })),
  ),
  url_sources: optional(nullable(UrlSourcesInput)),
});
export type BuiltInConfigInput = Static<typeof BuiltInConfigInput>;

const McpConfigInput = closed({
  name: Type.String({ minLength: 1, maxLength: limits.toolNameCharactersMax }),
  ...behaviour,
});

const AgentToolsetInput = closed({
  type: Type.Literal("agent_toolset_20260401"),
  default_config: DefaultConfig,
  configs: optional(nullable(Type.Array(BuiltInConfigInput, { maxItems: limits.toolsMax }))),
});
export type AgentToolsetInput = Static<typeof AgentToolsetInput>;

const McpToolsetInput = closed({
  type: Type.Literal("mcp_toolset"),
  mcp_server_name: Type.String({ minLength: 1, maxLength: limits.serverNameCharactersMax }),
  default_config: DefaultConfig,
  configs: optional(nullable(Type.Array(McpConfigInput, { maxItems: limits.toolsMax }))),
});
export type McpToolsetInput = Static<typeof McpToolsetInput>;

/**
 * Not the custom tool of messages, which may have no description and takes fields of the request that it stands in:
 * `cache_control`, `strict`, `defer_loading`. Names are the same.
 */
const CustomToolInput = closed({
  type: Type.Literal("custom"),
  name: Type.String(
    worded("^[a-zA-Z0-9_-]{1,128}$", "must have 1 to 128 letters, digits, _ and - only"),
  ),
  description: Type.String({ maxLength: limits.toolDescriptionCharactersMax }),
  input_schema: Type.Object({
    type: Type.Literal("object"),
    properties: optional(nullable(Type.Object({}))),
    required: optional(nullable(Type.Array(Type.String()))),
  }),
});

export const ToolInput = Type.Union([AgentToolsetInput, McpToolsetInput, CustomToolInput]);
export type ToolInput = Static<typeof ToolInput>;
export const ToolsInput = Type.Array(ToolInput, { maxItems: limits.toolsMax });

const resolved = {
  enabled: Type.Boolean(),
  permission_policy: Type.Object({ type: PolicyType }),
};
const ResolvedBehaviour = Type.Object(resolved);
export type ToolBehaviour = Static<typeof ResolvedBehaviour>;

const Location = Type.Object({
  type: Type.Literal("approximate"),
  city: nullable(Type.String()),
  country: nullable(Type.String()),
  region: nullable(Type.String()),
  timezone: nullable(Type.String()),
});
const References = Type.Array(
  Type.Object({ type: Type.Literal("tool_reference"), name: Type.String() }),
);
const ToolSource = Type.Union([
  Type.Object({ type: AllOrNone }),
  Type.Object({ type: Type.Enum(["only", "except"]), tools: References }),
]);
export type ToolSource = Static<typeof ToolSource>;
/** A source that is null was not named: it gives every address. */
const UrlSources = Type.Object({
  user_input: nullable(Type.Object({ type: AllOrNone })),
  client_tool_results: nullable(ToolSource),
  server_tool_results: nullable(ToolSource),
});
export type UrlSources = Static<typeof UrlSources>;

const plainTools = ["bash", "edit", "read", "write", "glob", "grep"] as const;
const PlainName = Type.Enum([...plainTools]);
const PlainConfig = Type.Object({ name: PlainName, type: PlainName, ...resolved });
const domains = {
  allowed_domains: optional(Type.Array(Type.String())),
  blocked_domains: optional(Type.Array(Type.String())),
};
const SearchName = Type.Literal("web_search");
const WebSearchConfig = Type.Object({
  name: SearchName,
  type: SearchName,
  ...resolved,
  ...domains,
  user_location: nullable(Location),
});
const FetchName = Type.Literal("web_fetch");
const WebFetchConfig = Type.Object({
  name: FetchName,
  type: FetchName,
  ...resolved,
  ...domains,
  max_content_tokens: nullable(Type.Integer()),
  url_sources: nullable(UrlSources),
});
const BuiltInConfig = Type.Union([PlainConfig, WebSearchConfig, WebFetchConfig]);
export type BuiltInConfig = Static<typeof BuiltInConfig>;

const AgentToolset = Type.Object(
  {
    type: Type.Literal("agent_toolset_20260401"),
    default_config: ResolvedBehaviour,
    configs: Type.Array(BuiltInConfig),
  },
  { $id: "AgentToolset" },
);
export type AgentToolset = Static<typeof AgentToolset>;

const McpToolset = Type.Object(
  {
    type: Type.Literal("mcp_toolset"),
    mcp_server_name: Type.String(),
    default_config: ResolvedBehaviour,
    configs: Type.Array(Type.Object({ name: Type.String(), ...resolved })),
  },
  { $id: "McpToolset" },
);
export type McpToolset = Static<typeof McpToolset>;

const CustomTool = Type.Object(
  {
    type: Type.Literal("custom"),
    name: Type.String(),
    description: Type.String(),
    input_schema: Type.Object({ type: Type.Literal("object") }),
  },
  { $id: "AgentCustomTool" },
);

export const AgentTool = Type.Union([AgentToolset, McpToolset, CustomTool]);
export type AgentTool = Static<typeof AgentTool>;
