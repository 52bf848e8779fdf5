// Statements about skills and their versions.
import assert from "node:assert/strict";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { preparedAs, sql, type Statement } from "../../kernel/sql/statement.ts";

export interface SkillRow {
  id: string;
  name: string;
  displayName: string;
  latestVersionId: string;
  createdAt: Date;
  updatedAt: Date;
}

const latest: Statement = sql`
  (select version.id from skill_versions as version where version.skill_id = skill.id
    order by version.seq desc limit 1)`;

const skillColumns: Statement = sql`
  skill.id, skill.name, skill.display_name as "displayName", ${latest} as "latestVersionId",
  skill.created_at as "createdAt", skill.updated_at as "updatedAt"`;

export async function findSkill(
  on: Queryable,
  workspaceId: string,
  id: string,
): Promise<SkillRow | undefined> {
  const [row] = await on.query<SkillRow>(sql`
    select ${skillColumns} from skills as skill
    where skill.workspace_id = ${workspaceId} and skill.id = ${id}`);
  return row;
}

/** Until the end of the transaction no other one makes or deletes a version of it. */
export async function lockSkill(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<{ name: string } | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`
    select name from skills where workspace_id = ${workspaceId} and id = ${id} for update`);
  return row;
}

export interface PageFrom<Position> {
  /** Older than this one. */
  before: Position | null;
  rows: number;
}

export function listSkills(
  on: Queryable,
  workspaceId: string,
  { before, rows }: PageFrom<string>,
): Promise<SkillRow[]> {
  return on.query<SkillRow>(sql`
    select ${skillColumns} from skills as skill
    where skill.workspace_id = ${workspaceId}
      and (${before}::text is null or skill.id < ${before})
    order by skill.id desc limit ${rows}`);
}

export async function countSkills(tx: Tx, workspaceId: string): Promise<number> {
  const [row] = await tx.query<{ skills: number }>(sql`
    select count(*)::int as skills from skills where workspace_id = ${workspaceId}`);
  return row?.skills ?? 0;
}

export interface NewSkill {
  id: string;
  organizationId: string;
  name: string;
  displayName: string;
  createdAt: Date;
}

export async function insertSkill(tx: Tx, workspaceId: string, skill: NewSkill): Promise<void> {
  await tx.query(sql`
    insert into skills (id, organization_id, workspace_id, name, display_name, seq, created_at,
      updated_at)
    values (${skill.id}, ${skill.organizationId}, ${workspaceId}, ${skill.name},
      ${skill.displayName}, 0, ${skill.createdAt}, ${skill.createdAt})`);
}

export async function deleteSkill(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.query(sql`delete from skills where workspace_id = ${workspaceId} and id = ${id}`);
}

export interface VersionRow {
  id: string;
  skillId: string;
  seq: number;
  name: string;
  description: string;
  createdAt: Date;
  organizationId: string;
  sha256: string;
  blobId: string;
  bytes: number;
}

const versions: Statement = sql`
  select version.id, version.skill_id as "skillId", version.seq, skill.name, version.description,
    version.created_at as "createdAt", version.organization_id as "organizationId",
    version.sha256, content.blob_id as "blobId", content.bytes
  from skill_versions as version
    join skills as skill on skill.id = version.skill_id
    join skill_contents as content
      on content.organization_id = version.organization_id and content.sha256 = version.sha256`;

/** By its id; the newest one for null. */
export async function findVersion(
  on: Queryable,
  workspaceId: string,
  skillId: string,
  id: string | null,
): Promise<VersionRow | undefined> {
  const [row] = await on.query<VersionRow>(
    preparedAs(
      "skills_find_version",
      sql`${versions}
        where skill.workspace_id = ${workspaceId} and skill.id = ${skillId}
          and (${id}::text is null or version.id = ${id})
        order by version.seq desc limit 1`,
    ),
  );
  return row;
}

/** The first of these versions that there is not, or not any more. */
export async function findMissingVersion(
  on: Queryable,
  workspaceId: string,
  named: readonly { skillId: string; id: string }[],
): Promise<{ skillId: string; id: string } | undefined> {
  const [row] = await on.query<{ skillId: string; id: string }>(sql`
    select named.skill_id as "skillId", named.id
    from unnest(${named.map(({ skillId }) => skillId)}::text[], ${named.map(({ id }) => id)}::text[])
      with ordinality as named (skill_id, id, place)
    where not exists (
      select 1 from skills as skill join skill_versions as version on version.skill_id = skill.id
      where skill.workspace_id = ${workspaceId} and skill.id = named.skill_id
        and version.id = named.id)
    order by named.place limit 1`);
  return row;
}

export function listVersions(
  on: Queryable,
  workspaceId: string,
  skillId: string,
  { before, rows }: PageFrom<number>,
): Promise<VersionRow[]> {
  return on.query<VersionRow>(sql`
    ${versions}
    where skill.workspace_id = ${workspaceId} and skill.id = ${skillId}
      and (${before}::int is null or version.seq < ${before})
    order by version.seq desc limit ${rows}`);
}

export async function countVersions(tx: Tx, workspaceId: string, skillId: string): Promise<number> {
  const [row] = await tx.query<{ versions: number }>(sql`
    select count(*)::int as versions from skill_versions
    where workspace_id = ${workspaceId} and skill_id = ${skillId}`);
  return row?.versions ?? 0;
}

export interface NewVersion {
  id: string;
  organizationId: string;
  skillId: string;
  description: string;
  sha256: string;
  createdAt: Date;
}

export async function insertVersion(
  tx: Tx,
  workspaceId: string,
  version: NewVersion,
): Promise<void> {
  const rows = await tx.query(sql`
    with numbered as (
      update skills set seq = seq + 1, updated_at = greatest(updated_at, ${version.createdAt})
      where workspace_id = ${workspaceId} and id = ${version.skillId}
      returning id, seq
    )
    insert into skill_versions (id, organization_id, workspace_id, skill_id, seq, description,
      sha256, created_at)
    select ${version.id}, ${version.organizationId}, ${workspaceId}, numbered.id, numbered.seq,
      ${version.description}, ${version.sha256}, ${version.createdAt}
    from numbered
    returning 1`);
  assert(rows.length === 1, "a version was made of a skill that is not there");
}

export async function deleteVersion(
  tx: Tx,
  workspaceId: string,
  skillId: string,
  { id, at }: { id: string; at: Date },
): Promise<string | undefined> {
  const [row] = await tx.query<{ sha256: string }>(sql`
    with gone as (
      delete from skill_versions
      where workspace_id = ${workspaceId} and skill_id = ${skillId} and id = ${id}
      returning sha256
    ), touched as (
      update skills set updated_at = greatest(updated_at, ${at})
      from gone where workspace_id = ${workspaceId} and skills.id = ${skillId}
    )
    select sha256 from gone`);
  return row?.sha256;
}

/** Answers what each of them held. */
export async function deleteVersions(
  tx: Tx,
  workspaceId: string,
  skillId: string,
): Promise<string[]> {
  const rows = await tx.query<{ sha256: string }>(sql`
    delete from skill_versions
    where workspace_id = ${workspaceId} and skill_id = ${skillId} returning sha256`);
  return rows.map(({ sha256 }) => sha256);
}
