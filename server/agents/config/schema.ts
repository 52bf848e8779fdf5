// Shapes of an agent's configuration: each field as it is sent, and the whole as it is kept.
import Type, { type Static } from "typebox";
import { limits as baseLimits } from "../../../kernel/base/limits.ts";
import { closed } from "../../../kernel/http/route.ts";
import { worded } from "../../../kernel/base/patterns.ts";
import { efforts, type Effort } from "../../models/module.ts";
import { limits } from "../limits.ts";
import { MultiagentInput, type KeptMultiagent } from "./schema-multiagent.ts";
import { ToolsInput, type AgentTool } from "./schema-tools.ts";
import { Id, ModelName, nullable, optional } from "./shapes.ts";

const Level = Type.Enum([...efforts]);
const Speed = Type.Enum(["standard", "fast"]);

export const ModelInput = Type.Union([
  ModelName,
  closed({
    id: ModelName,
    effort: optional(nullable(Type.Union([Level, closed({ type: Level })]))),
    speed: optional(nullable(Speed)),
    inference_geo: optional(
      nullable(Type.String({ minLength: 1, maxLength: limits.geoCharactersMax })),
    ),
  }),
]);
export type ModelInput = Static<typeof ModelInput>;

export const ServersInput = Type.Array(
  closed({
    type: Type.Literal("url"),
    name: Type.String({ minLength: 1, maxLength: limits.serverNameCharactersMax }),
    url: Type.String({ minLength: 1, maxLength: limits.urlCharactersMax }),
  }),
  { maxItems: limits.serversMax },
);
export type McpServer = Static<typeof ServersInput>[number];

export const SkillsInput = Type.Array(
  closed({
    type: Type.Enum(["anthropic", "custom"]),
    skill_id: Id,
    version: optional(nullable(Id)),
  }),
  { maxItems: limits.skillsMax },
);
export type SkillsInput = Static<typeof SkillsInput>;

export const ExecutionIdentity = Type.Union([
  closed({ type: Type.Literal("service_account") }),
  closed({
    type: Type.Literal("aws_role"),
    role_arn: Type.String({
      maxLength: limits.roleArnCharactersMax,
      ...worded(
        "^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\\x21-\\x7e]+$",
        "must be the ARN of a role, such as arn:aws:iam::123456789012:role/my-agent-runner",
      ),
    }),
  }),
]);
export type ExecutionIdentity = Static<typeof ExecutionIdentity>;

export const SystemInput = nullable(Type.String({ maxLength: limits.systemCharactersMax }));
export const DescriptionInput = nullable(
  Type.String({ maxLength: limits.descriptionCharactersMax }),
);
export const MetadataValue = Type.String({ maxLength: baseLimits.metadataValueCharactersMax });

/** What creating and updating take in common; null and an empty list clear. */
export const configFields = {
  description: optional(DescriptionInput),
  system: optional(SystemInput),
  /** Another name of `system`. */
  system_prompt: optional(SystemInput),
  tools: optional(nullable(ToolsInput)),
  mcp_servers: optional(nullable(ServersInput)),
  skills: optional(nullable(SkillsInput)),
  multiagent: optional(nullable(MultiagentInput)),
  execution_identity: optional(nullable(ExecutionIdentity)),
};
const ConfigFields = closed(configFields);

/** What a request says of a configuration. A session says a few of these of its agent's. */
export type ConfigInput = Static<typeof ConfigFields> & {
  name?: string;
  model?: ModelInput;
  metadata?: Readonly<Record<string, string | null>> | null;
};

export interface ModelConfig {
  /** As it was asked for, an alias too: where it leads to is looked up when the agent runs. */
  id: string;
  /** Absent where the model takes none. */
  effort?: Effort;
  speed: "standard" | "fast";
  /** Absent: the workspace's default. */
  inference_geo?: string;
}

export interface AgentSkill {
  type: "anthropic" | "custom";
  skill_id: string;
  version: string;
}

/** Whole: every default is filled in, every reference has its version. What a version of an agent keeps. */
export interface AgentConfig {
  name: string;
  description: string | null;
  model: ModelConfig;
  system: string | null;
  tools: AgentTool[];
  mcp_servers: McpServer[];
  skills: AgentSkill[];
  metadata: Record<string, string>;
  multiagent: KeptMultiagent | null;
  execution_identity: ExecutionIdentity;
}
