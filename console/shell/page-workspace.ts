// The workspace of the page that is open: in its address, and what belongs to it.
import { useMatches, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { say } from "../kit/page/say.ts";
import { useSearchState } from "../kit/page/search.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { pages } from "../pages.tsx";

/** The page of a list that works in a workspace, where this is it or something in it. */
export function usePageInWorkspace() {
  const path: string = useMatches().at(-1)?.fullPath ?? "";
  const page = pages.find(
    ({ inWorkspace, path: own }) =>
      inWorkspace === true && (path === own || path.startsWith(`${own}/`)),
  );
  return page && { path: page.path, isList: page.path === path };
}

/** What is open here belongs to the workspace that is left. Its page may ask to stay: nothing is remembered before. */
export function useChooseWorkspace(): (id: string) => void {
  const { workspaces, remember, searchOf } = useWorkspace();
  const list = usePageInWorkspace()?.path;
  const navigate = useNavigate();
  return (id) => {
    if (list !== undefined) {
      void navigate({ to: list, search: searchOf(id) });
      return;
    }
    remember(id);
    // Nothing else on this page shows it.
    say.good(`You work in ${workspaces.find((one) => one.id === id)?.name ?? id}`);
  };
}

/** An address that is passed on leads to the same workspace. Pages of one thing look after it themselves. */
export function useWorkspaceInAddress(): { id: string | undefined; isUnknown: boolean } {
  const { id, search, isUnknown } = useWorkspace();
  const page = usePageInWorkspace();
  const [{ workspace }, change] = useSearchState();
  const isMissing =
    page?.isList === true && workspace === undefined && search.workspace !== undefined;
  useEffect(() => {
    if (isMissing) change({ workspace: search.workspace });
  }, [isMissing, search.workspace, change]);
  return { id, isUnknown: isUnknown && page !== undefined };
}
