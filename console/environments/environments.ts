// Environments in words for people, and what the pages of environments read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { server, type Environment } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { plural } from "../../client/text/words.ts";

/** As the server has them. */
export const limits = {
  nameCharactersMax: 255,
  descriptionCharactersMax: 1_024,
  metadata: { pairs: 16, key: 64, value: 512 },
  keyNameCharactersMax: 200,
} as const;

export type Workspace = string | undefined;
export type CloudConfig = Extract<Environment["config"], { type: "cloud" }>;

export const managers = {
  pip: "Python, pip",
  npm: "JavaScript, npm",
  apt: "System, apt",
  cargo: "Rust, cargo",
  go: "Go",
  gem: "Ruby, gem",
} as const;
export type Manager = keyof typeof managers;
export const managerNames = Object.keys(managers) as Manager[];

export const typeWords: Record<Environment["config"]["type"], string> = {
  cloud: "On this server",
  self_hosted: "Self-hosted",
};

/** `2 hosts`, `Everything`: what is reached from inside. */
export function reachText({ networking }: CloudConfig): string {
  if (networking.type === "unrestricted") return "Everything";
  const {
    allowed_hosts: hosts,
    allow_mcp_servers: mcp,
    allow_package_managers: packs,
  } = networking;
  const parts = [
    ...(hosts.length > 0 ? [plural(hosts.length, "host")] : []),
    ...(mcp ? ["MCP servers"] : []),
    ...(packs ? ["package managers"] : []),
  ];
  return parts.length === 0 ? "Nothing" : parts.join(", ");
}

export const packageCount = ({ packages }: CloudConfig): number =>
  managerNames.reduce((sum, manager) => sum + packages[manager].length, 0);

export const renewEnvironments = () =>
  queryClient.invalidateQueries({ queryKey: ["environments"] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(workspace: Workspace): void {
  const queryKey = ["environments", workspace, "list"];
  queryClient.removeQueries({ queryKey, type: "inactive" });
  void queryClient.invalidateQueries({ queryKey });
}

const perPage = 20;
const keysPerPage = 20;
const workPerPage = 20;
const workEveryMs = 5_000;

export const environmentQueries = {
  list: (workspace: Workspace, archived: boolean) =>
    infiniteQueryOptions({
      queryKey: ["environments", workspace, "list", archived],
      queryFn: ({ pageParam: page }) =>
        server.environments.list({
          query: { limit: perPage, page, include_archived: archived },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // What is there stays while archived ones come or go; not that of another workspace.
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  one: (workspace: Workspace, environment: string) =>
    queryOptions({
      queryKey: ["environments", workspace, environment, "environment"],
      queryFn: () =>
        server.environments.retrieve({
          params: { environment_id: environment },
          headers: inWorkspace(workspace),
        }),
    }),
  keys: (workspace: Workspace, environment: string) =>
    infiniteQueryOptions({
      queryKey: ["environments", workspace, environment, "keys"],
      queryFn: ({ pageParam: page }) =>
        server.environments.keys.list({
          params: { environment_id: environment },
          query: { limit: keysPerPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  /** It moves by itself: workers take it and give it back. */
  stats: (workspace: Workspace, environment: string) =>
    queryOptions({
      queryKey: ["environments", workspace, environment, "stats"],
      queryFn: () =>
        server.environments.work.stats({
          params: { environment_id: environment },
          headers: inWorkspace(workspace),
        }),
      refetchInterval: workEveryMs,
    }),
  work: (workspace: Workspace, environment: string) =>
    infiniteQueryOptions({
      queryKey: ["environments", workspace, environment, "work"],
      queryFn: ({ pageParam: page }) =>
        server.console.environments.work.list({
          params: { environment_id: environment },
          query: { limit: workPerPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      refetchInterval: workEveryMs,
    }),
};
