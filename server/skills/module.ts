// The face of skills: this server has none yet, so that none can be named.
import { invalid } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";

export interface SkillRef {
  type: "anthropic" | "custom";
  skill_id: string;
  version?: string | null;
}

export interface ResolvedSkill {
  type: "anthropic" | "custom";
  skill_id: string;
  version: string;
  name: string;
  description: string;
}

/** Each with the version that it has now; a Failure names the first that is not there. */
export async function resolveSkills(
  _on: Queryable,
  _workspaceId: string,
  refs: readonly SkillRef[],
): Promise<ResolvedSkill[]> {
  const [first] = refs;
  if (first === undefined) return [];
  throw invalid(
    `skills.0.skill_id: there is no skill ${JSON.stringify(first.skill_id)} here; leave it out.`,
  );
}
