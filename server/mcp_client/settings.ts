// What the settings file says of MCP servers: how much of their tools a model is shown, and how long they may take.
import { Type, type Static } from "typebox";
import type { World } from "../../kernel/context.ts";
import { defineSection } from "../../kernel/settings/define.ts";
import { limits } from "./limits.ts";

const McpSection = Type.Object(
  {
    connect_seconds: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: limits.connectSecondsMax }),
    ),
    call_seconds: Type.Optional(Type.Number({ minimum: 0.1, maximum: limits.callSecondsMax })),
    /** Of a task that a server gives in place of a result. */
    task_seconds: Type.Optional(Type.Number({ minimum: 1, maximum: limits.taskSecondsMax })),
    /** Of each server. */
    tools_max: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.toolsMax })),
    description_characters_max: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.descriptionCharactersMax }),
    ),
    schema_bytes_max: Type.Optional(Type.Integer({ minimum: 100, maximum: limits.schemaBytesMax })),
  },
  { additionalProperties: false },
);

export const mcpSection = defineSection({
  name: "mcp",
  describe: "How much of MCP servers' tools agents are shown, and how long they may take.",
  schema: McpSection,
  fallback: {},
});

export interface McpSettings {
  connectMs: number;
  callMs: number;
  taskMs: number;
  toolsMax: number;
  descriptionCharactersMax: number;
  schemaBytesMax: number;
}

export function mcpSettingsOf({ sections }: Pick<World, "sections">): McpSettings {
  const given = (sections?.["mcp"] ?? {}) as Static<typeof McpSection>;
  return {
    connectMs: (given.connect_seconds ?? limits.connectSecondsMax) * 1000,
    callMs: (given.call_seconds ?? limits.callSecondsDefault) * 1000,
    taskMs: (given.task_seconds ?? limits.taskSecondsDefault) * 1000,
    toolsMax: given.tools_max ?? limits.toolsDefault,
    descriptionCharactersMax:
      given.description_characters_max ?? limits.descriptionCharactersDefault,
    schemaBytesMax: given.schema_bytes_max ?? limits.schemaBytesDefault,
  };
}
