// Parts of an agent in a few words.
import type { Agent } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";

/** `sim-large high`; what is as usual is not said. */
export function modelOf({ model }: Agent): string {
  const { effort } = model;
  return [
    model.id,
    ...(effort === undefined ? [] : [typeof effort === "string" ? effort : effort.type]),
    ...(model.speed === "standard" ? [] : [model.speed]),
    ...(model.inference_geo === undefined ? [] : [model.inference_geo]),
  ]
    .map(escapeControls)
    .join(" ");
}

const computerTools = [
  "bash",
  "edit",
  "read",
  "write",
  "glob",
  "grep",
  "web_fetch",
  "web_search",
] as const;

/** Those that the agent may call; who asks first is said of each. */
export const toolsOf = ({ tools }: Agent): string[] =>
  tools.flatMap((tool): string[] => {
    if (tool.type === "custom") return [`${tool.name} (custom)`];
    const { default_config: usual } = tool;
    const said = (name: string, { enabled, permission_policy: policy } = usual) =>
      enabled ? [policy.type === "always_allow" ? name : `${name} (${policy.type})`] : [];
    if (tool.type === "mcp_toolset") {
      const { mcp_server_name: server, configs } = tool;
      return [
        ...said(`all of ${server}`),
        ...configs.flatMap((config) => said(`${server}/${config.name}`, config)),
      ];
    }
    return computerTools.flatMap((name) =>
      said(name, tool.configs.find((config) => config.name === name) ?? usual),
    );
  });

/** The agents that it works with, and the models that it asks. */
export function membersOf({ multiagent }: Agent): string[] {
  if (multiagent === null) return [];
  if (multiagent.type === "coordinator")
    return multiagent.agents.map((one) =>
      one.type === "advisor" ? `advisor ${one.model}` : `${one.id}@${one.version}`,
    );
  const { advisor, ...groups } = multiagent;
  const named = (["subagents", "workflows"] as const).flatMap((group) => {
    const { [group]: members } = groups;
    if (members.type === "disabled") return [];
    const inline = members.inline_agents.type === "enabled" ? [`${group}: made as needed`] : [];
    return [
      ...inline,
      ...members.predefined_agents.map((one) => `${group}: ${one.id}@${one.version}`),
    ];
  });
  return advisor.type === "enabled" ? [...named, `advisor ${advisor.model}`] : named;
}
