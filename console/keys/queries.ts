// What the pages read of keys.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, type KeyKind, type KeyStatus } from "../kit/server/api.ts";

const rowsPerPage = 50;

export const keyQueries = {
  list: (filter: {
    kind?: KeyKind[];
    status?: KeyStatus[];
    workspace_id?: string;
    created_by_user_id?: string;
    unused_days?: number;
  }) =>
    infiniteQueryOptions({
      queryKey: ["keys", filter],
      queryFn: ({ pageParam }) =>
        api.keys.list({ query: { ...filter, limit: rowsPerPage, page: pageParam } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  /** Null: there is none. */
  one: (id: string) =>
    queryOptions({
      queryKey: ["keys", "one", id],
      queryFn: async () => (await api.keys.list({ query: { id: [id] } })).data[0] ?? null,
    }),
};
