// What the pages read of the request log.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, server } from "../kit/server/api.ts";
import type { RequestFilter } from "./requests.ts";

const rowsPerPage = 50;

export const requestQueries = {
  list: (filter: RequestFilter, limit = rowsPerPage) =>
    infiniteQueryOptions({
      queryKey: ["requests", "list", filter, limit],
      queryFn: ({ pageParam }) =>
        server.requests.list({ query: { ...filter, limit, page: pageParam } }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // While words are typed the list that was there stays.
      placeholderData: keepPreviousData,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["requests", "one", id],
      queryFn: () => server.requests.retrieve({ params: { request_id: id } }),
      // What has ended does not change.
      staleTime: Number.POSITIVE_INFINITY,
    }),
};

/** What filters offer. */
const choicesMax = 100;
const modelsMax = 1_000;

export const choiceQueries = {
  models: queryOptions({
    queryKey: ["models", "choices"],
    queryFn: () =>
      server.models.list({
        query: { limit: modelsMax, lifecycle: ["active", "deprecated", "retired"] },
      }),
    staleTime: 60_000,
  }),
  keys: queryOptions({
    queryKey: ["keys", "choices"],
    queryFn: () => api.keys.list({ query: { limit: choicesMax } }),
    staleTime: 60_000,
  }),
  people: queryOptions({
    queryKey: ["members", "choices"],
    queryFn: () => api.members.list({ query: { limit: choicesMax } }),
    staleTime: 60_000,
  }),
};
