// What the pages of batches read. While something runs they look again every second or two, and not in a hidden tab.
import { queryOptions } from "@tanstack/react-query";
import { api, server, type ResultType } from "../kit/server/api.ts";
import { watched } from "./batch-pace.ts";
import { isRunning } from "./batch.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

const batchesPerPage = 20;
export const resultsPerPage = 20;
const lookMs = 1_500;
const resultsMs = 2_500;

/** In the words of the older version counts tell how far a batch is; in those of the newer only that it runs. */
const live = (workspace: string | undefined) => ({
  ...inWorkspace(workspace),
  "vendor-version": "2023-06-01",
});

export interface ResultFilter {
  type: ResultType | undefined;
  search: string | undefined;
}

export const batchQueries = {
  list: (workspace: string | undefined, after?: string, limit = batchesPerPage) =>
    queryOptions({
      queryKey: ["batches", "list", workspace, after, limit],
      queryFn: async () => {
        const page = await server.messages.batches.list({
          query: { limit, after_id: after },
          headers: live(workspace),
        });
        return { ...page, data: page.data.map(watched) };
      },
      refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? lookMs : false),
      // The page before stays until the next one is there; not that of another workspace.
      placeholderData: (before, query) => (query?.queryKey[2] === workspace ? before : undefined),
    }),
  one: (workspace: string | undefined, id: string) =>
    queryOptions({
      queryKey: ["batches", "one", workspace, id],
      queryFn: async () =>
        watched(
          await server.messages.batches.retrieve({
            params: { message_batch_id: id },
            headers: live(workspace),
          }),
        ),
      refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? lookMs : false),
    }),
  results: (
    workspace: string | undefined,
    id: string,
    { type, search }: ResultFilter,
    page: string | undefined,
    runs: boolean,
  ) =>
    queryOptions({
      queryKey: ["batches", "results", workspace, id, type, search, page],
      queryFn: () =>
        api.batches.results({
          params: { message_batch_id: id },
          query: { type: type && [type], search, page, limit: resultsPerPage },
          headers: inWorkspace(workspace),
        }),
      refetchInterval: runs ? resultsMs : false,
      placeholderData: (before, query) => (query?.queryKey[3] === id ? before : undefined),
    }),
  /** Wherever in the list it stands. */
  result: (workspace: string | undefined, id: string, customId: string, runs: boolean) =>
    queryOptions({
      queryKey: ["batches", "results", workspace, id, "one", customId],
      queryFn: async () => {
        const { data } = await api.batches.results({
          params: { message_batch_id: id },
          query: { custom_id: customId },
          headers: inWorkspace(workspace),
        });
        return data[0] ?? null;
      },
      // What has its result keeps it.
      refetchInterval: ({ state }) => (runs && state.data === null ? resultsMs : false),
    }),
};
