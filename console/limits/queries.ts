// What the pages read of limits.
import { queryOptions } from "@tanstack/react-query";
import { api } from "../kit/server/api.ts";

export const limitQueries = {
  spend: queryOptions({
    queryKey: ["limits", "spend"],
    queryFn: () => api.spend_limits.list(),
    refetchInterval: 5_000,
  }),
  rates: (workspaceId: string | undefined) =>
    queryOptions({
      queryKey: ["limits", "rates", workspaceId],
      queryFn: () => api.rate_limits.list({ query: { workspace_id: workspaceId } }),
      refetchInterval: 5_000,
    }),
};
