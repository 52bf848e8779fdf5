// What an agent says of its tools of the web.
import type { AgentConfig } from "../agents/module.ts";

export const webToolNames = ["web_search", "web_fetch"] as const;
export type WebToolName = (typeof webToolNames)[number];

type Toolset = Extract<AgentConfig["tools"][number], { type: "agent_toolset_20260401" }>;
type Configured<Name extends WebToolName> = Extract<Toolset["configs"][number], { name: Name }>;
export type UserLocation = NonNullable<Configured<"web_search">["user_location"]>;
export type UrlSources = NonNullable<Configured<"web_fetch">["url_sources"]>;

/** Of either tool; where it is not configured by name it has nothing but what its toolset says of all. */
export interface ToolSettings {
  permission_policy: Toolset["default_config"]["permission_policy"];
  allowed_domains?: readonly string[];
  blocked_domains?: readonly string[];
  user_location?: UserLocation | null;
  max_content_tokens?: number | null;
  url_sources?: UrlSources | null;
}

/** Undefined where the agent has no such tool, or has it disabled. */
export function settingsOf(
  { tools }: Pick<AgentConfig, "tools">,
  name: WebToolName,
): ToolSettings | undefined {
  const toolset = tools.find((tool) => tool.type === "agent_toolset_20260401");
  if (toolset === undefined) return undefined;
  const settings = toolset.configs.find((config) => config.name === name) ?? toolset.default_config;
  return settings.enabled ? settings : undefined;
}
