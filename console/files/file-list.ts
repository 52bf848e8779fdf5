// The files that the page shows, and those of them that are chosen.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FileInfo } from "../kit/server/api.ts";
import { fileQueries, searchedMax } from "./file-queries.ts";
import { usePaging } from "../kit/list/paging.ts";
import { plural } from "../kit/value/words.ts";

const shownMax = 100;

/** A page of the list; or those of the newest whose name has what is searched for. */
export function useFiles(workspace: string | undefined, q: string | undefined) {
  const paging = usePaging(workspace ?? "");
  const list = useQuery(
    q === undefined
      ? fileQueries.list(workspace, paging.cursor)
      : fileQueries.list(workspace, undefined, searchedMax),
  );
  const all = list.data?.data ?? [];
  const wanted = (q ?? "").toLowerCase();
  const found = all.filter(({ filename, id }) =>
    `${filename} ${id}`.toLowerCase().includes(wanted),
  );
  const isMore = list.data?.has_more === true;
  return {
    ...list,
    paging,
    files: found.slice(0, shownMax),
    next: isMore ? (list.data?.last_id ?? null) : null,
    words: [
      found.length > 0 && plural(found.length, "file"),
      found.length > shownMax && `, the first ${shownMax} shown: search for more of the name`,
      q !== undefined &&
        isMore &&
        `; only the newest ${searchedMax.toLocaleString("en")} are searched`,
    ]
      .filter(Boolean)
      .join(""),
  };
}

export interface Choice {
  ids: ReadonlySet<string>;
  files: readonly FileInfo[];
  all: readonly FileInfo[];
  toggle: (id: string) => void;
  set: (ids: readonly string[]) => void;
}

/** What is not in the list any more is not chosen any more. */
export function useChoice(all: readonly FileInfo[]): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const files = all.filter(({ id }) => chosen.has(id));
  const ids = new Set(files.map(({ id }) => id));
  return {
    ids,
    files,
    all,
    toggle: (id) => setChosen(ids.symmetricDifference(new Set([id]))),
    set: (next) => setChosen(new Set(next)),
  };
}
