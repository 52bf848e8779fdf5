// What sessions are begun with and filtered by: all of a workspace, however many pages they stand on.
import { queryOptions } from "@tanstack/react-query";
import { server } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import type { Workspace } from "./session-queries.ts";

const perPage = 100;

const asked = (workspace: Workspace) => ({
  query: { limit: perPage },
  headers: inWorkspace(workspace),
});

export const choiceQueries = {
  agents: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["agents", workspace, "choices"],
      queryFn: () => Array.fromAsync(server.pages(server.agents.list, asked(workspace))),
    }),
  environments: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["environments", workspace, "choices"],
      queryFn: () => Array.fromAsync(server.pages(server.environments.list, asked(workspace))),
    }),
  vaults: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["vaults", workspace, "choices"],
      queryFn: () => Array.fromAsync(server.pages(server.vaults.list, asked(workspace))),
    }),
  stores: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["memory", workspace, "choices"],
      queryFn: () => Array.fromAsync(server.pages(server.memory_stores.list, asked(workspace))),
    }),
};
