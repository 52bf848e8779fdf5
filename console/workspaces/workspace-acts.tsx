// Changing and archiving a workspace. What ends with it is said before.
import { Archive, Pencil } from "lucide-react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api, type Me } from "../kit/server/api.ts";
import { editWorkspace } from "./workspace-form.tsx";
import { isDefaultOf, renewArchived, standing, type Workspace } from "./workspaces.ts";

export function workspaceActs(workspace: Workspace, me: Me): MenuAct[] {
  if (!standing(me, workspace.id).mayChange || workspace.archived_at !== null) return [];
  return [
    { label: "Edit", icon: Pencil, run: () => editWorkspace(workspace), button: "plain" },
    {
      label: "Archive",
      icon: Archive,
      run: () => archive(workspace),
      when: !isDefaultOf(me, workspace.id),
      isBad: true,
    },
  ];
}

const archive = ({ id, name }: Workspace) =>
  confirm({
    title: "Archive this workspace for ever?",
    label: "Archive the workspace",
    keep: "Keep it",
    typed: name,
    run: () => api.workspaces.archive({ params: { workspace_id: id } }),
    done: `${name} is archived`,
    renew: () => void renewArchived(id),
    children: (
      <>
        <p>
          All of its API keys stop working: within a second their requests are answered 401, on
          every process of this server. Batches that run there are canceled.
        </p>
        <p>
          Its files and memory stores stay stored, and nobody reaches them any more: export first
          what somebody may need. An archived workspace never opens again; its past stays in the
          audit log and in usage.
        </p>
      </>
    ),
  });
