// Agents in words for people: the tools that there are, how they may be used, and the parts of a configuration.
import type { AgentsCreateBody } from "../../contract/types.ts";
import type { Agent } from "../kit/server/api.ts";
import { jsonText } from "../kit/text/json.ts";
import { plural } from "../../client/text/words.ts";

/** As the server has them. */
export const limits = {
  nameCharactersMax: 256,
  descriptionCharactersMax: 2_048,
  systemCharactersMax: 100_000,
  toolDescriptionCharactersMax: 16_384,
  toolsMax: 256,
  serversMax: 20,
  serverNameCharactersMax: 255,
  urlCharactersMax: 2_048,
  skillsMax: 64,
  metadata: { pairs: 16, key: 64, value: 512 },
} as const;

/** What is sent to make an agent. Everything that one reads of an agent can stand in it. */
export type AgentConfig = AgentsCreateBody;
export type AgentTool = Agent["tools"][number];
export type BuiltInToolset = Extract<AgentTool, { type: "agent_toolset_20260401" }>;
export type Policy = BuiltInToolset["default_config"]["permission_policy"]["type"];

export const builtInTools = {
  bash: "Runs commands",
  read: "Reads files",
  write: "Writes files",
  edit: "Changes parts of files",
  glob: "Finds files by their names",
  grep: "Finds files by what stands in them",
  web_search: "Searches the web",
  web_fetch: "Reads pages of the web",
} as const;
export type BuiltInName = keyof typeof builtInTools;
export const builtInNames = Object.keys(builtInTools) as BuiltInName[];

export const policyWords: Record<Policy, string> = {
  always_allow: "Without asking",
  always_ask: "Asks first",
  auto: "Asks where it seems risky",
};
export const policyChoices = (Object.keys(policyWords) as Policy[]).map((value) => ({
  value,
  label: policyWords[value],
}));

/** The parts of a configuration, in the order in which they are shown. */
export const fieldWords = {
  name: "Name",
  description: "Description",
  model: "Model",
  system: "Prompt",
  tools: "Tools",
  mcp_servers: "MCP servers",
  skills: "Skills",
  multiagent: "Other agents",
  execution_identity: "Identity",
  metadata: "Metadata",
} as const;
export type Field = keyof typeof fieldWords;
export const fields = Object.keys(fieldWords) as Field[];

export const configOfAgent = (agent: Agent): Required<Pick<Agent, Field>> => ({
  name: agent.name,
  description: agent.description,
  model: agent.model,
  system: agent.system,
  tools: agent.tools,
  mcp_servers: agent.mcp_servers,
  skills: agent.skills,
  multiagent: agent.multiagent,
  execution_identity: agent.execution_identity,
  metadata: agent.metadata,
});

/** Which parts of two versions differ. */
export function changedFields(before: Agent, after: Agent): Field[] {
  const [one, other] = [configOfAgent(before), configOfAgent(after)];
  return fields.filter((field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]));
}

export const effortOf = ({ model: { effort } }: Pick<Agent, "model">): string | undefined =>
  typeof effort === "object" ? effort.type : effort;

/** What a toolset says of one of its tools, or of all that it does not name. */
export const behaviourOf = (
  { default_config: usual, configs }: BuiltInToolset,
  name: BuiltInName,
): BuiltInToolset["default_config"] => configs.find((each) => each.name === name) ?? usual;

/** `6 built in, 1 MCP server, 2 of your own`. */
export function toolsText({ tools }: Pick<Agent, "tools">): string {
  const own = tools.filter(({ type }) => type === "custom").length;
  const servers = tools.filter(({ type }) => type === "mcp_toolset").length;
  const toolset = tools.find((tool) => tool.type === "agent_toolset_20260401");
  const on =
    toolset === undefined
      ? 0
      : builtInNames.filter((name) => behaviourOf(toolset, name).enabled).length;
  return [
    ...(on > 0 ? [`${on} built in`] : []),
    ...(servers > 0 ? [plural(servers, "MCP server")] : []),
    ...(own > 0 ? [`${own} of your own`] : []),
  ].join(", ");
}

/** Of a part of a configuration: a text as it is, nothing where there is nothing, everything else as JSON. */
export function textOf(value: Agent[Field]): string {
  if (value === null || Object.keys(value).length === 0) return "";
  return typeof value === "string" ? value : jsonText(value);
}
