// The workspace that a person works in: the one in the address, else the last one they worked in, else the default one.
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSearchState } from "../page/search.ts";
import { ApiError } from "./api.ts";
import { useMe } from "./queries.ts";
import { sharedState } from "./shared-state.ts";
import { useShared } from "./use-shared.ts";

const storageKey = "plinth.workspace";

const last = sharedState(localStorage.getItem(storageKey) ?? undefined);

function remember(id: string): void {
  localStorage.setItem(storageKey, id);
  last.set(id);
}

export function useWorkspace() {
  const { workspaces } = useMe();
  const [search] = useSearchState();
  const remembered = useShared(last);
  const home = workspaces.find(({ is_default }) => is_default)?.id;
  const mine = (id: string | undefined) => workspaces.find((one) => one.id === id)?.id;
  const asked = mine(search.workspace);
  const id = asked ?? mine(remembered) ?? home;
  // Where there is only one, no address needs to name it.
  const searchOf = (next: string | undefined) => ({
    workspace: workspaces.length > 1 ? next : undefined,
  });
  useEffect(() => {
    if (asked !== undefined) remember(asked);
  }, [asked]);
  return {
    id,
    workspaces,
    /** The address names one that is not theirs, or is gone. */
    isUnknown: search.workspace !== undefined && asked === undefined,
    /** A link carries no header: only of the default workspace can it fetch something. */
    isHome: id === home,
    /** What of it belongs into the address of another page. */
    search: searchOf(id),
    searchOf,
    remember,
  };
}

export const inWorkspace = (id: string | undefined): Record<string, string> =>
  id === undefined ? {} : { "anthropic-workspace-id": id };

/**
 * The address of one thing may come without its workspace: where the thing is not in the one that the person works in,
 * their others are asked for it, and the page goes on there.
 */
export function useWorkspaceOf(
  id: string,
  read: { data: unknown; error: Error | null },
  ask: (workspace: string) => Promise<unknown>,
): { isLooking: boolean } {
  const { id: here, workspaces, search: own, searchOf } = useWorkspace();
  const [search, change] = useSearchState();
  const isNamed = search.workspace !== undefined;
  const others = workspaces.map((one) => one.id).filter((one) => one !== here);
  const isMissing = !isNamed && others.length > 0 && isNotFound(read.error);
  const found = useQuery({
    queryKey: ["workspace of", id],
    queryFn: () => firstWith(others.slice(0, askedMax), ask),
    enabled: isMissing,
    retry: false,
  });
  const place = isMissing ? (found.data ?? undefined) : undefined;
  const isHere = !isNamed && read.data !== undefined;
  useEffect(() => {
    if (place !== undefined) change(searchOf(place));
    else if (isHere && own.workspace !== undefined) change(own);
  }, [place, isHere, own.workspace, change]);
  return { isLooking: isMissing && (found.isFetching || place !== undefined) };
}

/** One request each, one after the other. */
const askedMax = 50;

const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404;

async function firstWith(
  workspaces: readonly string[],
  ask: (workspace: string) => Promise<unknown>,
): Promise<string | null> {
  for (const workspace of workspaces)
    try {
      await ask(workspace);
      return workspace;
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  return null;
}
