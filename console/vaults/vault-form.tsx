// The form of a vault: its name and its metadata.
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { Pairs, pairsOf, patchOf, recordOf } from "../kit/form/pairs.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { server, type Vault } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { limits, renewVaults, type Workspace } from "./vaults.ts";

interface Place {
  workspace: Workspace;
  /** There where one is changed. */
  vault?: Vault;
  onMade?: (vault: Vault) => void;
}

export const newVault = (workspace: Workspace, onMade: (vault: Vault) => void): void =>
  openDialog({ title: "New vault", body: <VaultForm workspace={workspace} onMade={onMade} /> });

export const editVault = (vault: Vault, workspace: Workspace): void =>
  openDialog({
    title: "Edit the vault",
    body: <VaultForm workspace={workspace} vault={vault} />,
  });

function VaultForm({ workspace, vault, onMade }: Place) {
  const headers = inWorkspace(workspace);
  const form = useForm({
    start: { name: vault?.display_name ?? "", pairs: pairsOf(vault?.metadata ?? {}) },
    save: ({ name, pairs }, changed) =>
      vault === undefined
        ? server.vaults.create({
            body: { display_name: name.trim(), metadata: recordOf(pairs) },
            headers,
          })
        : server.vaults.update({
            params: { vault_id: vault.id },
            body: {
              ...(changed.name !== undefined && { display_name: name.trim() }),
              ...(changed.pairs && { metadata: patchOf(vault.metadata, recordOf(pairs)) }),
            },
            headers,
          }),
    renew: renewVaults,
    done: ({ display_name: name }) => (vault === undefined ? `${name} is there` : "Saved"),
    next: (made) => onMade?.(made),
  });
  return (
    <Form
      form={form}
      label={vault === undefined ? "Create vault" : "Save"}
      isReady={form.isDirty && form.values.name.trim() !== ""}
    >
      <TextField
        label="Name"
        required
        hint="Whose credentials these are, or what for."
        maxLength={limits.nameCharactersMax}
        autoComplete="off"
        {...form.field("name", "display_name")}
      />
      <Pairs
        legend="Metadata"
        pairs={form.values.pairs}
        most={limits.metadata}
        onChange={(pairs) => form.set({ pairs })}
      />
    </Form>
  );
}
