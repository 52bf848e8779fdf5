// Uploads, shows, lists and deletes skills.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import type { Form } from "../../kernel/http/input/multipart.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { lockOrganization, tellChanges, workspaceOf } from "../workspaces/module.ts";
import { releaseArchives, removeBlob, storeArchive } from "./content/store.ts";
import { receiveFolder } from "./folder/receive.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { Skill, SkillQuery } from "./schema.ts";

export async function createSkill(context: Context, form: Form): Promise<Skill> {
  const { ids, clock, who } = context;
  const { organizationId } = who;
  const workspaceId = workspaceOf(context);
  const folder = await receiveFolder(context, form);
  const createdAt = clock.now();
  const skill: queries.NewSkill = {
    id: ids.next("skill_"),
    organizationId,
    name: folder.name,
    displayName: displayNameOf(form) ?? folder.name,
    createdAt,
  };
  const versionId = ids.next("skillver_");
  await storeArchive(context, organizationId, folder, async (tx) => {
    await expectRoomForSkill(tx, context);
    await queries.insertSkill(tx, workspaceId, skill);
    const { description, sha256 } = folder;
    const facts = { id: versionId, organizationId, skillId: skill.id, createdAt };
    await queries.insertVersion(tx, workspaceId, { ...facts, description, sha256 });
    await recordSkillEvent(tx, context, "created", skill.id);
  });
  return present({ ...skill, latestVersionId: versionId, updatedAt: createdAt });
}

function displayNameOf({ fields }: Form): string | undefined {
  const given = fields["display_name"];
  if (given === undefined || given === "") return undefined;
  return cleanName("display_name", given, limits.displayNameCharactersMax);
}

async function expectRoomForSkill(tx: Tx, context: Context): Promise<void> {
  // A concurrent creation waits for this one, and then counts its skill too.
  await lockOrganization(tx, context.who.organizationId);
  const skills = await queries.countSkills(tx, workspaceOf(context));
  if (skills >= limits.skillsPerWorkspace)
    throw invalid(
      `The workspace has ${skills} skills, and ${limits.skillsPerWorkspace} are allowed. Delete some first.`,
      { code: "skill_limit_exceeded" },
    );
}

export async function retrieveSkill(context: Context, id: string): Promise<Skill> {
  const row = await queries.findSkill(context.db, workspaceOf(context), id);
  if (row === undefined) throw notFound("skill", id);
  return present(row);
}

export async function listSkills(context: Context, query: SkillQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const before = cursors.read("skills", workspaceId, query.page) as string | undefined;
  // The others come with the official service, and none of them is here.
  if (query.source !== undefined && query.source !== "custom") return { data: [], next_page: null };
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listSkills(db, workspaceId, window);
  const page = toCursorPage(rows, size, ({ id }) => cursors.write("skills", workspaceId, id));
  return { ...page, data: page.data.map(present) };
}

/** With all its versions; their blobs go when the transaction stands. */
export async function deleteSkill(context: Context, id: string) {
  const { db, who } = context;
  const workspaceId = workspaceOf(context);
  const unused = await db.tx(async (tx) => {
    await lockSkill(tx, context, id);
    const hashes = await queries.deleteVersions(tx, workspaceId, id);
    await queries.deleteSkill(tx, workspaceId, id);
    await recordSkillEvent(tx, context, "deleted", id);
    return releaseArchives(tx, who.organizationId, hashes);
  });
  for (const blobId of unused) await removeBlob(context, who.organizationId, blobId);
  return { id, type: "skill_deleted" as const };
}

export async function lockSkill(tx: Tx, context: Context, id: string): Promise<{ name: string }> {
  const skill = await queries.lockSkill(tx, workspaceOf(context), id);
  if (skill === undefined) throw notFound("skill", id);
  return skill;
}

function recordSkillEvent(tx: Tx, context: Context, verb: string, id: string): Promise<void> {
  tellSkills(tx, context);
  return recordByCaller(tx, context, { action: `skill.${verb}`, target: { type: "skill", id } });
}

/** One of them has come or gone, or has another newest version. */
export const tellSkills = (tx: Tx, context: Context): void =>
  tellChanges(tx, context, workspaceOf(context), [{ of: "list", list: "skills" }]);

const present = (row: Omit<queries.SkillRow, "name">): Skill => ({
  id: row.id,
  type: "skill",
  display_name: row.displayName,
  latest_version_id: row.latestVersionId,
  source: { type: "custom" },
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
