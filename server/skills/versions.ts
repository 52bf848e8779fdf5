// Versions of skills: uploaded, shown, listed, handed out and deleted; never changed.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context, World } from "../../kernel/context.ts";
import type { Form } from "../../kernel/http/input/multipart.ts";
import { ranged } from "../../kernel/http/output/ranges.ts";
import type { Reply } from "../../kernel/http/output/reply.ts";
import { makeCursors, pageSize, toCursorPage } from "../../kernel/http/pages.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { recordByCaller } from "../audit/module.ts";
import { workspaceOf } from "../workspaces/module.ts";
import { openArchive, releaseArchives, removeBlob, storeArchive } from "./content/store.ts";
import { receiveFolder } from "./folder/receive.ts";
import { limits } from "./limits.ts";
import * as queries from "./queries.ts";
import type { SkillVersion, VersionQuery } from "./schema.ts";
import { lockSkill, retrieveSkill, tellSkills } from "./service.ts";

export async function createVersion(
  context: Context,
  skillId: string,
  form: Form,
): Promise<SkillVersion> {
  const { ids, clock, who } = context;
  const { organizationId } = who;
  const workspaceId = workspaceOf(context);
  await retrieveSkill(context, skillId);
  const { name, description, ...content } = await receiveFolder(context, form);
  const version: queries.NewVersion = {
    id: ids.next("skillver_"),
    organizationId,
    skillId,
    description,
    sha256: content.sha256,
    createdAt: clock.now(),
  };
  await storeArchive(context, organizationId, content, async (tx) => {
    await expectRoomForVersion(tx, context, skillId, name);
    await queries.insertVersion(tx, workspaceId, version);
    await recordVersionEvent(tx, context, "created", skillId, version.id);
  });
  return present({ ...version, name });
}

async function expectRoomForVersion(
  tx: Tx,
  context: Context,
  skillId: string,
  name: string,
): Promise<void> {
  const skill = await lockSkill(tx, context, skillId);
  if (skill.name !== name)
    throw invalid(
      `files[]: SKILL.md: its name is ${name}, and that of the skill ${skillId} is ${skill.name}, which stays. Name it so, or make another skill.`,
    );
  const versions = await queries.countVersions(tx, workspaceOf(context), skillId);
  if (versions >= limits.versionsPerSkill)
    throw invalid(
      `The skill ${skillId} has ${versions} versions, and ${limits.versionsPerSkill} are allowed. Delete some first.`,
      { code: "skill_version_limit_exceeded" },
    );
}

/** What stands for the newest version, in paths and in what agents name. */
export const latestAlias = "latest";

async function expectVersion(
  on: Queryable,
  workspaceId: string,
  skillId: string,
  version: string,
): Promise<queries.VersionRow> {
  const id = version === latestAlias ? null : version;
  const row = await queries.findVersion(on, workspaceId, skillId, id);
  if (row !== undefined) return row;
  if ((await queries.findSkill(on, workspaceId, skillId)) === undefined)
    throw notFound("skill", skillId);
  throw notFound("skill version", version);
}

export async function retrieveVersion(
  context: Context,
  skillId: string,
  version: string,
): Promise<SkillVersion> {
  return present(await expectVersion(context.db, workspaceOf(context), skillId, version));
}

export async function listVersions(context: Context, skillId: string, query: VersionQuery) {
  const { db, secrets } = context;
  const workspaceId = workspaceOf(context);
  await retrieveSkill(context, skillId);
  const size = pageSize(query.limit);
  const cursors = makeCursors(secrets);
  const list = `versions of ${skillId}`;
  const before = cursors.read(list, workspaceId, query.page) as number | undefined;
  const window = { before: before ?? null, rows: size + 1 };
  const rows = await queries.listVersions(db, workspaceId, skillId, window);
  const page = toCursorPage(rows, size, ({ seq }) => cursors.write(list, workspaceId, seq));
  return { ...page, data: page.data.map(present) };
}

export async function downloadVersion(
  context: Context,
  skillId: string,
  version: string,
): Promise<Reply> {
  const workspaceId = workspaceOf(context);
  const row = await expectVersion(context.db, workspaceId, skillId, version);
  const expectStill = () => expectVersion(context.db, workspaceId, skillId, row.id);
  return ranged(
    (range) => openArchive(context, row, expectStill, range),
    {
      bytes: row.bytes,
      type: "application/zip",
      etag: `"${row.id}"`,
      headers: {
        "content-disposition": `attachment; filename="${row.name}.zip"`,
        "x-content-type-options": "nosniff",
        "cache-control": "private, no-store",
      },
    },
    context.headers,
  );
}

/** For sandboxes: a zip whose one folder bears the name. */
export async function readSkillFolder(
  world: World,
  workspaceId: string,
  { skillId, version }: { skillId: string; version: string },
) {
  const find = (id: string) => expectVersion(world.db, workspaceId, skillId, id);
  const row = await find(version);
  const { id, name, description, bytes } = row;
  const archive = await openArchive(world, row, () => find(id));
  return { version: id, name, description, bytes, archive };
}

/** The last one goes with its skill alone, which holds one at least. */
export async function deleteVersion(context: Context, skillId: string, id: string) {
  const { db, clock, who } = context;
  const workspaceId = workspaceOf(context);
  if (id === latestAlias)
    throw invalid("version: is deleted by its id, not as latest, which is another one after that.");
  const unused = await db.tx(async (tx) => {
    await lockSkill(tx, context, skillId);
    const at = clock.now();
    const sha256 = await queries.deleteVersion(tx, workspaceId, skillId, { id, at });
    if (sha256 === undefined) throw notFound("skill version", id);
    if ((await queries.countVersions(tx, workspaceId, skillId)) === 0)
      throw invalid(
        `The skill version ${id} is the only one of its skill, which holds one at least. Upload another one first, or delete the skill ${skillId}.`,
        { code: "last_skill_version" },
      );
    await recordVersionEvent(tx, context, "deleted", skillId, id);
    return releaseArchives(tx, who.organizationId, [sha256]);
  });
  for (const blobId of unused) await removeBlob(context, who.organizationId, blobId);
  return { id, type: "skill_version_deleted" as const };
}

function recordVersionEvent(
  tx: Tx,
  context: Context,
  verb: string,
  skillId: string,
  id: string,
): Promise<void> {
  tellSkills(tx, context);
  return recordByCaller(tx, context, {
    action: `skill_version.${verb}`,
    target: { type: "skill_version", id },
    details: { skill_id: skillId },
  });
}

const present = (
  row: Pick<queries.VersionRow, "id" | "skillId" | "name" | "description" | "createdAt">,
): SkillVersion => ({
  id: row.id,
  type: "skill_version",
  skill_id: row.skillId,
  name: row.name,
  description: row.description,
  created_at: row.createdAt.toISOString(),
});
