// An agent as it stands in the form, and the configuration that is sent. What the form does not show stays as it was.
import { jsonText } from "../../kit/text/json.ts";
import { pairsOf, recordOf, type Pair } from "../../kit/form/pairs.tsx";
import {
  builtInNames,
  type AgentConfig,
  type BuiltInName,
  type Field,
  type Policy,
} from "../agents.ts";

export interface Behaviour {
  enabled: boolean;
  policy: Policy;
}

type ToolInput = NonNullable<AgentConfig["tools"]>[number];
type ToolsetInput = Extract<ToolInput, { type: "agent_toolset_20260401" }>;
type ServerToolsetInput = Extract<ToolInput, { type: "mcp_toolset" }>;
type BehaviourInput = NonNullable<ToolsetInput["default_config"]>;

export interface BuiltInDraft {
  kind: "built_in";
  tools: Record<BuiltInName, Behaviour>;
  sent: ToolsetInput;
}
/** A server stands with its tools: there is none without the other. */
export interface ServerDraft extends Behaviour {
  kind: "server";
  name: string;
  url: string;
  sent: ServerToolsetInput;
}
export interface CustomDraft {
  kind: "custom";
  name: string;
  description: string;
  /** Of its input, as JSON. */
  schema: string;
}
/** In the order in which they are sent: what the server says of one names its place. */
export type ToolDraft = BuiltInDraft | ServerDraft | CustomDraft;

export type SkillDraft = NonNullable<AgentConfig["skills"]>[number];
type ModelObject = Exclude<AgentConfig["model"], string>;

export interface AgentDraft {
  name: string;
  description: string;
  model: string;
  /** Empty: as the model has it. */
  effort: string;
  modelRest: Omit<ModelObject, "id" | "effort">;
  system: string;
  tools: ToolDraft[];
  skills: SkillDraft[];
  pairs: Pair[];
  rest: Pick<AgentConfig, "multiagent" | "execution_identity">;
}

const policies = { agent_toolset_20260401: "always_allow", mcp_toolset: "always_ask" } as const;

const behaviourOf = (given: BehaviourInput | null | undefined, usual: Behaviour): Behaviour => ({
  enabled: given?.enabled ?? usual.enabled,
  policy: given?.permission_policy?.type ?? usual.policy,
});

const usualOf = ({ type, default_config: given }: ToolsetInput | ServerToolsetInput): Behaviour =>
  behaviourOf(given, { enabled: true, policy: policies[type] });

const sentAs = ({ enabled, policy }: Behaviour) => ({
  enabled,
  permission_policy: { type: policy },
});

export const newBuiltIn = (): BuiltInDraft => builtInOf({ type: "agent_toolset_20260401" });
export const newServer = (): ServerDraft => ({
  kind: "server",
  name: "",
  url: "",
  enabled: true,
  policy: policies.mcp_toolset,
  sent: { type: "mcp_toolset", mcp_server_name: "" },
});
export const newCustom = (): CustomDraft => ({
  kind: "custom",
  name: "",
  description: "",
  schema: '{ "type": "object", "properties": {} }',
});

function builtInOf(sent: ToolsetInput): BuiltInDraft {
  const usual = usualOf(sent);
  const tools = Object.fromEntries(
    builtInNames.map((name) => [
      name,
      behaviourOf(
        sent.configs?.find((each) => each.name === name),
        usual,
      ),
    ]),
  ) as BuiltInDraft["tools"];
  return { kind: "built_in", tools, sent };
}

function toolOf(tool: ToolInput, servers: AgentConfig["mcp_servers"]): ToolDraft {
  if (tool.type === "agent_toolset_20260401") return builtInOf(tool);
  if (tool.type === "custom") {
    const { name, description, input_schema: schema } = tool;
    return { kind: "custom", name, description, schema: jsonText(schema) };
  }
  const server = servers?.find(({ name }) => name === tool.mcp_server_name);
  const url = server?.url ?? "";
  return { kind: "server", name: tool.mcp_server_name, url, ...usualOf(tool), sent: tool };
}

export function draftOf(config: AgentConfig): AgentDraft {
  const model: ModelObject =
    typeof config.model === "string" ? { id: config.model } : { ...config.model };
  const { id, effort, ...modelRest } = model;
  const { multiagent, execution_identity } = config;
  return {
    name: config.name,
    description: config.description ?? "",
    model: id,
    effort: (typeof effort === "object" ? effort?.type : effort) ?? "",
    modelRest,
    system: config.system ?? config.system_prompt ?? "",
    tools: (config.tools ?? []).map((tool) => toolOf(tool, config.mcp_servers)),
    skills: config.skills ?? [],
    pairs: pairsOf(config.metadata ?? {}),
    rest: {
      ...(multiagent != null && { multiagent }),
      ...(execution_identity != null && { execution_identity }),
    },
  };
}

export const blank: AgentConfig = {
  name: "",
  model: "",
  tools: [{ type: "agent_toolset_20260401" }],
};

/** What the tool says of those that differ from the rest, and of those that it spoke of before. */
function builtInConfigs({ tools, sent }: BuiltInDraft): NonNullable<ToolsetInput["configs"]> {
  const usual = JSON.stringify(usualOf(sent));
  const before = sent.configs ?? [];
  const others = builtInNames.filter(
    (name) => JSON.stringify(tools[name]) !== usual && before.every((each) => each.name !== name),
  );
  return [
    ...before.map((config) => ({ ...config, ...sentAs(tools[config.name]) })),
    ...others.map((name) => ({ name, ...sentAs(tools[name]) })),
  ];
}

function toolInputOf(tool: ToolDraft): ToolInput {
  if (tool.kind === "built_in") {
    const configs = builtInConfigs(tool);
    return { ...tool.sent, ...(configs.length > 0 && { configs }) };
  }
  if (tool.kind === "server")
    return { ...tool.sent, mcp_server_name: tool.name.trim(), default_config: sentAs(tool) };
  const { name, description, schema } = tool;
  return {
    type: "custom",
    name,
    description,
    input_schema: schemaOf(schema) ?? { type: "object" },
  };
}

type Schema = Extract<ToolInput, { type: "custom" }>["input_schema"];

/** Undefined where it is no JSON of an object. */
export function schemaOf(text: string): Schema | undefined {
  try {
    const schema: unknown = JSON.parse(text);
    return typeof schema === "object" && schema !== null && !Array.isArray(schema)
      ? (schema as Schema)
      : undefined;
  } catch {
    return undefined;
  }
}

export function configOf(draft: AgentDraft) {
  const { name, description, model, effort, modelRest, system, tools, skills, pairs } = draft;
  return {
    name: name.trim(),
    description: description === "" ? null : description,
    model: {
      id: model,
      ...(effort !== "" && { effort: effort as NonNullable<ModelObject["effort"]> }),
      ...modelRest,
    },
    system: system === "" ? null : system,
    tools: tools.map(toolInputOf),
    mcp_servers: tools.flatMap((tool) =>
      tool.kind === "server"
        ? [{ type: "url" as const, name: tool.name.trim(), url: tool.url.trim() }]
        : [],
    ),
    skills,
    multiagent: null,
    execution_identity: null,
    ...draft.rest,
    metadata: recordOf(pairs),
  } satisfies AgentConfig;
}
export type WholeConfig = ReturnType<typeof configOf>;

/** Which parts differ between two drafts. */
export function differingFields(before: AgentDraft, after: AgentDraft): Field[] {
  const [one, other] = [configOf(before), configOf(after)];
  return (Object.keys(one) as Field[]).filter(
    (field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]),
  );
}
