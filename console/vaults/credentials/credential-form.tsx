// The forms of a credential, by kind. A secret is typed, and never shown.
import { CheckField, RadioCards, TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { server, type Vault, type VaultCredential } from "../../kit/server/api.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { purposeOf, renewVaults, titleOf, type Workspace } from "../vaults.ts";
import { bodyOf, changesOf, draftOf, isWhole } from "./credential-draft.ts";
import { Address, Name, Reach, Renewal, Secret, Token } from "./credential-fields.tsx";

export const addCredential = (vault: Vault, workspace: Workspace): void =>
  openDialog({
    title: "Add a credential",
    wide: true,
    body: <AddForm vault={vault} workspace={workspace} />,
  });

export const editCredential = (credential: VaultCredential, workspace: Workspace): void =>
  openDialog({
    title: `Edit ${titleOf(credential)}`,
    wide: true,
    body: <EditForm credential={credential} workspace={workspace} />,
  });

function AddForm({ vault, workspace }: { vault: Vault; workspace: Workspace }) {
  const form = useForm({
    start: draftOf(),
    save: (draft) =>
      server.vaults.credentials.create({
        params: { vault_id: vault.id },
        body: bodyOf(draft),
        headers: inWorkspace(workspace),
      }),
    renew: renewVaults,
    done: (made) => `${titleOf(made)} is in the vault`,
  });
  return (
    <Form form={form} label="Add credential" isReady={isWhole(form.values)}>
      <RadioCards
        legend="Kind"
        name="type"
        value={form.values.type}
        choices={[
          {
            value: "static_bearer",
            label: "Token",
            hint: "For an MCP server, until you change it",
          },
          { value: "mcp_oauth", label: "OAuth", hint: "For an MCP server, renewed by this server" },
          {
            value: "environment_variable",
            label: "Variable",
            hint: "For tools in a sandbox; sessions cannot use these yet",
          },
        ]}
        onChange={(type) => form.set({ type })}
      />
      <Name form={form} />
      {form.values.type === "environment_variable" ? (
        <>
          <TextField
            label="Name of the variable"
            required
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="API_KEY"
            {...form.field("variable", "auth.secret_name")}
          />
          <Secret form={form} label="Value" path="auth.secret_value" isNew />
          <Reach form={form} />
        </>
      ) : (
        <>
          <Address
            form={form}
            label="Address of the MCP server"
            name="url"
            path="auth.mcp_server_url"
          />
          <Token form={form} isNew />
          {form.values.type === "mcp_oauth" && (
            <CheckField
              label="Renew it with a refresh token"
              checked={form.values.renews}
              onChange={({ target }) => form.set({ renews: target.checked })}
            />
          )}
          {form.values.type === "mcp_oauth" && form.values.renews && <Renewal form={form} isNew />}
        </>
      )}
    </Form>
  );
}

function EditForm({
  credential,
  workspace,
}: {
  credential: VaultCredential;
  workspace: Workspace;
}) {
  const form = useForm({
    start: draftOf(credential),
    save: (draft, changed) =>
      server.vaults.credentials.update({
        params: { vault_id: credential.vault_id, credential_id: credential.id },
        body: changesOf(draft, changed),
        headers: inWorkspace(workspace),
      }),
    renew: renewVaults,
    done: () => "Saved",
  });
  const { type, renews } = form.values;
  return (
    <Form form={form} label="Save" isReady={form.isDirty}>
      <p className="text-sm text-soft">
        For <span className="font-mono wrap-anywhere">{purposeOf(credential.auth)}</span>, which
        never changes. What you leave empty stays as it is.
      </p>
      <Name form={form} />
      {type === "environment_variable" ? (
        <>
          <Secret form={form} label="New value" path="auth.secret_value" />
          <Reach form={form} />
        </>
      ) : (
        <Token form={form} />
      )}
      {type === "mcp_oauth" && renews && <Renewal form={form} />}
    </Form>
  );
}
