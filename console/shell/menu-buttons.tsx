// The two menus at the edge of every page: the workspace, and who is signed in. Their code comes when they are opened.
import { ChevronsUpDown, CircleUser } from "lucide-react";
import { lazy } from "react";
import { LazyMenu } from "../kit/page/lazy-menu.tsx";
import type { Me } from "../kit/server/api.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { spaced } from "../kit/value/words.ts";
import { WorkspaceDot } from "../workspaces/workspace-dot.tsx";

export const loadAccountMenu = () => import("./account-menu.tsx");
export const loadWorkspaceMenu = () => import("./workspace-menu.tsx");
const AccountMenu = lazy(() =>
  loadAccountMenu().then(({ AccountMenu: menu }) => ({ default: menu })),
);
const WorkspaceMenu = lazy(() =>
  loadWorkspaceMenu().then(({ WorkspaceMenu: menu }) => ({ default: menu })),
);

export function AccountButton({ me: { user } }: { me: Me }) {
  return (
    <LazyMenu
      menu={AccountMenu}
      className="flex w-full items-center gap-2.5 rounded-md px-2.5 py-2 text-left hover:bg-hover data-popup-open:bg-hover"
    >
      <CircleUser size={20} aria-hidden className="shrink-0 text-soft" />
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{user.name}</span>
        <span className="block truncate text-xs text-soft">{spaced(user.role)}</span>
      </span>
      <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-soft" />
      <span className="sr-only">Account menu</span>
    </LazyMenu>
  );
}

/** The workspace that all pages of Build work in; nothing where there is only one. */
export function WorkspaceButton() {
  const { id, workspaces } = useWorkspace();
  if (workspaces.length < 2) return null;
  const now = workspaces.find((one) => one.id === id);
  return (
    <LazyMenu
      menu={WorkspaceMenu}
      className="flex w-full items-center gap-2.5 rounded-md border border-line px-2.5 py-1.5 text-left hover:bg-hover data-popup-open:bg-hover"
    >
      <WorkspaceDot color={now?.display_color ?? "transparent"} />
      <span className="min-w-0 flex-1 truncate">{now?.name ?? "Workspace"}</span>
      <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-soft" />
      <span className="sr-only">, the workspace: choose another</span>
    </LazyMenu>
  );
}
