// The form of an MCP server: its name, its address, and the vault with the token for it.
import { useQuery } from "@tanstack/react-query";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { AreaField, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { SelectField } from "../kit/form/select.tsx";
import { server, type McpServer } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { askedOf, limits, mcpServerQueries, renewServers, type Workspace } from "./mcp-servers.ts";

interface Place {
  workspace: Workspace;
  /** There where one is changed. */
  known?: McpServer;
  onMade?: (made: McpServer) => void;
}

export const newServer = (workspace: Workspace, onMade: (made: McpServer) => void): void =>
  openDialog({
    title: "Add an MCP server",
    body: <ServerForm workspace={workspace} onMade={onMade} />,
  });

export const editServer = (known: McpServer, workspace: Workspace): void =>
  openDialog({
    title: "Edit the MCP server",
    body: <ServerForm workspace={workspace} known={known} />,
  });

const none = "none";

interface Values {
  name: string;
  url: string;
  description: string;
  vault: string;
}

function ServerForm({ workspace, known, onMade }: Place) {
  const form = useForm<Values, McpServer>({
    start: {
      name: known?.name ?? "",
      url: known?.url ?? "",
      description: known?.description ?? "",
      vault: known?.vault_id ?? none,
    },
    save: (values, changed) => save(values, changed, workspace, known),
    renew: renewServers,
    done: ({ name }) => (known === undefined ? `${name} is there` : "Saved"),
    next: (made) => onMade?.(made),
  });
  const { name, url, vault } = form.values;
  return (
    <Form
      form={form}
      label={known === undefined ? "Add server" : "Save"}
      isReady={form.isDirty && name.trim() !== "" && url.trim() !== ""}
    >
      <TextField
        label="Name"
        required
        maxLength={limits.nameCharactersMax}
        autoComplete="off"
        {...form.field("name")}
      />
      <TextField
        label="Address"
        hint="Where it speaks MCP over HTTP, such as https://docs.example.com/mcp."
        required
        maxLength={limits.urlCharactersMax}
        autoComplete="off"
        inputMode="url"
        spellCheck={false}
        {...form.field("url")}
      />
      <SelectField
        label="Vault"
        hint="Its credential for this address is sent along, for asking and for trying tools."
        choices={useVaultChoices(workspace, vault)}
        {...form.choice("vault", "vault_id")}
      />
      <AreaField
        label="Description"
        rows={2}
        maxLength={limits.descriptionCharactersMax}
        {...form.field("description")}
      />
    </Form>
  );
}

function save(
  values: Values,
  changed: Partial<Values>,
  workspace: Workspace,
  known: McpServer | undefined,
): Promise<McpServer> {
  const [name, url] = [values.name.trim(), values.url.trim()];
  const description = values.description.trim() === "" ? null : values.description.trim();
  const vault_id = values.vault === none ? null : values.vault;
  if (known === undefined)
    return server.mcp_servers.create({
      body: { name, url, description, vault_id },
      headers: inWorkspace(workspace),
    });
  return server.mcp_servers.update({
    ...askedOf(known.id, workspace),
    body: {
      ...(changed.name !== undefined && { name }),
      ...(changed.url !== undefined && { url }),
      ...(changed.description !== undefined && { description }),
      ...(changed.vault !== undefined && { vault_id }),
    },
  });
}

/** The vault of the server is among them, also where it is archived. */
function useVaultChoices(workspace: Workspace, chosen: string) {
  const { data: vaults } = useQuery(mcpServerQueries.vaults(workspace));
  const listed = (vaults ?? []).map(({ id, display_name: label }) => ({ value: id, label }));
  const isListed = chosen === none || listed.some(({ value }) => value === chosen);
  const more = isListed ? [] : [{ value: chosen, label: chosen }];
  return [{ value: none, label: "None" }, ...listed, ...more];
}
