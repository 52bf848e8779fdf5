// What the pages of agents read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { server } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

const agentsPerPage = 20;
const versionsPerPage = 20;

export type Workspace = string | undefined;

export const renewAgents = () => queryClient.invalidateQueries({ queryKey: ["agents"] });

export const agentQueries = {
  list: (workspace: Workspace, archived: boolean) =>
    infiniteQueryOptions({
      queryKey: ["agents", workspace, "list", archived],
      queryFn: ({ pageParam: page }) =>
        server.agents.list({
          query: { limit: agentsPerPage, page, include_archived: archived },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // What is there stays while archived ones come or go; not that of another workspace.
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  /** At its newest version, unless another one is named. */
  one: (workspace: Workspace, agent: string, version?: number) =>
    queryOptions({
      queryKey: ["agents", workspace, agent, "version", version ?? "newest"],
      queryFn: () =>
        server.agents.retrieve({
          params: { agent_id: agent },
          query: { version },
          headers: inWorkspace(workspace),
        }),
    }),
  versions: (workspace: Workspace, agent: string) =>
    infiniteQueryOptions({
      queryKey: ["agents", workspace, agent, "versions"],
      queryFn: ({ pageParam: page }) =>
        server.agents.versions.list({
          params: { agent_id: agent },
          query: { limit: versionsPerPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
};
