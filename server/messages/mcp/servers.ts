// The MCP servers that a request names, and what it says of their tools: in the words of either version of the field.
import Type, { type Static, type TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import { outsideProblem } from "../../../kernel/http/outside/fetch.ts";
import { closed } from "../../../kernel/http/route.ts";
import type { ServerTool } from "../../mcp_client/module.ts";
import type { Block, MessageBody } from "../../models/module.ts";
import { invalidField, shapeFailure } from "../problem.ts";
import { CacheControl, nonEmptyString, optional, orNull } from "../validate/blocks.ts";
import { mcpLimits } from "./limits.ts";

const ToolConfig = closed({
  enabled: optional(Type.Boolean()),
  defer_loading: optional(Type.Boolean()),
});
const ListedTool = closed({
  name: nonEmptyString,
  description: optional(orNull(Type.String())),
  input_schema: Type.Object({ type: Type.Literal("object") }),
});
const Toolset = closed({
  type: Type.Literal("mcp_toolset"),
  mcp_server_name: nonEmptyString,
  cache_control: optional(orNull(CacheControl)),
  configs: optional(orNull(Type.Record(Type.String(), ToolConfig))),
  default_config: optional(ToolConfig),
  tools: optional(orNull(Type.Array(ListedTool))),
});
const Listing = closed({
  type: Type.Literal("mcp_tool_listing"),
  mcp_server_name: nonEmptyString,
  tools: Type.Array(ListedTool),
});
const checks = new Map<TSchema, Validator>();

type Toolset = Static<typeof Toolset>;
export type ListedTool = Static<typeof ListedTool>;

/** As the shape of a request has it. */
interface GivenServer {
  name: string;
  url: string;
  authorization_token?: string | null;
  tool_configuration?: {
    enabled?: boolean | null;
    allowed_tools?: readonly string[] | null;
  } | null;
}

export interface NamedServer {
  /** Its number in `mcp_servers`. */
  index: number;
  name: string;
  url: string;
  authorization: string | undefined;
  /** The number of its toolset in `tools`; undefined in the older form. */
  toolsetIndex: number | undefined;
  /** Where no tool can be enabled it is not asked. */
  mayHaveTools: boolean;
  isEnabled: (tool: string) => boolean;
  isDeferred: (tool: string) => boolean;
  /** What the request says its tools are: it is not asked for them. */
  listed: readonly ServerTool[] | undefined;
  cacheControl: unknown;
}

/** Of a body whose shape has been judged. Throws the Failure that names the field. */
export function readServers(actor: Actor, body: MessageBody): NamedServer[] {
  const servers = body["mcp_servers"] as readonly GivenServer[];
  if (servers.length > mcpLimits.serversMax)
    throw invalidField(["mcp_servers"], `must have at most ${mcpLimits.serversMax} items`);
  const toolsets = readToolsets(body);
  const listings = readListings(body);
  return servers.map((server, index): NamedServer => {
    const found = toolsets.get(server.name);
    const problem =
      addressProblem(actor, server, index) ?? formProblem(server, index, found, actor.betas);
    if (problem !== undefined) throw problem;
    const { name, url, authorization_token: token } = server;
    const listed = found?.toolset.tools ?? listings.get(name);
    return {
      index,
      name,
      url,
      authorization: token === null || token === undefined ? undefined : `Bearer ${token}`,
      toolsetIndex: found?.at,
      cacheControl: found?.toolset.cache_control ?? undefined,
      listed: listed?.map(({ name: tool, description, input_schema: inputSchema }) => ({
        name: tool,
        description: description ?? "",
        inputSchema,
      })),
      ...(found === undefined ? configured(server) : ofToolset(found.toolset)),
    };
  });
}

type Choice = Pick<NamedServer, "mayHaveTools" | "isEnabled" | "isDeferred">;

function ofToolset({ configs, default_config: byDefault = {} }: Toolset): Choice {
  const known = new Map(Object.entries(configs ?? {}));
  const isEnabled = (tool: string) => known.get(tool)?.enabled ?? byDefault.enabled ?? true;
  return {
    mayHaveTools: byDefault.enabled !== false || [...known.keys()].some(isEnabled),
    isEnabled,
    isDeferred: (tool) => known.get(tool)?.defer_loading ?? byDefault.defer_loading ?? false,
  };
}

function configured({ tool_configuration: configuration }: GivenServer): Choice {
  const { enabled, allowed_tools: allowed } = configuration ?? {};
  return {
    mayHaveTools: enabled !== false && allowed?.length !== 0,
    isEnabled: (tool) => allowed?.includes(tool) ?? true,
    isDeferred: () => false,
  };
}

function readToolsets({ tools = [] }: MessageBody) {
  const found = new Map<string, { toolset: Toolset; at: number }>();
  for (const [at, tool] of tools.entries()) {
    if (tool["type"] !== "mcp_toolset") continue;
    const toolset = shaped(Toolset, tool, ["tools", at]);
    const before = found.get(toolset.mcp_server_name);
    if (before !== undefined)
      throw invalidField(
        ["tools", at, "mcp_server_name"],
        `must not be named by tools.${before.at} too`,
        toolset.mcp_server_name,
      );
    found.set(toolset.mcp_server_name, { toolset, at });
  }
  return found;
}

/** Of each server the last one that came back. */
function readListings({ messages }: MessageBody) {
  const found = new Map<string, readonly ListedTool[]>();
  for (const [at, { content }] of messages.entries())
    if (typeof content !== "string")
      for (const [index, block] of content.entries()) {
        if (block.type !== "mcp_tool_listing") continue;
        const listing = shaped(Listing, block, ["messages", at, "content", index]);
        found.set(listing.mcp_server_name, listing.tools);
      }
  return found;
}

function shaped<T extends TSchema>(
  schema: T,
  value: unknown,
  path: readonly (string | number)[],
): Static<T> {
  const check = checks.get(schema) ?? Compile(schema);
  checks.set(schema, check);
  if (!check.Check(value)) throw shapeFailure(schema, value, path);
  return value as Static<T>;
}

/** What can stand in a header. */
const tokenPattern = /^[\u0021-\u007E]+$/;

function addressProblem(
  actor: Actor,
  { url, authorization_token: token }: GivenServer,
  index: number,
): Failure | undefined {
  const problem = outsideProblem(actor, url);
  if (problem !== undefined) return invalid(`mcp_servers.${index}.url: ${problem.message}`);
  if (typeof token === "string" && !tokenPattern.test(token))
    return invalidField(
      ["mcp_servers", index, "authorization_token"],
      "must be visible ASCII characters, without a space",
    );
  return undefined;
}

const newBeta = "mcp-client-2025-11-20";
const oldBeta = "mcp-client-2025-04-04";

function formProblem(
  { name, tool_configuration: configuration }: GivenServer,
  index: number,
  found: object | undefined,
  betas: ReadonlySet<string>,
): Failure | undefined {
  if (found === undefined && betas.has(newBeta) && !betas.has(oldBeta))
    return invalidField(
      ["mcp_servers", index, "name"],
      "must be the mcp_server_name of an mcp_toolset in tools",
      name,
    );
  if (found !== undefined && (configuration ?? null) !== null)
    return invalidField(
      ["mcp_servers", index, "tool_configuration"],
      `is the older form; say it in the mcp_toolset of tools, as configs and default_config`,
    );
  return undefined;
}

/** Beside servers that this server calls itself. */
export function expectServable(body: MessageBody): void {
  if ((body["fallback_credit_token"] ?? null) !== null)
    throw invalidField(
      ["fallback_credit_token"],
      `is not taken beside mcp_servers with ${body.model}; leave one of them out`,
    );
  for (const [at, { content }] of body.messages.entries())
    if (typeof content !== "string")
      for (const [index, block] of content.entries())
        if (changesServers(block))
          throw invalidField(
            ["messages", at, "content", index, "tool"],
            `must be a tool of the request with ${body.model}; name tools of MCP servers in tools`,
          );
}

/** A turn that brings in a toolset or a tool of a server, or takes it away. */
function changesServers({ type, tool }: Block): boolean {
  if (type !== "tool_addition" && type !== "tool_removal") return false;
  const { server_name: server, definition } = tool as {
    server_name?: string;
    definition?: { type?: unknown };
  };
  return server !== undefined || definition?.type === "mcp_toolset";
}
