// Connecting an MCP server by OAuth: where the token goes, the address of the sign-in, and how it ended.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { DialogActions, useCloseDialog } from "../kit/dialog/dialog.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { SelectField } from "../kit/form/select.tsx";
import { Button, buttonClass } from "../kit/page/button.tsx";
import { say } from "../kit/page/say.ts";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { server, type McpConnection, type McpServer } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { askedOf, mcpServerQueries, renewServers, type Workspace } from "./mcp-servers.ts";

interface Place {
  known: McpServer;
  workspace: Workspace;
}

export const connectServer = (known: McpServer, workspace: Workspace): void =>
  openDialog({
    title: "Connect the MCP server",
    description: "You sign in at the server's own page, and the token goes into a vault.",
    body: <ConnectForm known={known} workspace={workspace} />,
  });

function ConnectForm({ known, workspace }: Place) {
  const { data: vaults = [] } = useQuery(mcpServerQueries.vaults(workspace));
  const form = useForm<{ vault: string; clientId: string; secret: string }, McpConnection>({
    start: { vault: known.vault_id ?? "", clientId: "", secret: "" },
    save: ({ vault, clientId, secret }) =>
      server.mcp_servers.connect({
        ...askedOf(known.id, workspace),
        body: {
          vault_id: vault,
          ...(clientId !== "" && { client_id: clientId }),
          ...(secret !== "" && { client_secret: secret }),
        },
      }),
    renew: () => undefined,
    stays: true,
    next: (begun) =>
      openDialog({
        title: "Connect the MCP server",
        body: <SignIn known={known} workspace={workspace} begun={begun} />,
      }),
  });
  return (
    <Form form={form} label="Go on" isReady={form.values.vault !== ""}>
      <SelectField
        label="Vault"
        hint="All who may use the vault can use the token."
        choices={vaults.map(({ id, display_name: label }) => ({ value: id, label }))}
        {...form.choice("vault", "vault_id")}
      />
      <TextField
        label="Client id"
        hint="Only where the server's sign-in registers no clients itself: one that you registered there."
        autoComplete="off"
        {...form.field("clientId", "client_id")}
      />
      <TextField
        label="Client secret"
        type="password"
        autoComplete="off"
        {...form.field("secret", "client_secret")}
      />
    </Form>
  );
}

const lookEveryMs = 2_000;

function SignIn({ known, workspace, begun }: Place & { begun: McpConnection }) {
  const close = useCloseDialog();
  const { data, error } = useQuery({
    queryKey: ["mcp-connection", begun.id],
    queryFn: () =>
      server.mcp_servers.finish_connection({
        params: { mcp_server_id: known.id, connection_id: begun.id },
        headers: inWorkspace(workspace),
      }),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === "pending" ? lookEveryMs : false,
    gcTime: 0,
  });
  const isConnected = data?.status === "connected";
  useEffect(() => {
    if (!isConnected) return;
    say.good(`${known.name} is connected`);
    void renewServers();
    void queryClient.invalidateQueries({ queryKey: ["mcp-server-tools"] });
    close();
  }, [isConnected, known.name, close]);
  const address = begun.authorization_url ?? "";
  if (data?.status === "failed")
    return (
      <>
        <p role="alert" className="text-bad wrap-anywhere">
          {data.error}
        </p>
        <DialogActions>
          <Button onClick={close}>Close</Button>
          <Button look="primary" onClick={() => connectServer(known, workspace)}>
            Begin again
          </Button>
        </DialogActions>
      </>
    );
  return (
    <>
      {error !== null && <TroubleBox error={error} />}
      <p className="wrap-anywhere">
        The sign-in is at <strong>{URL.parse(address)?.host}</strong>, in a tab of its own. This
        page waits for it, for up to ten minutes.
      </p>
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <a href={address} target="_blank" rel="noreferrer" className={buttonClass("primary")}>
          Sign in there
        </a>
      </DialogActions>
    </>
  );
}
