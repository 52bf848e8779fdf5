// The files that a session is given, where their paths say, and the skills of its agents: all read-only.
import { posix } from "node:path";
import { buffer } from "node:stream/consumers";
import { readZip } from "../../../../kernel/archive/zip-reader.ts";
import { isFailure } from "../../../../kernel/base/failure.ts";
import type { Actor } from "../../../../kernel/context.ts";
import { expectThere, namedFiles, openContent } from "../../../files/module.ts";
import { type MountedSandbox, runInside } from "../../../mounts/module.ts";
import { type FolderFile, SandboxError } from "../../../sandboxes/module.ts";
import { readSkillFolder } from "../../../skills/module.ts";
import { membersOf } from "../../model/members.ts";
import type { PinnedAgent } from "../../queries.ts";
import { listResources } from "../../resources/queries.ts";
import { skillsPlace, uploadsPlace } from "./places.ts";
import type { MountWork } from "./work.ts";

interface Upload {
  id: string;
  fileId: string;
  mountPath: string;
  /** In the folder of uploads. */
  path: string;
}

/** By the id of the resource: those that the sandbox has. */
export type UploadsState = Map<string, Upload>;

/** Files can be given and taken at any time: each is there, or gone, at the next call. */
export async function fillUploads(
  work: MountWork,
  actor: Actor,
  state: UploadsState,
): Promise<void> {
  const { world, session, sandbox } = work;
  const rows = await listResources(world.db, [session.id]);
  const wanted = rows.flatMap((row) => (row.type === "file" ? uploadOf(row) : []));
  const gone = [...state.values()].filter(({ id }) => wanted.every((upload) => upload.id !== id));
  if (gone.length > 0) await sandbox.fill(uploadsPlace, { removed: gone.map(({ path }) => path) });
  await unlinkFiles(sandbox, linksOf(gone));
  for (const { id } of gone) state.delete(id);
  const added = wanted.filter(({ id }) => !state.has(id));
  const files = await namedFiles(actor, [...new Set(added.map(({ fileId }) => fileId))]);
  for (const upload of added) await fillOne(work, actor, state, { upload, files });
  await linkAll(work, state);
}

function uploadOf({ id, shown }: { id: string; shown: Record<string, unknown> }): Upload {
  const [fileId, mountPath] = [String(shown["file_id"]), String(shown["mount_path"])];
  const isBelow = mountPath.startsWith(`${uploadsPlace}/`) && !hasDot(mountPath);
  // Its own path gets a link to it: what lies among the agent's files could not be kept from being changed.
  const path = isBelow
    ? mountPath.slice(uploadsPlace.length + 1)
    : `.linked/${id}/${posix.basename(mountPath)}`;
  return { id, fileId, mountPath, path };
}

/** The server's own names in the folder begin so. */
const hasDot = (mountPath: string) => mountPath.startsWith(`${uploadsPlace}/.`);

async function fillOne(
  { sandbox, notes }: MountWork,
  actor: Actor,
  state: UploadsState,
  { upload, files }: { upload: Upload; files: Awaited<ReturnType<typeof namedFiles>> },
): Promise<void> {
  const { id, fileId, path, mountPath } = upload;
  try {
    const file = expectThere(actor, fileId, files.get(fileId));
    const content = await openContent(actor, file);
    await sandbox.fill(uploadsPlace, { files: [{ path, content }] });
    state.set(id, upload);
  } catch (error) {
    if (!isFailure(error) && !(error instanceof SandboxError)) throw error;
    const text = `The file ${mountPath} is not there: ${error.message}`;
    notes.tell({ kind: "file", storeId: null, text }, mountPath, error.message);
  }
}

const linksOf = (uploads: readonly Upload[]) =>
  uploads.flatMap(({ mountPath, path }) => {
    const target = `${uploadsPlace}/${path}`;
    return target === mountPath ? [] : { target, place: mountPath };
  });

async function linkAll({ sandbox, notes }: MountWork, state: UploadsState): Promise<void> {
  const links = linksOf([...state.values()]);
  if (links.length === 0) return;
  const areThere = await linkFiles(sandbox, links);
  for (const [at, { target, place }] of links.entries()) {
    if (areThere[at] === true) continue;
    const text = `${place} could not be put there, or something else stands there: the file lies in ${target}.`;
    notes.tell({ kind: "file", storeId: null, text }, place, target);
  }
}

const linkScript = `while IFS= read -r -d '' target && IFS= read -r -d '' place; do
if [ -L "$place" ] && [ "$(readlink -- "$place")" = "$target" ]; then printf 0
elif [ -e "$place" ] || [ -L "$place" ]; then printf 1
else mkdir -p -- "\${place%/*}" 2>/dev/null && ln -sT -- "$target" "$place" 2>/dev/null; printf $?; fi
done; :`;

/** Links to what the server has put somewhere else; says of each whether it is there. */
async function linkFiles(
  sandbox: MountedSandbox,
  links: readonly { target: string; place: string }[],
): Promise<boolean[]> {
  const stdin = Buffer.from(links.map(({ target, place }) => `${target}\0${place}\0`).join(""));
  const bytesMax = links.length;
  const { output } = await runInside(sandbox, { text: linkScript, words: [], stdin, bytesMax });
  return links.map((_, at) => output[at] === 0x30);
}

const unlinkScript = `while IFS= read -r -d '' target && IFS= read -r -d '' place; do
if [ -L "$place" ] && [ "$(readlink -- "$place")" = "$target" ]; then rm -f -- "$place" 2>/dev/null; fi
done; :`;

/** Those that still lead there; the agent may have put something else in their places. */
async function unlinkFiles(
  sandbox: MountedSandbox,
  links: readonly { target: string; place: string }[],
): Promise<void> {
  const stdin = Buffer.from(links.map(({ target, place }) => `${target}\0${place}\0`).join(""));
  if (links.length > 0)
    await runInside(sandbox, { text: unlinkScript, words: [], stdin, bytesMax: 0 });
}

/** One that has been deleted since is not there; its agent is told of it no more either. */
export async function fillSkills(work: MountWork, agent: PinnedAgent): Promise<void> {
  const { world, session, sandbox } = work;
  const members = await membersOf(world.db, session.workspaceId, agent);
  const named = [agent, ...members.map((member) => member.agent)].flatMap(
    ({ config }) => config.skills,
  );
  const versions = new Map(named.map((skill) => [`${skill.skill_id} ${skill.version}`, skill]));
  await sandbox.fill(skillsPlace, { isWhole: true });
  for (const { skill_id: skillId, version } of versions.values()) {
    const files = await readSkill(work, { skillId, version });
    if (files.length > 0) await sandbox.fill(skillsPlace, { files });
  }
}

async function readSkill(
  { world, session }: MountWork,
  named: { skillId: string; version: string },
): Promise<FolderFile[]> {
  try {
    const { archive } = await readSkillFolder(world, session.workspaceId, named);
    const entries = readZip(await buffer(archive), { entriesMax });
    return await Promise.all(
      entries.map(async ({ name = "", mode, read }) => ({
        path: name,
        content: await read(),
        isExecutable: (mode & 0o111) !== 0,
      })),
    );
  } catch (error) {
    if (isFailure(error) && error.status === 404) return [];
    throw error;
  }
}

/** More than there are files in one: the server packed it. */
const entriesMax = 2_000;
