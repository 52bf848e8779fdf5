// What a person may make, from any page: the palette leads to the page of it, whose address asks for it.
import type { Command } from "../../kit/page/commands.ts";
import type { Me } from "../../kit/server/api.ts";
import { visiblePages } from "../../pages.tsx";

interface Beginning {
  /** The page of the list; a person who does not see it is offered nothing of it. */
  of: string;
  permission: string;
  label: string;
  words: string;
  /** What the page is asked to open: `?new=store`. */
  asks?: string;
  /** Where it has a page of its own. */
  path?: string;
}

const beginnings: readonly Beginning[] = [
  {
    of: "/keys",
    permission: "api_keys:write",
    label: "Create key",
    words: "new api admin secret",
    asks: "api",
  },
  {
    of: "/batches",
    permission: "batches:use",
    label: "New batch",
    words: "message batches create jsonl file upload requests",
    path: "/batches/new",
  },
  {
    of: "/files",
    permission: "files:use",
    label: "Upload files",
    words: "new add documents pictures pdf drop",
    asks: "files",
  },
  {
    of: "/memory",
    permission: "memory:use",
    label: "New memory store",
    words: "memories create agents remember",
    asks: "store",
  },
  {
    of: "/agents",
    permission: "agents:use",
    label: "New agent",
    words: "create model prompt tools",
    path: "/agents/new",
  },
  {
    of: "/sessions",
    permission: "sessions:use",
    label: "New session",
    words: "begin run agent talk chat create try",
    path: "/sessions/new",
  },
  {
    of: "/deployments",
    permission: "deployments:use",
    label: "New deployment",
    words: "create schedule cron timer agent regularly",
    path: "/deployments/new",
  },
  {
    of: "/environments",
    permission: "environments:use",
    label: "New environment",
    words: "create container sandbox network packages self-hosted worker",
    asks: "environment",
  },
  {
    of: "/vaults",
    permission: "vaults:use",
    label: "New vault",
    words: "create secret credential token oauth mcp",
    asks: "vault",
  },
  {
    of: "/mcp-servers",
    permission: "vaults:use",
    label: "Add an MCP server",
    words: "new create tools connect",
    asks: "mcp-server",
  },
  {
    of: "/skills",
    permission: "skills:use",
    label: "New skill",
    words: "upload create folder files",
    asks: "skill",
  },
  {
    of: "/workspaces",
    permission: "workspaces:write",
    label: "New workspace",
    words: "create add",
    asks: "workspace",
  },
  {
    of: "/members",
    permission: "members:write",
    label: "Invite somebody",
    words: "new add member person user mail",
    asks: "invite",
  },
  {
    of: "/groups",
    permission: "groups:write",
    label: "New group",
    words: "create add",
    asks: "group",
  },
  { of: "/roles", permission: "roles:write", label: "New role", words: "create add", asks: "role" },
  {
    of: "/service-accounts",
    permission: "service_accounts:write",
    label: "New service account",
    words: "create add workload",
    asks: "account",
  },
  {
    of: "/models",
    permission: "models:write",
    label: "Add a model",
    words: "new create catalog",
    asks: "model",
  },
  {
    of: "/webhooks",
    permission: "workspace_webhooks:use",
    label: "New webhook endpoint",
    words: "create add address",
    asks: "webhook",
  },
];

/** Each with the picture of its page. */
export function beginningsFor(
  me: Me,
  go: (to: string, search: Record<string, string>) => void,
): Command[] {
  const seen = visiblePages(me);
  return beginnings.flatMap(({ of, permission, label, words, asks, path = of }) => {
    const page = seen.find((one) => one.path === of);
    if (page === undefined || !me.permissions.includes(permission)) return [];
    const run = () => go(path, asks === undefined ? {} : { new: asks });
    return [{ id: `new:${of}`, label, group: "Actions", words, icon: page.icon, run }];
  });
}
