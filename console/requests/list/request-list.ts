// The rows of the log: page by page, a search that goes on by itself for a while, and what has just ended on top.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { List } from "../../kit/list/list.ts";
import type { LoggedRequest } from "../../kit/server/api.ts";
import { requestQueries } from "../queries.ts";
import type { RequestFilter } from "../requests.ts";

/** Of pages that the server did not fill, because what fits is rare. */
const pagesByItself = 8;

export interface RequestList extends List<LoggedRequest> {
  /** How far back a search has looked that is not at its end. */
  searchedTo: string | undefined;
  /** It looks further by itself. */
  isSearching: boolean;
}

export function useRequestList(
  filter: RequestFilter,
  { rowsPerPage, enabled = true }: { rowsPerPage?: number; enabled?: boolean } = {},
): RequestList {
  const list = useInfiniteQuery({ ...requestQueries.list(filter, rowsPerPage), enabled });
  const { hasNextPage, isFetchingNextPage, isPlaceholderData, error, fetchNextPage } = list;
  const pages = list.data?.pages ?? [];
  const last = pages.at(-1);
  const short = pages.length - 1 - pages.findLastIndex((page) => page.searched_to === null);
  const [allowed, setAllowed] = useState(pagesByItself);
  const key = JSON.stringify(filter);
  useEffect(() => setAllowed(pagesByItself), [key]);
  const isShort = hasNextPage && last?.searched_to != null && !isPlaceholderData;
  const goesOn = isShort && short < allowed && error === null;
  useEffect(() => {
    if (goesOn && !isFetchingNextPage) void fetchNextPage();
  }, [goesOn, isFetchingNextPage, fetchNextPage]);
  const more = () => {
    setAllowed(short + pagesByItself);
    if (!isFetchingNextPage) void fetchNextPage();
  };
  const rows = pages.flatMap(({ data }) => data);
  return {
    rows,
    // Nothing was found as yet: that is no end.
    isPending: list.isPending || (goesOn && rows.length === 0),
    isFetching: list.isFetching,
    error,
    refetch: () => void list.refetch(),
    more: hasNextPage && !goesOn ? more : undefined,
    isReadingMore: isFetchingNextPage,
    searchedTo: isShort ? (last.searched_to ?? undefined) : undefined,
    isSearching: goesOn,
  };
}
