// The changes of identity providers, e-mail domains and SCIM's tokens that leave an event each.
import type { House, Tenant } from "../house.ts";
import type { AuditedChange } from "./audit-house.ts";

/** What the domain name system of these tests holds. */
const texts = new Map<string, string[]>();
export const lookUpTxt = async (name: string) => texts.get(name) ?? [];

/** The house is there when they are made ready. */
export function identityProviderChanges(houseOf: () => House): Record<string, AuditedChange> {
  const call = ({ cookie }: Tenant, method: string, path: string, body?: unknown) =>
    houseOf().ask(method, `/console/api/${path}`, { cookie, ...(body !== undefined && { body }) });
  const stateOf = (noun: string) => async (tenant: Tenant) => {
    const { body } = await call(tenant, "GET", noun);
    return body as unknown;
  };
  const domains = stateOf("email_domains");
  const tokens = stateOf("scim/tokens");
  const domainOf = ({ organization_id }: Tenant) =>
    `${organization_id.replaceAll("_", "-").toLowerCase()}.example`;

  return {
    "console.identity_provider.update": {
      action: "identity_provider.updated",
      prepare: async (tenant) => () =>
        call(tenant, "POST", "identity_provider", { name: "Provider", provisioning: "scim" }),
      state: stateOf("identity_provider"),
    },
    "console.email_domains.create": {
      action: "email_domain.claimed",
      prepare: async (tenant) => () =>
        call(tenant, "POST", "email_domains", { domain: domainOf(tenant) }),
      state: domains,
    },
    "console.email_domains.verify": {
      action: "email_domain.verified",
      prepare: async (tenant) => {
        const domain = domainOf(tenant);
        const { body } = await call(tenant, "POST", "email_domains", { domain });
        const { id, record_name, record_value } = body as Record<string, string>;
        texts.set(record_name ?? "", [record_value ?? ""]);
        return () => call(tenant, "POST", `email_domains/${id}/verify`);
      },
      state: domains,
    },
    "console.email_domains.delete": {
      action: "email_domain.deleted",
      prepare: async (tenant) => {
        const domain = domainOf(tenant);
        const { body } = await call(tenant, "POST", "email_domains", { domain });
        const { id } = body as { id: string };
        return () => call(tenant, "DELETE", `email_domains/${id}`);
      },
      state: domains,
    },
    "console.scim.tokens.create": {
      action: "scim_token.created",
      prepare: async (tenant) => () => call(tenant, "POST", "scim/tokens", { name: "token" }),
      state: tokens,
    },
    "console.scim.tokens.delete": {
      action: "scim_token.revoked",
      prepare: async (tenant) => {
        const { body } = await call(tenant, "POST", "scim/tokens", { name: "token" });
        const { id } = body as { id: string };
        return () => call(tenant, "DELETE", `scim/tokens/${id}`);
      },
      state: tokens,
    },
  };
}
