// What the pages of batches read. While something runs they look again every second or two, and not in a hidden tab.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, server, type Batch, type Outcome } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { watched } from "./batch-pace.ts";
import { isRunning, type ToldBatch } from "./batch.ts";
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
  outcome: Outcome | undefined;
  search: string | undefined;
}

const listKey = ["batches", "list"];

/** With what they cost and who made them: one more request for all of them. */
async function withTotals(
  workspace: string | undefined,
  batches: readonly Batch[],
): Promise<ToldBatch[]> {
  if (batches.length === 0) return [];
  const ids = batches.map(({ id }) => id);
  const { data } = await api.batches.totals({ query: { ids }, headers: inWorkspace(workspace) });
  const totals = new Map(data.map((each) => [each.id, each]));
  return batches.map((batch) => ({ ...batch, totals: totals.get(batch.id) }));
}

async function readList(workspace: string | undefined, limit: number, after?: string) {
  const page = await server.messages.batches.list({
    query: { limit, after_id: after },
    headers: live(workspace),
  });
  return { ...page, data: page.data.map(watched) };
}

export const batchQueries = {
  list: (workspace: string | undefined) =>
    infiniteQueryOptions({
      queryKey: [...listKey, workspace],
      queryFn: async ({ pageParam }) => {
        const page = await readList(workspace, batchesPerPage, pageParam);
        return { ...page, data: await withTotals(workspace, page.data) };
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ has_more: isMore, last_id: last }) =>
        isMore ? (last ?? undefined) : undefined,
      // A look reads every page again, one request each: the more there are, the rarer it is.
      refetchInterval: ({ state: { data } }) =>
        data?.pages.some((page) => page.data.some(isRunning)) ? lookMs * data.pages.length : false,
    }),
  /** The newest, to tell which of them run. */
  newest: (workspace: string | undefined, limit: number) =>
    queryOptions({
      queryKey: ["batches", "newest", workspace, limit],
      queryFn: () => readList(workspace, limit),
      refetchInterval: ({ state }) => (state.data?.data.some(isRunning) ? lookMs : false),
    }),
  one: (workspace: string | undefined, id: string) =>
    queryOptions({
      queryKey: ["batches", "one", workspace, id],
      queryFn: async (): Promise<ToldBatch> => {
        const asked = { params: { message_batch_id: id }, headers: live(workspace) };
        const batch = watched(await server.messages.batches.retrieve(asked));
        const [told] = await withTotals(workspace, [batch]);
        return told ?? batch;
      },
      refetchInterval: ({ state }) => (state.data && isRunning(state.data) ? lookMs : false),
    }),
  results: (
    workspace: string | undefined,
    id: string,
    { outcome, search }: ResultFilter,
    page: string | undefined,
    runs: boolean,
  ) =>
    queryOptions({
      queryKey: ["batches", "results", workspace, id, outcome, search, page],
      queryFn: () =>
        api.batches.results({
          params: { message_batch_id: id },
          query: { outcome: outcome && [outcome], search, page, limit: resultsPerPage },
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

export const forgetBatches = (): void =>
  void queryClient.invalidateQueries({ queryKey: ["batches"] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(): void {
  queryClient.removeQueries({ queryKey: listKey, type: "inactive" });
  void queryClient.invalidateQueries({ queryKey: listKey });
}
