// What the pages of members and seats read.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import {
  api,
  ApiError,
  server,
  type InviteStatus,
  type MemberWithUse,
  type Role,
} from "../kit/server/api.ts";

const rowsPerPage = 50;
const pages = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next_page: string | null }) => page.next_page ?? undefined,
  // The server searches: what was found before stays while the next letters are looked for.
  placeholderData: keepPreviousData,
};

export interface Person {
  id: string;
  name: string;
  /** Null: they left. */
  member: MemberWithUse | null;
  removed_at: string | null;
}

/** A member; who left has a name still. */
async function personOf(id: string): Promise<Person | null> {
  try {
    const member = await api.members.retrieve({ params: { user_id: id } });
    return { id, name: member.name, member, removed_at: null };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
  const [person] = (await api.people({ query: { ids: [id] } })).data;
  return person === undefined ? null : { ...person, member: null };
}

export const memberQueries = {
  members: (filter: { q?: string; role?: Role }) =>
    infiniteQueryOptions({
      queryKey: ["members", "list", filter],
      queryFn: ({ pageParam }) =>
        api.members.list({ query: { ...filter, limit: rowsPerPage, page: pageParam } }),
      ...pages,
    }),
  /** Null: there is none, and never was. */
  one: (id: string) =>
    queryOptions({ queryKey: ["members", "one", id], queryFn: () => personOf(id) }),
  acts: queryOptions({ queryKey: ["members", "acts"], queryFn: () => api.members.acts() }),
  invites: (filter: { email?: string; statuses?: InviteStatus[] }) =>
    infiniteQueryOptions({
      queryKey: ["members", "invites", filter],
      queryFn: ({ pageParam }) =>
        api.invites.list({ query: { ...filter, limit: rowsPerPage, page: pageParam } }),
      ...pages,
      // The mail of an invite is under way for some seconds.
      refetchInterval: 5_000,
    }),
  groups: queryOptions({
    queryKey: ["groups", "for invites"],
    queryFn: () => server.rbac_groups.list({ query: { limit: 100 } }),
  }),
  seats: queryOptions({
    queryKey: ["members", "seats"],
    queryFn: async () => ({ data: (await api.seats.list()).tiers }),
  }),
};
