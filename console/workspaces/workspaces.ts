// Workspaces as administrators see them: what the pages read, and words for roles and places.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import { api, server, type Me } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { inWorkspace } from "../kit/server/workspace.ts";

export type Workspace = contract.Workspace;
export type Member = contract.ConsoleWorkspacesMembersListReply["data"][number];
export type WorkspaceRole = Member["workspace_role"];

const rowsPerPage = 200;
const membersPerPage = 50;
/** Of what runs more is not told apart. */
export const runningMax = 100;

export const workspaceQueries = {
  list: (isAll: boolean) =>
    infiniteQueryOptions({
      queryKey: ["workspaces", "list", isAll],
      queryFn: ({ pageParam }) =>
        api.workspaces.list({
          query: {
            limit: rowsPerPage,
            after_id: pageParam,
            include_archived: isAll,
            include_default: true,
          },
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => (page.has_more ? (page.last_id ?? undefined) : undefined),
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: ["workspaces", "one", id],
      queryFn: () => api.workspaces.retrieve({ params: { workspace_id: id } }),
    }),
  members: (id: string) =>
    infiniteQueryOptions({
      queryKey: ["workspaces", "members", id],
      queryFn: ({ pageParam }) =>
        api.workspaces.members.list({
          params: { workspace_id: id },
          query: { limit: membersPerPage, after_id: pageParam },
        }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page) => (page.has_more ? page.data.at(-1)?.user_id : undefined),
    }),
  candidates: (id: string, email: string) =>
    queryOptions({
      queryKey: ["workspaces", "candidates", id, email],
      queryFn: () => api.workspaces.candidates({ params: { workspace_id: id }, query: { email } }),
    }),
  /** Those that run. */
  sessions: (id: string) =>
    queryOptions({
      queryKey: ["sessions", id, "running"],
      queryFn: () =>
        server.sessions.list({
          query: { statuses: ["running", "rescheduling"], limit: runningMax },
          headers: inWorkspace(id),
        }),
      refetchInterval: 10_000,
    }),
  spend: (id: string) =>
    queryOptions({
      queryKey: ["workspaces", "spend", id],
      queryFn: () => api.workspaces.spend({ params: { workspace_id: id } }),
      refetchInterval: 10_000,
    }),
};

/** Keys, selects and the person's own list of workspaces hang on them too. */
/** Awaited where a form writes the whole of a thing: opened again, it begins with what holds now. */
export const renewWorkspaces = () => queryClient.invalidateQueries();
/** What is in an archived one is asked for no more: it would be refused. */
export const renewArchived = (id: string) =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === "workspaces" || !queryKey.includes(id),
  });
export const forgetWorkspaces = () => void renewWorkspaces();

export const roleWords: Record<WorkspaceRole, { name: string; means: string }> = {
  workspace_user: { name: "User", means: "Works in it: playground, batches, files, memory." },
  workspace_restricted_developer: {
    name: "Restricted developer",
    means: "Works in it and makes keys; manages only the keys they made.",
  },
  workspace_developer: { name: "Developer", means: "Works in it and manages all of its keys." },
  workspace_admin: {
    name: "Administrator",
    means: "Manages its members and keys, and sees what it spends.",
  },
  workspace_billing: { name: "Billing", means: "Sees what it spends, and does not work in it." },
};
export const roleNames = Object.keys(roleWords) as WorkspaceRole[];

/** What the person may do to this workspace. */
export function standing({ permissions, workspaces }: Me, id: string) {
  const role = workspaces.find((own) => own.id === id)?.role ?? null;
  const isAbove = permissions.includes("workspaces:write");
  return {
    mayChange: isAbove,
    mayManage: isAbove || role === "workspace_admin",
    maySeeKeys: workspaces.some((own) => own.id === id && own.makes_keys),
  };
}

/** The default one is told by the server in `me` alone. */
export const isDefaultOf = ({ workspaces }: Me, id: string): boolean =>
  workspaces.some((own) => own.id === id && own.is_default);

export function placesText({ data_residency: residency }: Workspace): string {
  const { allowed_inference_geos: allowed } = residency;
  return allowed === "unrestricted" ? "Anywhere" : allowed.map(placeWord).join(" or ");
}

export const placeWord = (geo: "global" | "us"): string =>
  geo === "us" ? "United States" : "Global";
