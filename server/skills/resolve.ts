// The skills that an agent names: each found, with the version that it means now.
import { invalid } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import * as queries from "./queries.ts";
import { latestAlias } from "./versions.ts";

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

export async function resolveSkills(
  on: Queryable,
  workspaceId: string,
  refs: readonly SkillRef[],
): Promise<ResolvedSkill[]> {
  const resolved: ResolvedSkill[] = [];
  for (const [index, ref] of refs.entries())
    resolved.push(await resolve(on, workspaceId, `skills.${index}`, ref));
  return resolved;
}

async function resolve(
  on: Queryable,
  workspaceId: string,
  field: string,
  { type, skill_id, version }: SkillRef,
): Promise<ResolvedSkill> {
  if (type === "anthropic")
    throw invalid(
      `${field}.skill_id: this server has no skills of the type anthropic. Upload the skill with POST /v1/skills, and name it with the type custom.`,
    );
  const id = version == null || version === latestAlias ? null : version;
  const row = await queries.findVersion(on, workspaceId, skill_id, id);
  if (row !== undefined) {
    const { name, description } = row;
    return { type, skill_id, version: row.id, name, description };
  }
  if ((await queries.findSkill(on, workspaceId, skill_id)) === undefined)
    throw invalid(
      `${field}.skill_id: there is no skill ${shown(skill_id)} in this workspace. GET /v1/skills lists them, POST /v1/skills uploads one.`,
    );
  throw invalid(
    `${field}.version: the skill ${skill_id} has no version ${shown(id ?? "")}. Name another one, or latest.`,
  );
}

/** The first of what was resolved that is gone since; the skill itself may be there in other versions. */
export async function findGoneSkill(
  on: Queryable,
  workspaceId: string,
  skills: readonly Pick<ResolvedSkill, "skill_id" | "version">[],
): Promise<{ skillId: string; version: string; isThere: boolean } | undefined> {
  if (skills.length === 0) return undefined;
  const named = skills.map(({ skill_id, version }) => ({ skillId: skill_id, id: version }));
  const gone = await queries.findMissingVersion(on, workspaceId, named);
  if (gone === undefined) return undefined;
  const { skillId, id } = gone;
  const isThere = (await queries.findSkill(on, workspaceId, skillId)) !== undefined;
  return { skillId, version: id, isThere };
}

const shown = (id: string) => JSON.stringify(id.slice(0, 120));
