// Service accounts and federation: what the pages read, and words for roles, scopes and where keys come from.
import { infiniteQueryOptions, queryOptions, useQuery } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import { api, server } from "../kit/server/api.ts";
import { useNames } from "../kit/value/names.ts";
import { queryClient, useMe } from "../kit/server/queries.ts";

export type Account = contract.ServiceAccount;
export type AccountRole = Account["organization_role"];
export type Membership = contract.ServiceAccountWorkspaceMember;
export type MembershipRole = Membership["workspace_role"];
export type Issuer = contract.FederationIssuer;
export type Rule = contract.FederationRule;
export type RuleTest = contract.FederationRuleTest;
export type Refusal = contract.FederationRefusal;
export type NewIssuer = contract.FederationIssuersCreateBody;

const rowsPerPage = 50;
/** As many as an organization may have (of those that are not archived). */
const rowsAtOnce = 1_000;
const issuersAtOnce = 200;

const firstPage = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page: { next_page: string | null }) => page.next_page ?? undefined,
};

export const federationQueries = {
  accounts: (isAll: boolean) =>
    infiniteQueryOptions({
      queryKey: ["federation", "accounts", isAll],
      queryFn: ({ pageParam }) =>
        server.service_accounts.list({
          query: { limit: rowsPerPage, page: pageParam, include_archived: isAll },
        }),
      ...firstPage,
    }),
  /** Those that a rule may be for. */
  liveAccounts: queryOptions({
    queryKey: ["federation", "live accounts"],
    queryFn: () => server.service_accounts.list({ query: { limit: rowsAtOnce } }),
  }),
  account: (id: string) =>
    queryOptions({
      queryKey: ["federation", "account", id],
      queryFn: () => server.service_accounts.retrieve({ params: { service_account_id: id } }),
    }),
  memberships: (id: string) =>
    queryOptions({
      queryKey: ["federation", "memberships", id],
      queryFn: () =>
        server.service_accounts.workspaces.list({
          params: { service_account_id: id },
          query: { limit: rowsAtOnce },
        }),
    }),
  issuers: (isAll: boolean) =>
    queryOptions({
      queryKey: ["federation", "issuers", isAll],
      queryFn: async () => {
        const rows: Issuer[] = [];
        const query = { limit: 100, include_archived: isAll };
        for await (const issuer of server.pages(server.federation_issuers.list, { query })) {
          rows.push(issuer);
          if (rows.length === issuersAtOnce) break;
        }
        return { data: rows };
      },
      // The server fetches keys while the page is open.
      refetchInterval: 10_000,
    }),
  rules: (isAll: boolean) =>
    infiniteQueryOptions({
      queryKey: ["federation", "rules", isAll],
      queryFn: ({ pageParam }) =>
        server.federation_rules.list({
          query: { limit: rowsPerPage, page: pageParam, include_archived: isAll },
        }),
      ...firstPage,
    }),
  /** Live ones that target an account. */
  rulesOf: (accountId: string) =>
    queryOptions({
      queryKey: ["federation", "rules of", accountId],
      queryFn: async () => {
        const rows: Rule[] = [];
        const query = { limit: 100 };
        for await (const rule of server.pages(server.federation_rules.list, { query }))
          if (rule.target.service_account_id === accountId) rows.push(rule);
        return rows;
      },
    }),
  rule: (id: string) =>
    queryOptions({
      queryKey: ["federation", "rule", id],
      queryFn: () => server.federation_rules.retrieve({ params: { federation_rule_id: id } }),
    }),
  refusals: (id: string) =>
    queryOptions({
      queryKey: ["federation", "refusals", id],
      queryFn: () => api.federation_rules.refusals({ params: { federation_rule_id: id } }),
      refetchInterval: 10_000,
    }),
  workspaces: queryOptions({
    queryKey: ["workspaces", "names"],
    queryFn: async () => {
      const rows: contract.Workspace[] = [];
      const query = { limit: 200, include_archived: true, include_default: true };
      for await (const workspace of server.pages(api.workspaces.list, { query })) {
        rows.push(workspace);
        if (rows.length === rowsAtOnce) break;
      }
      return rows;
    },
    staleTime: 60_000,
  }),
};

/** Awaited where a form writes the whole of a thing: opened again, it begins with what holds now. */
export const renewFederation = () => queryClient.invalidateQueries({ queryKey: ["federation"] });
export const forgetFederation = () => void renewFederation();

/** Names of workspaces, and those in which something can still be done. */
export function useWorkspaces() {
  const me = useMe();
  const { data = [], isLoading } = useQuery({
    ...federationQueries.workspaces,
    enabled: me.permissions.includes("workspaces:read"),
  });
  const behind = useNames();
  const nameOf = (id: string): string => behind(id) ?? `Workspace …${id.slice(-6)}`;
  const live = data.filter(({ archived_at: archived }) => archived === null);
  return { nameOf, live, isLoading };
}

export const accountRoles: Record<AccountRole, { name: string; means: string }> = {
  developer: {
    name: "Developer",
    means: "Works in workspaces: messages, batches, files, memory.",
  },
  admin: {
    name: "Administrator",
    means: "May also be given org:admin by a rule, and then administers the organization.",
  },
};

export const scopeWords: Record<string, { name: string; means: string }> = {
  "workspace:developer": {
    name: "All work in a workspace",
    means: "workspace:developer: messages, batches, files, memory.",
  },
  "workspace:inference": {
    name: "Messages alone",
    means: "workspace:inference: messages, token counts and models.",
  },
  "org:admin": {
    name: "Administration",
    means: "org:admin: people, keys, workspaces and limits. Asks for an administrator.",
  },
};

export const scopeName = (scopes: string): string =>
  scopes
    .split(" ")
    .map((scope) => scopeWords[scope]?.name ?? scope)
    .join(" and ");

export const keysFrom: Record<Issuer["jwks"]["type"], string> = {
  discovery: "Discovery",
  explicit_url: "An address",
  inline: "Given here",
};

/** `1 h`, `90 min`, `45 s`: as long as it can be said exactly. */
export function spanText(seconds: number): string {
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
