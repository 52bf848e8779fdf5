// The tools of an agent with every default filled in, and what they must fulfil together.
import { invalid } from "../../../kernel/base/failure.ts";
import { limits } from "../limits.ts";
import type { McpServer } from "./schema.ts";
import {
  builtInTools,
  type AgentTool,
  type AgentToolset,
  type AgentToolsetInput,
  type BuiltInConfig,
  type BuiltInConfigInput,
  type McpToolset,
  type McpToolsetInput,
  type ToolBehaviour,
  type ToolBehaviourInput,
  type ToolInput,
} from "./schema-tools.ts";
import { locationOf, domainsOf, expectSources, urlSourcesOf } from "./web-tools.ts";

/** Rule AGT20: what the tools of an agent's own computer do is its user's own; a server's may be a stranger's. */
const usualPolicies = {
  agent_toolset_20260401: "always_allow",
  mcp_toolset: "always_ask",
} as const;

export function completeTools(given: readonly ToolInput[]): AgentTool[] {
  const tools = given.map((tool, index): AgentTool => {
    const path = `tools.${index}`;
    if (tool.type === "custom") return tool;
    return tool.type === "mcp_toolset" ? mcpToolsetOf(tool, path) : agentToolsetOf(tool, path);
  });
  expectDistinct(tools);
  expectSources(tools);
  return tools;
}

function agentToolsetOf(
  { type, default_config, configs }: AgentToolsetInput,
  path: string,
): AgentToolset {
  const usual = behaviourOf(default_config, {
    enabled: true,
    permission_policy: { type: usualPolicies[type] },
  });
  const named = configs ?? [];
  expectOnce(named, path);
  return {
    type,
    default_config: usual,
    configs: named.map((config, index) => builtInOf(config, usual, `${path}.configs.${index}`)),
  };
}

function mcpToolsetOf(tool: McpToolsetInput, path: string): McpToolset {
  const { type, mcp_server_name, default_config, configs } = tool;
  const usual = behaviourOf(default_config, {
    enabled: true,
    permission_policy: { type: usualPolicies[type] },
  });
  const named = configs ?? [];
  expectOnce(named, path);
  return {
    type,
    mcp_server_name,
    default_config: usual,
    configs: named.map((config) => ({ name: config.name, ...behaviourOf(config, usual) })),
  };
}

/** What is not named is as the toolset has it for all. */
const behaviourOf = (given: ToolBehaviourInput | undefined, usual: ToolBehaviour) => ({
  enabled: given?.enabled ?? usual.enabled,
  permission_policy: given?.permission_policy ?? usual.permission_policy,
});

/** Beside its name and how it behaves. */
const fieldsOfTool: Partial<Record<BuiltInConfigInput["name"], readonly string[]>> = {
  web_search: ["allowed_domains", "blocked_domains", "user_location"],
  web_fetch: ["allowed_domains", "blocked_domains", "max_content_tokens", "url_sources"],
};
const ownFields = ["name", "type", "enabled", "permission_policy"];

function builtInOf(config: BuiltInConfigInput, usual: ToolBehaviour, path: string): BuiltInConfig {
  const { name, type = name } = config;
  if (type !== name)
    throw invalid(`${path}.type: must be ${JSON.stringify(name)}, as its name is, or be left out.`);
  const known = [...ownFields, ...(fieldsOfTool[name] ?? [])];
  const other = Object.keys(config).find((field) => !known.includes(field));
  if (other !== undefined)
    throw invalid(`${path}.${other}: is not taken by ${name}; known are ${known.join(", ")}.`);
  const behaviour = behaviourOf(config, usual);
  if (name === "web_search")
    return {
      name,
      type: name,
      ...behaviour,
      ...domainsOf(config, path, { mayHavePath: true }),
      user_location: locationOf(config.user_location, `${path}.user_location`),
    };
  if (name === "web_fetch")
    return {
      name,
      type: name,
      ...behaviour,
      ...domainsOf(config, path, { mayHavePath: false }),
      max_content_tokens: config.max_content_tokens ?? null,
      url_sources: urlSourcesOf(config.url_sources, `${path}.url_sources`),
    };
  return { name, type: name, ...behaviour };
}

function expectOnce(configs: readonly { name: string }[], path: string): void {
  const names = configs.map(({ name }) => name);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice !== -1)
    throw invalid(
      `${path}.configs.${twice}.name: ${JSON.stringify(names[twice])} is configured twice; say all of it in one place.`,
    );
}

/** Rules AGT18 and AGT19: of names that a model calls, and of servers, each stands for one thing. */
function expectDistinct(tools: readonly AgentTool[]): void {
  const count = tools.reduce((sum, tool) => sum + countOf(tool), 0);
  if (count > limits.toolsMax)
    throw invalid(
      `tools: must have at most ${limits.toolsMax} tools over all toolsets; these are ${count}. Leave some out.`,
    );
  const owners = new Map<string, number>();
  for (const [index, tool] of tools.entries())
    for (const name of namesOf(tool)) {
      const before = owners.get(name);
      if (before !== undefined) throw twiceNamed(tool, index, name, before);
      owners.set(name, index);
    }
  const servers = new Map<string, number>();
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== "mcp_toolset") continue;
    const before = servers.get(tool.mcp_server_name);
    if (before !== undefined)
      throw invalid(
        `tools.${index}.mcp_server_name: tools.${before} is the toolset of ${JSON.stringify(tool.mcp_server_name)} already; say all of it in one.`,
      );
    servers.set(tool.mcp_server_name, index);
  }
}

/** Which tools a server has is known when a session asks it: those that are configured by name count. */
function countOf(tool: AgentTool): number {
  if (tool.type === "custom") return 1;
  return tool.type === "mcp_toolset" ? tool.configs.length : builtInTools.length;
}

function namesOf(tool: AgentTool): readonly string[] {
  if (tool.type === "custom") return [tool.name];
  return tool.type === "mcp_toolset" ? [] : builtInTools;
}

function twiceNamed(tool: AgentTool, index: number, name: string, before: number) {
  if (tool.type === "custom")
    return invalid(
      `tools.${index}.name: ${JSON.stringify(name)} is the name of a tool of tools.${before} too; give it another.`,
    );
  return invalid(
    `tools.${index}: brings a tool ${JSON.stringify(name)}, and so does tools.${before}; leave one out, or give the custom tool another name.`,
  );
}

/** Rule AGT17: each server is there for a toolset, and each toolset has its server. */
export function expectServersUsed(
  tools: readonly AgentTool[],
  servers: readonly McpServer[],
): void {
  const names = servers.map(({ name }) => name);
  const used = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== "mcp_toolset") continue;
    used.add(tool.mcp_server_name);
    if (!names.includes(tool.mcp_server_name))
      throw invalid(
        `tools.${index}.mcp_server_name: ${JSON.stringify(tool.mcp_server_name)} must be the name of one of mcp_servers.`,
      );
  }
  const idle = names.findIndex((name) => !used.has(name));
  if (idle !== -1)
    throw invalid(
      `mcp_servers.${idle}: no mcp_toolset of tools names ${JSON.stringify(names[idle])}; add one, or leave the server out.`,
    );
}
