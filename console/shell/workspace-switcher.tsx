// The workspace that all pages of Build work in, and the way to another.
import { Menu } from "@base-ui/react/menu";
import { useMatches, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { Check, ChevronsUpDown } from "lucide-react";
import { useWorkspace } from "../kit/server/workspace.ts";
import { WorkspaceDot } from "../workspaces/workspace-dot.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { pages } from "../pages.tsx";

export function WorkspaceSwitcher() {
  const { id, workspaces, remember, searchOf } = useWorkspace();
  const list = usePageInWorkspace()?.path;
  const navigate = useNavigate();
  if (workspaces.length < 2) return null;
  const now = workspaces.find((one) => one.id === id);
  function go(next: string): void {
    remember(next);
    // What is open here belongs to the workspace that is left.
    if (list !== undefined) void navigate({ to: list, search: searchOf(next) });
  }
  return (
    <Menu.Root>
      <Menu.Trigger className="flex w-full items-center gap-2.5 rounded-md border border-line px-2.5 py-1.5 text-left hover:bg-hover data-popup-open:bg-hover">
        <WorkspaceDot color={now?.display_color ?? "transparent"} />
        <span className="min-w-0 flex-1 truncate">{now?.name ?? "Workspace"}</span>
        <ChevronsUpDown size={15} aria-hidden className="shrink-0 text-soft" />
        <span className="sr-only">, the workspace: choose another</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="fade max-h-[60dvh] w-56 overflow-y-auto rounded-lg border border-line bg-surface p-1 text-ink shadow-lift outline-none">
            <Menu.RadioGroup value={id ?? ""} onValueChange={(next: string) => go(next)}>
              {workspaces.map((one) => (
                <Menu.RadioItem
                  key={one.id}
                  value={one.id}
                  closeOnClick
                  className="flex items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-hover max-md:py-2.5"
                >
                  <WorkspaceDot color={one.display_color} />
                  <span className="min-w-0 flex-1 truncate">{one.name}</span>
                  <Menu.RadioItemIndicator>
                    <Check size={15} aria-hidden />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The page of a list that works in a workspace, where this is it or something in it. */
function usePageInWorkspace() {
  const path: string = useMatches().at(-1)?.fullPath ?? "";
  const page = pages.find(
    ({ inWorkspace, path: own }) =>
      inWorkspace === true && (path === own || path.startsWith(`${own}/`)),
  );
  return page && { path: page.path, isList: page.path === path };
}

/** An address that is passed on leads to the same workspace. Pages of one thing look after it themselves. */
export function useWorkspaceInAddress(): void {
  const { search } = useWorkspace();
  const page = usePageInWorkspace();
  const [{ workspace }, change] = useSearchState();
  const isMissing =
    page?.isList === true && workspace === undefined && search.workspace !== undefined;
  useEffect(() => {
    if (isMissing) change({ workspace: search.workspace });
  }, [isMissing, search.workspace, change]);
}
