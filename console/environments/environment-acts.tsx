// What can be done with an environment: changed, closed, deleted.
import { Archive, Copy, Pencil, Trash2 } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { say } from "../kit/page/say.ts";
import { server, type Environment } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { editEnvironment } from "./environment-form.tsx";
import { forgetList, renewEnvironments, type Workspace } from "./environments.ts";

export function environmentActs(
  environment: Environment,
  workspace: Workspace,
  onDeleted?: () => void,
): MenuAct[] {
  const isOpen = environment.archived_at === null;
  return [
    {
      label: "Edit",
      icon: Pencil,
      when: isOpen,
      button: "plain",
      run: () => editEnvironment(environment, workspace),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(environment) },
    {
      label: "Archive",
      icon: Archive,
      when: isOpen,
      run: () => archive(environment, workspace),
    },
    {
      label: "Delete",
      icon: Trash2,
      isBad: true,
      run: () => remove(environment, workspace, onDeleted),
    },
  ];
}

async function copyId({ id }: Environment): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const asked = ({ id }: Environment, workspace: Workspace) => ({
  params: { environment_id: id },
  headers: inWorkspace(workspace),
});

const archive = (environment: Environment, workspace: Workspace) =>
  confirm({
    title: "Archive this environment for ever?",
    label: "Archive the environment",
    keep: "Keep it",
    run: () => server.environments.archive(asked(environment, workspace)),
    done: `${environment.name} is archived`,
    renew: renewEnvironments,
    children: (
      <p>
        No session begins in <Named>{environment.name}</Named> any more, it is not changed and gets
        no new keys. Keys that it has go on, until they are revoked.
      </p>
    ),
  });

const remove = (environment: Environment, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this environment?",
    label: "Delete the environment",
    keep: "Keep it",
    typed: environment.name,
    run: () => server.environments.delete(asked(environment, workspace)),
    done: `${environment.name} is deleted`,
    renew: () => forgetList(workspace),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        It is gone at once, for everybody
        {environment.config.type === "self_hosted" &&
          ", and so are its keys: workers that use them stop getting work"}
        . This cannot be undone.
      </p>
    ),
  });
