// Vaults in words for people, and what their pages read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { server, type VaultCredential } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

/** As the server has them. */
export const limits = {
  nameCharactersMax: 255,
  secretCharactersMax: 16_384,
  metadata: { pairs: 16, key: 64, value: 512 },
} as const;

export type Workspace = string | undefined;
export type Auth = VaultCredential["auth"];

export const typeWords: Record<Auth["type"], string> = {
  static_bearer: "Token",
  mcp_oauth: "OAuth",
  environment_variable: "Variable",
};

/** What a credential is for. */
export const purposeOf = (auth: Auth): string =>
  auth.type === "environment_variable" ? auth.secret_name : auth.mcp_server_url;

export const titleOf = ({ display_name: name, auth }: VaultCredential): string =>
  name ?? purposeOf(auth);

/** Of a request about it. */
export const askedOf = ({ vault_id, id }: VaultCredential, workspace: Workspace) => ({
  params: { vault_id, credential_id: id },
  headers: inWorkspace(workspace),
});

export const renewVaults = () => queryClient.invalidateQueries({ queryKey: ["vaults"] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(workspace: Workspace): void {
  const queryKey = ["vaults", workspace, "list"];
  queryClient.removeQueries({ queryKey, type: "inactive" });
  void queryClient.invalidateQueries({ queryKey });
}

const perPage = 20;

export const vaultQueries = {
  list: (workspace: Workspace, archived: boolean) =>
    infiniteQueryOptions({
      queryKey: ["vaults", workspace, "list", archived],
      queryFn: ({ pageParam: page }) =>
        server.vaults.list({
          query: { limit: perPage, page, include_archived: archived },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  one: (workspace: Workspace, vault: string) =>
    queryOptions({
      queryKey: ["vaults", workspace, vault, "vault"],
      queryFn: () =>
        server.vaults.retrieve({ params: { vault_id: vault }, headers: inWorkspace(workspace) }),
    }),
  credentials: (workspace: Workspace, vault: string) =>
    infiniteQueryOptions({
      queryKey: ["vaults", workspace, vault, "credentials"],
      queryFn: ({ pageParam: page }) =>
        server.vaults.credentials.list({
          params: { vault_id: vault },
          query: { limit: perPage, page, include_archived: true },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  /** Those that have it, and go on. */
  sessions: (workspace: Workspace, vault: string) =>
    infiniteQueryOptions({
      queryKey: ["vaults", workspace, vault, "sessions"],
      queryFn: ({ pageParam: page }) =>
        server.sessions.list({
          query: { limit: perPage, page, vault_id: vault },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
};
