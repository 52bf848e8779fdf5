// The workspace that a person works in: the one in the address, else the last one they worked in, else the default one.
import { useEffect, useSyncExternalStore } from "react";
import { useSearchState } from "../page/search.ts";
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
