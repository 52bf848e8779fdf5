// What the pages read of the audit log.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";
import type { AuditFilter } from "./audit.ts";

const rowsPerPage = 50;

export const auditQueries = {
  recent: queryOptions({
    queryKey: ["audit", "recent"],
    queryFn: () => api.audit.list({ query: { limit: 6 } }),
  }),
  /** The newest few. */
  last: (filter: AuditFilter) =>
    queryOptions({
      queryKey: ["audit", "last", filter],
      queryFn: () => api.audit.list({ query: { limit: 5, ...filter } }),
    }),
  list: (filter: AuditFilter) =>
    infiniteQueryOptions({
      queryKey: ["audit", "all", filter],
      queryFn: ({ pageParam }) =>
        api.audit.list({ query: { limit: rowsPerPage, page: pageParam, ...filter } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // While words are typed the list that was there stays.
      placeholderData: keepPreviousData,
    }),
  actions: queryOptions({
    queryKey: ["audit", "actions"],
    queryFn: () => api.audit.actions(),
  }),
  chain: queryOptions({ queryKey: ["audit", "chain"], queryFn: () => api.audit.chain() }),
};
