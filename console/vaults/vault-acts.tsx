// What can be done with a vault: changed, closed, deleted.
import { Archive, Copy, Pencil, Trash2 } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { say } from "../kit/page/say.ts";
import { server, type Vault } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { editVault } from "./vault-form.tsx";
import { forgetList, renewVaults, type Workspace } from "./vaults.ts";

export function vaultActs(vault: Vault, workspace: Workspace, onDeleted?: () => void): MenuAct[] {
  const isOpen = vault.archived_at === null;
  return [
    {
      label: "Edit",
      icon: Pencil,
      when: isOpen,
      button: "plain",
      run: () => editVault(vault, workspace),
    },
    { label: "Copy id", icon: Copy, run: () => void copyId(vault) },
    { label: "Archive", icon: Archive, when: isOpen, run: () => archive(vault, workspace) },
    {
      label: "Delete",
      icon: Trash2,
      isBad: true,
      run: () => remove(vault, workspace, onDeleted),
    },
  ];
}

async function copyId({ id }: Vault): Promise<void> {
  await navigator.clipboard.writeText(id);
  say.good("The id is copied");
}

const asked = ({ id }: Vault, workspace: Workspace) => ({
  params: { vault_id: id },
  headers: inWorkspace(workspace),
});

const archive = (vault: Vault, workspace: Workspace) =>
  confirm({
    title: "Archive this vault for ever?",
    label: "Archive the vault",
    keep: "Keep it",
    run: () => server.vaults.archive(asked(vault, workspace)),
    done: `${vault.display_name} is archived`,
    renew: renewVaults,
    children: (
      <p>
        The credentials of <Named>{vault.display_name}</Named> are archived with it, and their
        secrets destroyed at once: sessions that have it go on without them.
      </p>
    ),
  });

const remove = (vault: Vault, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this vault?",
    label: "Delete the vault",
    keep: "Keep it",
    typed: vault.display_name,
    run: () => server.vaults.delete(asked(vault, workspace)),
    done: `${vault.display_name} is deleted`,
    renew: () => forgetList(workspace),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        It is gone at once with its credentials, and sessions that have it go on without them. This
        cannot be undone.
      </p>
    ),
  });
