// What can be done with a skill and with its versions.
import { Copy, Download, Trash2, Upload } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { say } from "../kit/page/say.ts";
import { server, type Skill, type SkillVersion } from "../kit/server/api.ts";
import { saveAs } from "../kit/server/save-as.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { exactTime } from "../kit/value/time.ts";
import { contentOf, forgetList, forgetVersion, type Workspace } from "./skill-queries.ts";
import { uploadSkill } from "./upload/upload-skill.tsx";

export function skillActs(
  skill: Skill,
  workspace: Workspace,
  then: { onUploaded: (skill: string) => void; onDeleted?: () => void },
): MenuAct[] {
  return [
    {
      label: "New version",
      icon: Upload,
      button: "plain",
      run: () => uploadSkill({ workspace, skill, onDone: then.onUploaded }),
    },
    {
      label: "Download",
      icon: Download,
      run: () => void download(workspace, skill.id, "latest"),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(skill) },
    {
      label: "Delete",
      icon: Trash2,
      isBad: true,
      run: () => remove(skill, workspace, then.onDeleted),
    },
  ];
}

async function copyId({ id }: Skill): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

/** A link cannot send the workspace: the page fetches the zip, and hands it over whole. */
async function download(workspace: Workspace, skill: string, version: string): Promise<void> {
  try {
    const { name } = await server.skills.versions.retrieve({
      params: { skill_id: skill, version },
      headers: inWorkspace(workspace),
    });
    saveAs(await contentOf(workspace, skill, version), `${name}.zip`);
  } catch (error) {
    say.error(error);
  }
}

const remove = (skill: Skill, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this skill?",
    label: "Delete the skill",
    keep: "Keep it",
    typed: skill.display_name,
    run: () =>
      server.skills.delete({ params: { skill_id: skill.id }, headers: inWorkspace(workspace) }),
    done: `${skill.display_name} is deleted`,
    renew: () => forgetList(workspace),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        All its versions are gone at once. Agents that name it keep the name, and are refused where
        they would need it. This cannot be undone: download it before, if somebody may want it.
      </p>
    ),
  });

export const versionActs = (
  version: SkillVersion,
  workspace: Workspace,
  { isOnly, onDeleted }: { isOnly: boolean; onDeleted: (version: string) => void },
): MenuAct[] => [
  {
    label: "Download",
    icon: Download,
    run: () => void download(workspace, version.skill_id, version.id),
  },
  {
    label: "Delete version",
    icon: Trash2,
    isBad: true,
    // The only version goes with its skill alone.
    when: !isOnly,
    run: () =>
      confirm({
        title: "Delete this version?",
        label: "Delete the version",
        keep: "Keep it",
        run: () =>
          server.skills.versions.delete({
            params: { skill_id: version.skill_id, version: version.id },
            headers: inWorkspace(workspace),
          }),
        done: "The version is deleted",
        renew: () => forgetVersion(version.id),
        next: () => onDeleted(version.id),
        children: (
          <p>
            The version of <Named>{exactTime(version.created_at)}</Named> is gone at once. Agents
            that are kept at it are refused where they would need it. This cannot be undone.
          </p>
        ),
      }),
  },
];
