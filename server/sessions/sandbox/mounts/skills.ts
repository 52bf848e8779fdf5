// The skills of a session's agents, each in a folder of its name, read-only.
import { buffer } from "node:stream/consumers";
import { readZip } from "../../../../kernel/archive/zip-reader.ts";
import { isFailure } from "../../../../kernel/base/failure.ts";
import { readSkillFolder } from "../../../skills/module.ts";
import type { FolderFile } from "../../../sandboxes/module.ts";
import type { PinnedAgent } from "../../queries.ts";
import { membersOf } from "../../model/members.ts";
import { skillsPlace } from "./places.ts";
import type { MountWork } from "./store.ts";

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
