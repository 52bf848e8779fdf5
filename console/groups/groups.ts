// Groups and roles: what the pages read, and what a role gives in words.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import { api, server } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { plural } from "../../client/text/words.ts";

export type Group = contract.RbacGroup;
export type OneGroup = contract.ConsoleRbacGroup;
/** `id` is the one of the person. */
export type GroupMember = contract.ConsoleRbacGroupMember & { id: string };
export type Role = contract.ConsoleRbacRole;
export type Action = contract.ConsoleRbacRolesActionsReply["data"][number];

const rowsPerPage = 50;
const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next_page: string | null }) => page.next_page ?? undefined,
};

export const groupQueries = {
  groups: infiniteQueryOptions({
    queryKey: ["rbac", "groups"],
    queryFn: ({ pageParam }) =>
      server.rbac_groups.list({ query: { limit: rowsPerPage, page: pageParam } }),
    ...pages,
  }),
  group: (id: string) =>
    queryOptions({
      queryKey: ["rbac", "group", id],
      queryFn: () => api.rbac_groups.retrieve({ params: { rbac_group_id: id } }),
    }),
  members: (id: string) =>
    infiniteQueryOptions({
      queryKey: ["rbac", "members", id],
      queryFn: async ({ pageParam }) => {
        const { data, next_page } = await api.rbac_groups.members.list({
          params: { rbac_group_id: id },
          query: { limit: rowsPerPage, page: pageParam },
        });
        return { data: data.map((member) => ({ ...member, id: member.user_id })), next_page };
      },
      ...pages,
    }),
  roles: queryOptions({ queryKey: ["rbac", "roles"], queryFn: () => api.rbac_roles.list() }),
  holders: (id: string) =>
    queryOptions({
      queryKey: ["rbac", "holders", id],
      queryFn: () => api.rbac_roles.holders({ params: { rbac_role_id: id } }),
    }),
  actions: queryOptions({
    queryKey: ["rbac", "actions"],
    queryFn: () => api.rbac_roles.actions(),
    staleTime: Number.POSITIVE_INFINITY,
  }),
};

/** After a change; what a person may do may have changed with it. Awaited where a form writes the whole of a thing. */
export async function renewGroups(gone?: string): Promise<void> {
  // Nobody asks again for what is gone while its page is being left.
  const isThere = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[2] !== gone;
  const predicate = gone === undefined ? {} : { predicate: isThere };
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["rbac"], ...predicate }),
    queryClient.invalidateQueries({ queryKey: ["me"] }),
  ]);
}

export const allCapabilities = "capability_access_all";
export const stableCapabilities = "capability_access_all_ga";
export const allModels = "model_access_all";
const oneModel = "model_access:";

export const modelAction = (id: string) => oneModel + id;
export const modelsOf = (actions: readonly string[]): string[] =>
  actions.flatMap((action) => (action.startsWith(oneModel) ? [action.slice(oneModel.length)] : []));

const startingWith = (actions: readonly string[], start: string) =>
  actions.filter((action) => action.startsWith(start)).length;

/** `All capabilities, every model, 3 acts of administration`. A blanket is a word of its own and in no count. */
export function summaryOf(actions: readonly string[]): string {
  const capabilities = startingWith(actions, "capability_");
  const models = modelsOf(actions).length;
  const administration = startingWith(actions, "permission_");
  const parts = [
    actions.includes(allCapabilities)
      ? "all capabilities"
      : actions.includes(stableCapabilities)
        ? "all capabilities but betas"
        : capabilities > 0 && plural(capabilities, "capability", "capabilities"),
    actions.includes(allModels) ? "every model" : models > 0 && plural(models, "model"),
    administration > 0 && plural(administration, "act of administration", "acts of administration"),
  ].filter((part) => part !== false);
  const text = parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Capabilities without a model, or the other way round, are of little use: said while a role is edited. */
export function adviceOf(actions: readonly string[]): string | undefined {
  const works = startingWith(actions, "capability_") > 0;
  const hasModels = startingWith(actions, "model_access") > 0;
  if (works && !hasModels)
    return "This role gives capabilities and no model: its members need a model from another role.";
  if (hasModels && !works)
    return "This role gives models and no capability: its members need one from another role.";
  return undefined;
}
