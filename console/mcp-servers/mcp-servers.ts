// MCP servers in words for people, and what their pages read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { server, type Agent, type McpServer } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

/** As the server has them. */
export const limits = {
  nameCharactersMax: 255,
  descriptionCharactersMax: 1_024,
  urlCharactersMax: 2_048,
} as const;

export type Workspace = string | undefined;

export const healthWords = {
  unknown: { word: "Not asked yet", tone: "neutral" },
  connected: { word: "Answers", tone: "good" },
  failed: { word: "Fails", tone: "bad" },
} as const;

export const statusWords = {
  connected: { word: "Connected", tone: "good" },
  unauthorized: { word: "Refused", tone: "bad" },
  failed: { word: "Failed", tone: "bad" },
} as const;

/** Of a request about it. */
export const askedOf = (id: string, workspace: Workspace) => ({
  params: { mcp_server_id: id },
  headers: inWorkspace(workspace),
});

export const renewServers = () => queryClient.invalidateQueries({ queryKey: ["mcp-servers"] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(workspace: Workspace): void {
  for (const list of ["list", "all"]) {
    const queryKey = ["mcp-servers", workspace, list];
    queryClient.removeQueries({ queryKey, type: "inactive" });
    void queryClient.invalidateQueries({ queryKey });
  }
}

/** It is run at the server, once. */
export const runTool = (
  at: McpServer,
  workspace: Workspace,
  name: string,
  input: Record<string, unknown>,
) => server.mcp_servers.call({ ...askedOf(at.id, workspace), body: { name, arguments: input } });

/** Agents write the same address in their own way. */
export const isSameAddress = (one: string, other: string): boolean =>
  one === other || URL.parse(one)?.href === URL.parse(other)?.href;

const perPage = 20;
/** The most that one page of a list holds, and of how many pages of agents it is told what they name. */
const atOnce = 100;
const agentPagesMax = 3;

export const mcpServerQueries = {
  list: (workspace: Workspace) =>
    infiniteQueryOptions({
      queryKey: ["mcp-servers", workspace, "list"],
      queryFn: ({ pageParam: page }) =>
        server.mcp_servers.list({
          query: { limit: perPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  /** A workspace has a few hundred at most. */
  all: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["mcp-servers", workspace, "all"],
      queryFn: () =>
        Array.fromAsync(
          server.pages(server.mcp_servers.list, {
            query: { limit: atOnce },
            headers: inWorkspace(workspace),
          }),
        ),
    }),
  /** Those that name it at their newest version, among the newest of the workspace. */
  agents: (workspace: Workspace, { url }: McpServer) =>
    queryOptions({
      queryKey: ["agents", workspace, "of MCP server", url],
      queryFn: async () => {
        const read: Agent[] = [];
        let page: string | undefined;
        for (let at = 0; at < agentPagesMax; at++) {
          const { data, next_page: next } = await server.agents.list({
            query: { limit: atOnce, page },
            headers: inWorkspace(workspace),
          });
          read.push(...data);
          page = next ?? undefined;
          if (page === undefined) break;
        }
        const agents = read.filter(({ mcp_servers: servers }) =>
          servers.some((each) => isSameAddress(each.url, url)),
        );
        return { agents, read: read.length, hasMore: page !== undefined };
      },
    }),
  one: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["mcp-servers", workspace, id, "server"],
      queryFn: () => server.mcp_servers.retrieve(askedOf(id, workspace)),
    }),
  /** Asks the server itself: once as the page is opened, and then as often as a person wants. */
  tools: (workspace: Workspace, { id, url, vault_id: vault }: McpServer) =>
    queryOptions({
      queryKey: ["mcp-server-tools", workspace, id, url, vault],
      queryFn: async () => {
        const found = await server.mcp_servers.tools(askedOf(id, workspace));
        void renewServers();
        return found;
      },
      gcTime: 0,
      staleTime: Infinity,
      retry: false,
    }),
  /** As the server has it while the dialog is open. */
  page: (workspace: Workspace, { id, url, vault_id: vault }: McpServer, name: string) =>
    queryOptions({
      queryKey: ["mcp-tool-page", workspace, id, url, vault, name],
      queryFn: () => server.mcp_servers.page({ ...askedOf(id, workspace), body: { name } }),
      gcTime: 0,
      staleTime: Infinity,
      retry: false,
    }),
  vaults: (workspace: Workspace) =>
    queryOptions({
      queryKey: ["vaults", workspace, "choices"],
      queryFn: () =>
        Array.fromAsync(
          server.pages(server.vaults.list, {
            query: { limit: 100 },
            headers: inWorkspace(workspace),
          }),
        ),
    }),
};
