// The workspace that a person works in: the one in the address, else the last one they worked in, else the default one.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { useSearchState } from "../page/search.ts";
import { ApiError } from "./api.ts";
import { useMe } from "./queries.ts";

const storageKey = "plinth.workspace";

let last: string | undefined = localStorage.getItem(storageKey) ?? undefined;
const listeners = new Set<() => void>();

function remember(id: string): void {
  if (id === last) return;
  last = id;
  localStorage.setItem(storageKey, id);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useWorkspace() {
  const { workspaces } = useMe();
  const [search, change] = useSearchState();
  const remembered = useSyncExternalStore(subscribe, () => last);
  const home = workspaces.find(({ is_default }) => is_default)?.id;
  const mine = (id: string | undefined) => workspaces.find((one) => one.id === id)?.id;
  const asked = mine(search.workspace);
  const id = asked ?? mine(remembered) ?? home;
  useEffect(() => {
    if (asked !== undefined) remember(asked);
  }, [asked]);
  return {
    id,
    workspaces,
    /** A link carries no header: only of the default workspace can it fetch something. */
    isHome: id === home,
    /** What of it belongs into the address of another page. */
    search: { workspace: id === home ? undefined : id },
    searchOf: (next: string) => ({ workspace: next === home ? undefined : next }),
    remember,
    choose: (next: string) => {
      remember(next);
      change({ workspace: next === home ? undefined : next });
    },
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
