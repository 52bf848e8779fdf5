// The files that the page shows: page by page; or those of the newest whose name has what is searched for.
import { useFound, usePagedList, type List } from "../kit/list/list.ts";
import type { FileInfo } from "../kit/server/api.ts";
import { fileQueries, filesPerPage, searchedMax } from "./file-queries.ts";

const foundMax = 100;

export function useFiles(
  workspace: string | undefined,
  q: string | undefined,
): { list: List<FileInfo>; note: string } {
  const isSearch = q !== undefined;
  const all = usePagedList(fileQueries.list(workspace, isSearch ? searchedMax : filesPerPage));
  // One page of the search is as much as is looked through.
  const found = useFound(isSearch ? { ...all, more: undefined } : all, q, wordsOf);
  if (!isSearch) return { list: all, note: "" };
  const { rows } = found;
  const notes = [
    rows.length > foundMax && `, the first ${foundMax} shown: search for more of the name`,
    all.more && `; only the newest ${searchedMax.toLocaleString("en")} are searched`,
  ];
  return {
    list: { ...found, rows: rows.slice(0, foundMax), total: rows.length },
    note: notes.filter(Boolean).join(""),
  };
}

const wordsOf = ({ filename, id }: FileInfo): string => `${filename} ${id}`;
