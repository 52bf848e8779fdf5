// An agent as its clients see it, in the words of their version of the API.
import type { Dialect } from "../../kernel/context.ts";
import type { ModelConfig } from "./config/schema.ts";
import { shownMultiagent } from "./config/multiagent.ts";
import type { AgentVersion } from "./queries.ts";
import type { Agent } from "./schema.ts";

export function presentAgent(row: AgentVersion, dialect: Dialect): Agent {
  return {
    ...presentConfig(row, dialect),
    metadata: row.config.metadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    archived_at: row.archivedAt?.toISOString() ?? null,
  };
}

/** What a session has of it too. */
export function presentConfig(
  { id, version, config }: Pick<AgentVersion, "id" | "version" | "config">,
  dialect: Dialect,
) {
  const { name, description, model, system, multiagent, metadata: _metadata, ...rest } = config;
  return {
    id,
    type: "agent" as const,
    version,
    name,
    description,
    model: presentModel(model, dialect),
    system,
    system_prompt: system,
    ...rest,
    multiagent: multiagent === null ? null : shownMultiagent(multiagent, { id, version }),
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

/** What was shown in either version of the API, in this one. */
export function reshownModel({ effort, ...model }: Agent["model"], dialect: Dialect) {
  const level = typeof effort === "object" ? effort.type : effort;
  return presentModel({ ...model, ...(level !== undefined && { effort: level }) }, dialect);
}
