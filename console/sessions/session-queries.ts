// What the pages of sessions read.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, server, type Session } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { textIn, words } from "./events/content.ts";
import { isActive, type Status } from "./sessions.ts";

const perPage = 20;
/** Of those that run; more than so many are not followed in a list. */
const activeMax = 100;
const activeLookMs = 2_000;
const quietLookMs = 10_000;
const waitingLookMs = 5_000;
const threadsMax = 50;

export type Workspace = string | undefined;

export interface SessionFilter {
  agent: string | undefined;
  status: Status | undefined;
  archived: boolean;
}

/** What is new in a list since it was read: sessions as they are now, the newest first. */
export interface Fresh {
  newest: Session[];
  changed: Session[];
  /** There are no others than the newest. */
  isWhole: boolean;
}

const queryOf = ({ agent, status, archived }: SessionFilter) => ({
  agent_id: agent,
  statuses: status && [status],
  include_archived: archived,
});

const waitingKey = (workspace: Workspace) => ["sessions", workspace, "waiting"] as const;
const listKey = (workspace: Workspace) => ["sessions", workspace, "list"] as const;

const read = (workspace: Workspace, id: string) =>
  server.sessions.retrieve({ params: { session_id: id }, headers: inWorkspace(workspace) });

/**
 * The newest, all that run, and those that ran when they were read last: three looks at most, however many pages of
 * the list are loaded.
 */
async function readFresh(
  workspace: Workspace,
  filter: SessionFilter,
  loaded: readonly Session[],
): Promise<Fresh> {
  const headers = inWorkspace(workspace);
  const query = queryOf(filter);
  const active = { ...query, statuses: ["running", "rescheduling"] as Status[], limit: activeMax };
  const [{ data: newest, next_page: next }, { data: running }] = await Promise.all([
    server.sessions.list({ query: { ...query, limit: perPage }, headers }),
    server.sessions.list({ query: active, headers }),
  ]);
  const known = new Set([...newest, ...running].map(({ id }) => id));
  const before = loaded.filter(isActive);
  const ended = before.filter(({ id }) => !known.has(id)).slice(0, activeMax);
  // One that has come to rest may wait for a person.
  const isAtWork = new Set(running.map(({ id }) => id));
  if (before.some(({ id }) => !isAtWork.has(id))) void forgetWaiting(workspace);
  const looked = await Promise.allSettled(ended.map(({ id }) => read(workspace, id)));
  const rest = looked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  return { newest, changed: [...running, ...rest], isWhole: next === null };
}

export const sessionQueries = {
  list: (workspace: Workspace, filter: SessionFilter) =>
    infiniteQueryOptions({
      queryKey: [...listKey(workspace), filter],
      queryFn: ({ pageParam: page }) =>
        server.sessions.list({
          query: { ...queryOf(filter), limit: perPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      placeholderData: (before, query) => (query?.queryKey[1] === workspace ? before : undefined),
    }),
  fresh: (workspace: Workspace, filter: SessionFilter, loaded: () => readonly Session[]) =>
    queryOptions({
      queryKey: ["sessions", workspace, "fresh", filter],
      queryFn: () => readFresh(workspace, filter, loaded()),
      refetchInterval: () => (loaded().some(isActive) ? activeLookMs : quietLookMs),
    }),
  /** Looked at again as long as it is open: others answer too. */
  waiting: (workspace: Workspace, lookMs = waitingLookMs) =>
    infiniteQueryOptions({
      queryKey: waitingKey(workspace),
      queryFn: ({ pageParam: page }) =>
        api.sessions.waiting({
          query: { limit: perPage, page },
          headers: inWorkspace(workspace),
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => page.next_page ?? undefined,
      staleTime: lookMs,
      refetchInterval: ({ state }) => lookMs * Math.max(1, state.data?.pages.length ?? 1),
    }),
  /** The newest of an agent; null where there is none. */
  lastOf: (workspace: Workspace, agent: string) =>
    queryOptions({
      queryKey: [...listKey(workspace), "last", agent],
      queryFn: async () => {
        const { data } = await server.sessions.list({
          query: { agent_id: agent, limit: 1 },
          headers: inWorkspace(workspace),
        });
        return data[0] ?? null;
      },
    }),
  one: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["sessions", workspace, id, "session"],
      queryFn: () => read(workspace, id),
    }),
  /** What was said first; it never changes once it is there. */
  opening: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["sessions", workspace, id, "opening"],
      queryFn: async () => {
        const { data } = await server.sessions.events.list({
          params: { session_id: id },
          query: { types: ["user.message", "user.define_outcome"], limit: 1 },
          headers: inWorkspace(workspace),
        });
        const [first] = data;
        if (first === undefined) return null;
        return textIn(first["content"]) || words(first["description"]);
      },
      staleTime: ({ state }) => (state.data ? Infinity : 10_000),
    }),
  mountNotes: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["sessions", workspace, id, "mount notes"],
      queryFn: async () => {
        const params = { session_id: id };
        const headers = inWorkspace(workspace);
        return await api.sessions.mount_notes({ params, headers });
      },
    }),
  threads: (workspace: Workspace, id: string) =>
    queryOptions({
      queryKey: ["sessions", workspace, id, "threads"],
      queryFn: async () => {
        const { data } = await server.sessions.threads.list({
          params: { session_id: id },
          query: { limit: threadsMax },
          headers: inWorkspace(workspace),
        });
        return data;
      },
    }),
};

export const renewSession = (workspace: Workspace, id: string) =>
  queryClient.invalidateQueries({ queryKey: ["sessions", workspace, id] });

/** The page of one that is gone must not ask for it again; a list that is shown next must not show it. */
export function forgetSessions(workspace: Workspace): void {
  for (const list of ["list", "fresh", "waiting"]) {
    const queryKey = ["sessions", workspace, list];
    queryClient.removeQueries({ queryKey, type: "inactive" });
    void queryClient.invalidateQueries({ queryKey });
  }
}

export const forgetWaiting = (workspace: Workspace) =>
  queryClient.invalidateQueries({ queryKey: waitingKey(workspace) });
