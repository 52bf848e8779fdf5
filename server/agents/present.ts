// An agent as its clients see it, in the words of their version of the API.
import type { Dialect } from "../../kernel/context.ts";
import type { ModelConfig } from "./config/schema.ts";
import { shownMultiagent } from "./config/multiagent.ts";
import type { AgentVersion } from "./queries.ts";
import type { Agent } from "./schema.ts";

export function presentAgent(row: AgentVersion, dialect: Dialect): Agent {
  const { id, version, config } = row;
  const { name, description, model, system, multiagent, ...rest } = config;
  return {
    id,
    type: "agent",
    version,
    name,
    description,
    model: presentModel(model, dialect),
    system,
    system_prompt: system,
    ...rest,
    multiagent: multiagent === null ? null : shownMultiagent(multiagent, { id, version }),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    archived_at: row.archivedAt?.toISOString() ?? null,
  };
}

/** The one key that has two shapes: an effort is an object in the newer version, and a word in the older. */
export const presentModel = (
  { effort, ...model }: ModelConfig,
  dialect: Dialect,
): Agent["model"] => ({
  ...model,
  ...(effort !== undefined && { effort: dialect === "2023-06-01" ? effort : { type: effort } }),
});
