// What the pages of skills read, and what agents that name some read of them.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { server, type Skill } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { textIn } from "./zip.ts";

const skillsPerPage = 20;
/** The most that one page of the list holds. */
const skillsAtOnce = 100;
const versionsPerPage = 20;

export type Workspace = string | undefined;

export const renewSkills = () => queryClient.invalidateQueries({ queryKey: ["skills"] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(workspace: Workspace): void {
  for (const list of ["list", "all"]) {
    const queryKey = ["skills", workspace, list];
    queryClient.removeQueries({ queryKey, type: "inactive" });
    void queryClient.invalidateQueries({ queryKey });
  }
}

/** All but what is known of a version that is gone: its page must not ask for it again while it is being left. */
export const forgetVersion = (version: string) =>
  queryClient.invalidateQueries({
    queryKey: ["skills"],
    predicate: ({ queryKey }) => !queryKey.includes(version),
  });

export const skillQueries = {
  list: (workspace: Workspace) =>
    infiniteQueryOptions({
      queryKey: ["skills", workspace, "list"],
      queryFn: ({ pageParam: page }) =>
        server.skills.list({
          query: { limit: skillsPerPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  /** All of the workspace, to choose from. */
  all: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["skills", workspace, "all"],
      queryFn: (): Promise<Skill[]> =>
        Array.fromAsync(
          server.pages(server.skills.list, {
            query: { limit: skillsAtOnce },
            headers: inWorkspace(workspace),
          }),
        ),
    }),
  one: (workspace: Workspace, skill: string) =>
    queryOptions({
      queryKey: ["skills", workspace, skill, "skill"],
      queryFn: () =>
        server.skills.retrieve({ params: { skill_id: skill }, headers: inWorkspace(workspace) }),
    }),
  versions: (workspace: Workspace, skill: string) =>
    infiniteQueryOptions({
      queryKey: ["skills", workspace, skill, "versions"],
      queryFn: ({ pageParam: page }) =>
        server.skills.versions.list({
          params: { skill_id: skill },
          query: { limit: versionsPerPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  version: (workspace: Workspace, skill: string, version: string) =>
    queryOptions({
      queryKey: ["skills", workspace, skill, "version", version],
      queryFn: () =>
        server.skills.versions.retrieve({
          params: { skill_id: skill, version },
          headers: inWorkspace(workspace),
        }),
    }),
  /** What of a version never changes: its files, and the text of its SKILL.md. */
  content: (workspace: Workspace, skill: string, version: string) =>
    queryOptions({
      queryKey: ["skills", workspace, skill, "content", version],
      queryFn: async () => textIn(await contentOf(workspace, skill, version), /^[^/]+\/SKILL\.md$/),
      staleTime: Infinity,
      gcTime: 60_000,
    }),
};

export async function contentOf(
  workspace: Workspace,
  skill: string,
  version: string,
): Promise<Blob> {
  const answer = await server.skills.versions.download({
    params: { skill_id: skill, version },
    headers: inWorkspace(workspace),
  });
  return answer.blob();
}
