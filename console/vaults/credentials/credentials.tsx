// The credentials of a vault: added, tried, changed, closed. What is secret of them is never shown.
import { Archive, FlaskConical, Pencil, Plus, Trash2 } from "lucide-react";
import { confirm, Named } from "../../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../../kit/list/act-menu.tsx";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { server, type Vault, type VaultCredential } from "../../kit/server/api.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Time } from "../../kit/value/time.tsx";
import {
  askedOf,
  purposeOf,
  renewVaults,
  titleOf,
  typeWords,
  vaultQueries,
  type Workspace,
} from "../vaults.ts";
import { addCredential, editCredential } from "./credential-form.tsx";
import { testCredential } from "./validation.tsx";

interface Place {
  vault: Vault;
  workspace: Workspace;
}

export function Credentials({ vault, workspace }: Place) {
  return (
    <Section
      title="Credentials"
      note="One for each MCP server, and one for each variable. What is secret is encrypted and never shown again."
      actions={
        vault.archived_at === null && (
          <Button look="primary" onClick={() => addCredential(vault, workspace)}>
            <Plus size={16} aria-hidden />
            Add credential
          </Button>
        )
      }
    >
      <ListView
        label="Credentials of the vault"
        noun="credential"
        list={usePagedList(vaultQueries.credentials(workspace, vault.id))}
        columns={columns}
        nameOf={titleOf}
        acts={(credential) => actsOf(credential, workspace)}
        empty={{ children: "There is nothing in this vault yet." }}
      />
    </Section>
  );
}

const columns: Column<VaultCredential>[] = [
  nameColumn<VaultCredential>({
    className: "md:w-1/2 md:min-w-44",
    name: titleOf,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: (credential) =>
      credential.display_name === null ? undefined : (
        <span className="font-mono wrap-anywhere">{purposeOf(credential.auth)}</span>
      ),
  }),
  { title: "Kind", cell: ({ auth: { type } }) => typeWords[type] },
  { title: "Ends", cell: ({ auth }) => <Ends auth={auth} /> },
  timeColumn("Changed", ({ updated_at: at }) => at),
];

function Ends({ auth }: Pick<VaultCredential, "auth">) {
  if (auth.type !== "mcp_oauth") return <span className="text-soft">Never</span>;
  if (auth.refresh !== null) return "Renewed by itself";
  return auth.expires_at === null ? (
    <span className="text-soft">Not known</span>
  ) : (
    <Time at={auth.expires_at} />
  );
}

function actsOf(credential: VaultCredential, workspace: Workspace): MenuAct[] {
  const isOpen = credential.archived_at === null;
  return [
    {
      label: "Test",
      icon: FlaskConical,
      when: isOpen && credential.auth.type !== "environment_variable",
      run: () => testCredential(credential, workspace),
    },
    {
      label: "Edit",
      icon: Pencil,
      when: isOpen,
      run: () => editCredential(credential, workspace),
    },
    { label: "Archive", icon: Archive, when: isOpen, run: () => archive(credential, workspace) },
    { label: "Delete", icon: Trash2, isBad: true, run: () => remove(credential, workspace) },
  ];
}

const archive = (credential: VaultCredential, workspace: Workspace) =>
  confirm({
    title: "Archive this credential for ever?",
    label: "Archive the credential",
    keep: "Keep it",
    run: () => server.vaults.credentials.archive(askedOf(credential, workspace)),
    done: `${titleOf(credential)} is archived`,
    renew: renewVaults,
    children: (
      <p>
        The secret of <Named>{titleOf(credential)}</Named> is destroyed at once, also for sessions
        that run. Its record stays.
      </p>
    ),
  });

const remove = (credential: VaultCredential, workspace: Workspace) =>
  confirm({
    title: "Delete this credential?",
    label: "Delete the credential",
    keep: "Keep it",
    run: () => server.vaults.credentials.delete(askedOf(credential, workspace)),
    done: `${titleOf(credential)} is deleted`,
    renew: renewVaults,
    children: (
      <p>
        <Named>{titleOf(credential)}</Named> is gone at once, also for sessions that run. This
        cannot be undone.
      </p>
    ),
  });
