// What the pages of members and seats read.
import { queryOptions } from "@tanstack/react-query";
import { api, server, type InviteStatus, type Role } from "../kit/server/api.ts";

const rowsPerPage = 50;

export const memberQueries = {
  members: (filter: { q?: string; role?: Role; page?: string }) =>
    queryOptions({
      queryKey: ["members", "list", filter],
      queryFn: () => api.members.list({ query: { ...filter, limit: rowsPerPage } }),
    }),
  acts: queryOptions({ queryKey: ["members", "acts"], queryFn: () => api.members.acts() }),
  invites: (filter: { email?: string; statuses?: InviteStatus[]; page?: string }) =>
    queryOptions({
      queryKey: ["members", "invites", filter],
      queryFn: () => api.invites.list({ query: { ...filter, limit: rowsPerPage } }),
      // The mail of an invite is under way for some seconds.
      refetchInterval: 5_000,
    }),
  groups: queryOptions({
    queryKey: ["groups", "for invites"],
    queryFn: () => server.rbac_groups.list({ query: { limit: 100 } }),
  }),
  seats: queryOptions({ queryKey: ["members", "seats"], queryFn: () => api.seats.list() }),
};
