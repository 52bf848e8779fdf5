// What a page of a list has read: its rows, whether there are more, and what went wrong.
import {
  useInfiniteQuery,
  useQuery,
  type InfiniteData,
  type UseInfiniteQueryOptions,
  type UseQueryOptions,
} from "@tanstack/react-query";
import { useEffect } from "react";

export interface List<Row> {
  rows: readonly Row[];
  /** How many there are, where not all that are known are shown. */
  total?: number;
  /** Nothing is known yet. */
  isPending: boolean;
  isFetching: boolean;
  error: Error | null;
  refetch: () => void;
  /** Reads what follows; undefined where all of it is here. */
  more: (() => void) | undefined;
  isReadingMore: boolean;
}

/** A list that the server gives whole. */
export function useWholeList<Data extends { data: unknown[] }, Key extends readonly unknown[]>(
  options: UseQueryOptions<Data, Error, Data, Key> & { queryFn?: (...args: never[]) => unknown },
): List<Data["data"][number]> {
  const { data, isPending, isFetching, error, refetch } = useQuery(options);
  return {
    rows: data?.data ?? [],
    isPending,
    isFetching,
    error,
    refetch: () => void refetch(),
    more: undefined,
    isReadingMore: false,
  };
}

/** A list that the server gives page by page. */
export function usePagedList<Page extends { data: unknown[] }, Key extends readonly unknown[]>(
  options: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string | undefined>,
): List<Page["data"][number]> {
  const list = useInfiniteQuery(options);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  return {
    rows: list.data?.pages.flatMap(({ data }) => data) ?? [],
    isPending: list.isPending,
    isFetching: list.isFetching,
    error: list.error,
    refetch: () => void list.refetch(),
    more: hasNextPage ? () => void (isFetchingNextPage || fetchNextPage()) : undefined,
    isReadingMore: isFetchingNextPage,
  };
}

/** Where the server does not search, all pages are read and looked through. */
export function useFound<Row>(
  list: List<Row>,
  typed: string | undefined,
  wordsOf: (row: Row) => string,
): List<Row> {
  const { more, isReadingMore } = list;
  const isOn = typed !== undefined && more !== undefined && !isReadingMore && list.error === null;
  useEffect(() => {
    if (isOn) more?.();
  }, [isOn, list.rows.length]);
  if (typed === undefined) return list;
  const wanted = typed.toLowerCase();
  const rows = list.rows.filter((row) => wordsOf(row).toLowerCase().includes(wanted));
  return { ...list, rows, more: undefined };
}
