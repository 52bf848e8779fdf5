// What the pages of memory read.
import { hashKey, infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, ApiError, server, type Memory, type MemoryVersion } from "../kit/server/api.ts";
import type { Operation } from "./memory.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

const storesPerPage = 20;
const itemsPerPage = 100;
const matchesPerPage = 20;

export type Workspace = string | undefined;

export interface VersionFilter {
  memory?: string | undefined;
  operation?: Operation | undefined;
  /** A day, `2026-11-20`: what was written until its end. */
  until?: string | undefined;
}

/** As a store's own query begins: what is under it changes with its memories. */
const under = (workspace: Workspace, store: string) => ["memory", workspace, store] as const;

export const forgetStore = (workspace: Workspace, store: string) =>
  void queryClient.invalidateQueries({ queryKey: under(workspace, store) });
export const renewStores = () => queryClient.invalidateQueries({ queryKey: ["memory"] });
export const forgetStores = () => void renewStores();

const storesKey = (workspace: Workspace) => ["memory", workspace, "stores"] as const;

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetList(workspace: Workspace): void {
  const queryKey = storesKey(workspace);
  queryClient.removeQueries({ queryKey, type: "inactive" });
  void queryClient.invalidateQueries({ queryKey });
}

/** All but the memory itself, which nobody asks for again while its page is being left. */
export function forgetMemory(workspace: Workspace, store: string, memory: string): void {
  const { queryKey } = memoryQueries.memory(workspace, store, memory);
  void queryClient.invalidateQueries({ queryKey, refetchType: "none" });
  const isOther = ({ queryHash }: { queryHash: string }) => queryHash !== hashKey(queryKey);
  void queryClient.invalidateQueries({ queryKey: ["memory"], predicate: isOther });
}

const orGone = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
};

const list = server.memory_stores;

export const memoryQueries = {
  stores: (workspace: Workspace, archived: boolean) =>
    infiniteQueryOptions({
      queryKey: [...storesKey(workspace), archived],
      queryFn: ({ pageParam: page }) =>
        list.list({
          query: { limit: storesPerPage, page, include_archived: archived },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      // What is there stays while archived ones come or go; not that of another workspace.
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  store: (workspace: Workspace, store: string) =>
    queryOptions({
      queryKey: [...under(workspace, store), "store"],
      queryFn: () =>
        list.retrieve({ params: { memory_store_id: store }, headers: inWorkspace(workspace) }),
    }),
  /** One page of what stands in a folder. */
  folder: (workspace: Workspace, store: string, folder: string, page: string | undefined) =>
    queryOptions({
      queryKey: [...under(workspace, store), "folder", folder, page],
      queryFn: () =>
        list.memories.list({
          params: { memory_store_id: store },
          query: { path_prefix: folder, depth: 1, limit: itemsPerPage, page },
          headers: inWorkspace(workspace),
        }),
    }),
  /** Every memory without its text: what the filter of the tree looks through. */
  all: (workspace: Workspace, store: string) =>
    queryOptions({
      queryKey: [...under(workspace, store), "all"],
      queryFn: async () => {
        const found: Memory[] = [];
        const items = server.pages(list.memories.list, {
          params: { memory_store_id: store },
          query: { limit: itemsPerPage },
          headers: inWorkspace(workspace),
        });
        for await (const item of items) if (item.type === "memory") found.push(item);
        return found;
      },
    }),
  /** Null where it is gone. */
  memory: (workspace: Workspace, store: string, memory: string) =>
    queryOptions({
      queryKey: [...under(workspace, store), "memory", memory],
      queryFn: () => readMemory(workspace, store, memory),
    }),
  versions: (workspace: Workspace, store: string, filter: VersionFilter) =>
    infiniteQueryOptions({
      queryKey: [...under(workspace, store), "versions", filter],
      queryFn: ({ pageParam: page }) => {
        const { memory, operation, until } = filter;
        return list.memory_versions.list({
          params: { memory_store_id: store },
          query: {
            limit: itemsPerPage,
            page,
            memory_id: memory,
            operation,
            created_at: until === undefined ? undefined : { lte: `${until}T23:59:59.999Z` },
          },
          headers: inWorkspace(workspace),
        });
      },
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
  version: (workspace: Workspace, store: string, version: string) =>
    queryOptions({
      queryKey: [...under(workspace, store), "version", version],
      queryFn: () =>
        list.memory_versions.retrieve({
          params: { memory_store_id: store, memory_version_id: version },
          headers: inWorkspace(workspace),
        }),
    }),
  /** The version of the same memory before this one; null where it is the first that is kept. */
  before: (workspace: Workspace, store: string, version: MemoryVersion) =>
    queryOptions({
      queryKey: [...under(workspace, store), "before", version.id],
      queryFn: () => versionBefore(workspace, store, version),
    }),
  search: (workspace: Workspace, q: string) =>
    infiniteQueryOptions({
      queryKey: ["memory", workspace, "search", q],
      queryFn: ({ pageParam: page }) =>
        api.memory.search({
          query: { q, page, limit: matchesPerPage },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
    }),
};

export const readMemory = (workspace: Workspace, store: string, memory: string) =>
  orGone(
    list.memories.retrieve({
      params: { memory_store_id: store, memory_id: memory },
      headers: inWorkspace(workspace),
    }),
  );

/** One group of writes has one time, and up to 64 versions: the one before stands among the next hundred. */
async function versionBefore(workspace: Workspace, store: string, version: MemoryVersion) {
  const { data } = await list.memory_versions.list({
    params: { memory_store_id: store },
    query: {
      memory_id: version.memory_id,
      created_at: { lte: version.created_at },
      limit: itemsPerPage,
    },
    headers: inWorkspace(workspace),
  });
  return data[data.findIndex(({ id }) => id === version.id) + 1] ?? null;
}
