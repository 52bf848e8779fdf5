// What can be done with an MCP server of a workspace: changed, taken off.
import { Copy, Link2, Pencil, Trash2 } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { say } from "../kit/page/say.ts";
import { server, type McpServer } from "../kit/server/api.ts";
import { connectServer } from "./connect.tsx";
import { editServer } from "./mcp-server-form.tsx";
import { askedOf, forgetList, type Workspace } from "./mcp-servers.ts";

export const serverActs = (
  known: McpServer,
  workspace: Workspace,
  onDeleted?: () => void,
): MenuAct[] => [
  { label: "Edit", icon: Pencil, button: "plain", run: () => editServer(known, workspace) },
  { label: "Connect", icon: Link2, button: "plain", run: () => connectServer(known, workspace) },
  { label: "Copy address", icon: Copy, run: () => void copyAddress(known) },
  {
    label: "Delete",
    icon: Trash2,
    isBad: true,
    run: () => remove(known, workspace, onDeleted),
  },
];

async function copyAddress({ url }: McpServer): Promise<void> {
  await navigator.clipboard.writeText(url);
  say.good("The address is copied");
}

const remove = ({ id, name }: McpServer, workspace: Workspace, onDeleted?: () => void) =>
  confirm({
    title: "Delete this MCP server?",
    label: "Delete the server",
    keep: "Keep it",
    run: () => server.mcp_servers.delete(askedOf(id, workspace)),
    done: `${name} is deleted`,
    renew: () => forgetList(workspace),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        <Named>{name}</Named> leaves this list, with what was seen of it. Agents that name its
        address keep it, and its credential stays in the vault.
      </p>
    ),
  });
