// What the pages read of models and upstreams.
import { queryOptions } from "@tanstack/react-query";
import { api, server, type Lifecycle } from "../kit/server/api.ts";
import { fallbackBeta } from "../../client/messages/message.ts";

const lifecycles: Lifecycle[] = ["active", "deprecated", "retired"];

export const modelQueries = {
  list: queryOptions({
    queryKey: ["models", "list"],
    queryFn: () =>
      server.models.list({
        query: { limit: 1_000, lifecycle: lifecycles },
        headers: { "vendor-beta": fallbackBeta },
      }),
    staleTime: 60_000,
  }),
  entries: queryOptions({ queryKey: ["models", "entries"], queryFn: () => api.models.list() }),
  upstreams: queryOptions({
    queryKey: ["models", "upstreams"],
    queryFn: () => api.upstreams.list(),
  }),
  upstreamHealth: queryOptions({
    queryKey: ["models", "upstreams", "health"],
    queryFn: () => api.upstreams.health(),
    staleTime: 0,
    refetchInterval: 5_000,
  }),
};
