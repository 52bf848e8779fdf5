// The workspace that a page works in: the one in the address, else the default one.
import { useMe } from "./queries.ts";
import { useSearchState } from "../page/search.ts";

export function useWorkspace() {
  const { workspaces } = useMe();
  const [search, change] = useSearchState();
  const home = workspaces.find(({ is_default }) => is_default)?.id;
  const id = workspaces.some(({ id }) => id === search.workspace) ? search.workspace : home;
  return {
    id,
    workspaces,
    /** A link carries no header: only of the default workspace can it fetch something. */
    isHome: id === home,
    /** What of it belongs into the address of another page. */
    search: { workspace: id === home ? undefined : id },
    choose: (next: string) => change({ workspace: next === home ? undefined : next }),
  };
}

export const inWorkspace = (id: string | undefined): Record<string, string> =>
  id === undefined ? {} : { "anthropic-workspace-id": id };
