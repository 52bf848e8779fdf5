// Shapes of agents on the wire.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../kernel/http/pages.ts";
import { closed } from "../../kernel/http/route.ts";
import { toldFields } from "../../kernel/http/input/told-fields.ts";
import { efforts } from "../models/module.ts";
import { configFields, ExecutionIdentity, MetadataValue, ModelInput } from "./config/schema.ts";
import { Multiagent } from "./config/schema-multiagent.ts";
import { AgentTool } from "./config/schema-tools.ts";
import { Id, nullable, optional, VersionNumber } from "./config/shapes.ts";

const Time = Type.String({ format: "date-time" });
const Level = Type.Enum([...efforts]);

export const Agent = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("agent"),
    version: Type.Integer(),
    name: Type.String(),
    description: nullable(Type.String()),
    model: Type.Object({
      id: Type.String(),
      /** A plain word in the older version of the API. Absent where the model takes none. */
      effort: optional(Type.Union([Type.Object({ type: Level }), Level])),
      speed: Type.Enum(["standard", "fast"]),
      inference_geo: optional(Type.String()),
    }),
    system: nullable(Type.String()),
    /** The same text: its other name. */
    system_prompt: nullable(Type.String()),
    tools: Type.Array(AgentTool),
    mcp_servers: Type.Array(
      Type.Object({ type: Type.Literal("url"), name: Type.String(), url: Type.String() }),
    ),
    skills: Type.Array(
      Type.Object({
        type: Type.Enum(["anthropic", "custom"]),
        skill_id: Type.String(),
        version: Type.String(),
      }),
    ),
    metadata: Type.Record(Type.String(), Type.String()),
    multiagent: nullable(Multiagent),
    execution_identity: ExecutionIdentity,
    created_at: Time,
    /** When this version was made. */
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "Agent" },
);
export type Agent = Static<typeof Agent>;
export const AgentPage = cursorPage(Agent);

const Name = Type.String({ minLength: 1 });

export const CreateAgent = closed({
  name: Name,
  model: ModelInput,
  ...configFields,
  metadata: optional(nullable(Type.Record(Type.String(), MetadataValue))),
});
export type CreateAgent = Static<typeof CreateAgent>;

export const UpdateAgent = closed({
  ...toldFields("agent"),
  /** The version that the change is meant for: it is refused where the agent has another by now. */
  version: optional(VersionNumber),
  name: optional(Name),
  model: optional(ModelInput),
  ...configFields,
  /** A key that is null goes; one that is not named stays. */
  metadata: optional(nullable(Type.Record(Type.String(), nullable(MetadataValue)))),
});
export type UpdateAgent = Static<typeof UpdateAgent>;

export const AgentParams = closed({ agent_id: Id });
export const AgentVersionQuery = closed({ version: optional(VersionNumber) });
export type AgentVersionQuery = Static<typeof AgentVersionQuery>;
export const AgentQuery = closed({
  ...cursorQuery,
  include_archived: optional(Type.Boolean()),
  /** Both bounds belong to it. */
  created_at: optional(closed({ gte: optional(Time), lte: optional(Time) })),
});
export type AgentQuery = Static<typeof AgentQuery>;
export const VersionsQuery = closed(cursorQuery);
export type VersionsQuery = Static<typeof VersionsQuery>;
