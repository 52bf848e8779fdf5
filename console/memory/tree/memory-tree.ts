// The tree of a store: folders are read when they are opened, a hundred items at a time.
import { useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Memory } from "../../kit/server/api.ts";
import { memoryQueries, type Workspace } from "../memory-queries.ts";
import { foldersOf } from "../memory.ts";
import { queryClient } from "../../kit/server/queries.ts";

export type TreeRow = { key: string; level: number; path: string } & (
  | { kind: "folder"; isOpen: boolean }
  | { kind: "memory"; memory: Memory }
  /** Whoever sees it asks for what follows in its folder. */
  | { kind: "more" }
);

export interface Tree {
  rows: TreeRow[];
  error: Error | null;
  isPending: boolean;
  toggle: (folder: string, open?: boolean) => void;
  more: (folder: string) => void;
  retry: () => void;
}

const root = "/";

/** `shown` is the path of the memory that is open: its place is seen. */
export function useTree(workspace: Workspace, store: string, shown: string | undefined): Tree {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([root]));
  const [wanted, setWanted] = useState<Readonly<Record<string, number>>>({});
  const toggle = (folder: string, open = !opened.has(folder)) =>
    setOpened((before) => {
      const after = new Set(before);
      if (open) after.add(folder);
      else after.delete(folder);
      return after;
    });
  const more = (folder: string) =>
    setWanted((before) => {
      const pages = loadedPages(folder) + 1;
      return before[folder] === pages ? before : { ...before, [folder]: pages };
    });
  const queryOf = (folder: string, page: string | undefined) =>
    memoryQueries.folder(workspace, store, folder, page);
  /** The pages of a folder that are known to be there and wanted. */
  const pagesOf = (folder: string) => {
    const pages = [queryOf(folder, undefined)];
    while (pages.length < (wanted[folder] ?? 1)) {
      const next = queryClient.getQueryData(pages.at(-1)!.queryKey)?.next_page;
      if (next == null) break;
      pages.push(queryOf(folder, next));
    }
    return pages;
  };
  const loadedPages = (folder: string) =>
    pagesOf(folder).filter(({ queryKey }) => queryClient.getQueryData(queryKey)).length;
  const results = useQueries({ queries: [...opened].flatMap(pagesOf) });
  // The rows are read from the cache: each page that comes is a picture of its own.
  results.forEach(({ data }) => void data);
  useEffect(() => {
    if (shown !== undefined) setOpened((before) => new Set([...before, ...foldersOf(shown)]));
  }, [shown]);
  const rows = rowsOf(root, 1, { opened, pagesOf });
  // A memory far down in a long folder is reached page after page.
  const behind = shown === undefined ? undefined : foldersBehind(shown, pagesOf);
  useEffect(() => {
    if (behind !== undefined) more(behind);
  });
  return {
    rows,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    isPending: queryClient.getQueryData(queryOf(root, undefined).queryKey) === undefined,
    toggle,
    more,
    retry: () => results.forEach((result) => void (result.isError && result.refetch())),
  };
}

type PagesOf = (folder: string) => ReturnType<typeof memoryQueries.folder>[];

function rowsOf(
  folder: string,
  level: number,
  given: { opened: ReadonlySet<string>; pagesOf: PagesOf },
): TreeRow[] {
  const pages = given.pagesOf(folder).map(({ queryKey }) => queryClient.getQueryData(queryKey));
  const rows = pages.flatMap((page) =>
    (page?.data ?? []).flatMap((item): TreeRow[] => {
      const { path } = item;
      if (item.type === "memory")
        return [{ kind: "memory", key: item.id, level, path, memory: item }];
      const isOpen = given.opened.has(path);
      const row: TreeRow = { kind: "folder", key: path, level, path, isOpen };
      return isOpen ? [row, ...rowsOf(path, level + 1, given)] : [row];
    }),
  );
  const last = pages.at(-1);
  // With every page it is another row, which asks anew.
  if (last === undefined || last.next_page !== null)
    rows.push({ kind: "more", key: `more ${folder} ${rows.length}`, level, path: folder });
  return rows;
}

/** The first folder on the way to a path that goes on behind what is loaded of it, before the path. */
function foldersBehind(path: string, pagesOf: PagesOf): string | undefined {
  return [root, ...foldersOf(path)].find((folder) => {
    const pages = pagesOf(folder);
    const last = queryClient.getQueryData(pages.at(-1)!.queryKey);
    const end = last?.data.at(-1)?.path;
    return last?.next_page != null && end !== undefined && end < path;
  });
}

/** Every memory whose path has the words, without folders. */
export function useFiltered(workspace: Workspace, store: string, typed: string) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const all = useQuery({ ...memoryQueries.all(workspace, store), enabled: words.length > 0 });
  const rows = (all.data ?? [])
    .filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)))
    .map((memory): TreeRow => {
      const { id, path } = memory;
      return { kind: "memory", key: id, level: 1, path, memory };
    });
  return { isOn: words.length > 0, rows, isPending: all.isPending, error: all.error };
}
