// What the playground reads of saved prompts, and changes of them.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";

type Workspace = string | undefined;
const promptsPerPage = 50;
const versionsMax = 100;

export const promptQueries = {
  list: (workspace: Workspace) =>
    infiniteQueryOptions({
      queryKey: ["prompts", "list", workspace],
      queryFn: ({ pageParam }) =>
        api.prompts.list({
          query: { limit: promptsPerPage, page: pageParam },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next_page: next }) => next ?? undefined,
    }),
  versions: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["prompts", "versions", workspace, id],
      queryFn: () =>
        api.prompts.versions.list({
          params: { prompt_id: id },
          query: { limit: versionsMax },
          headers: inWorkspace(workspace),
        }),
    }),
};

export const readVersion = (workspace: Workspace, id: string, version: number) =>
  api.prompts.versions.retrieve({
    params: { prompt_id: id, version: String(version) },
    headers: inWorkspace(workspace),
  });

export const forgetPrompts = (): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ["prompts"] });
