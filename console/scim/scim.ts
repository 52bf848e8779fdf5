// What the console reads of SCIM and of the identity provider.
import { queryOptions } from "@tanstack/react-query";
import type * as contract from "../../contract/types.ts";
import { api } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";

export type IdentityProvider = contract.IdentityProvider;
export type ProviderChange = contract.ConsoleIdentityProviderUpdateBody;
export type EmailDomain = contract.EmailDomain;
export type ScimToken = contract.ScimToken;
export type NewScimToken = contract.NewScimToken;
export type ScimRequest = contract.ScimRequest;

export const scimQueries = {
  status: queryOptions({
    queryKey: ["scim", "status"],
    queryFn: () => api.scim.get(),
    refetchInterval: 10_000,
  }),
  tokens: queryOptions({ queryKey: ["scim", "tokens"], queryFn: () => api.scim.tokens.list() }),
  requests: queryOptions({
    queryKey: ["scim", "requests"],
    queryFn: () => api.scim.requests.list(),
    refetchInterval: 5_000,
  }),
  provider: queryOptions({
    queryKey: ["identity_provider"],
    queryFn: () => api.identity_provider.get(),
  }),
  domains: queryOptions({
    queryKey: ["email_domains"],
    queryFn: () => api.email_domains.list(),
  }),
};

export const renewScim = () => void queryClient.invalidateQueries({ queryKey: ["scim"] });

export const roleWords: Record<string, string> = {
  user: "User",
  claude_code_user: "Code user",
  developer: "Developer",
  billing: "Billing",
  managed: "Managed: what the roles of their groups give",
};
