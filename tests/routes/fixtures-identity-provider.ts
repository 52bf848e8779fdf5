// Fixtures of the routes of identity providers, e-mail domains and SCIM.
import type { Tenant } from "./callers.ts";
import type { Fixture } from "./fixture.ts";

let claimed = 0;

const domainIn = async ({ console, name }: Tenant) => {
  const domain = `${name}-${++claimed}.example`;
  const { id } = (await console("POST", "/console/api/email_domains", { domain })) as {
    id: string;
  };
  return { email_domain_id: id };
};

/** Two may live at a time: the one before makes room. */
const tokenIn = async ({ console }: Tenant) => {
  const path = "/console/api/scim/tokens";
  const { data } = (await console("GET", path)) as { data: { id: string }[] };
  for (const { id } of data) await console("DELETE", `${path}/${id}`);
  const { id } = (await console("POST", path, { name: "token" })) as { id: string };
  return { token_id: id };
};

export const identityProviderFixtures: Readonly<Record<string, Fixture>> = {
  "console.identity_provider.update": { body: () => ({ name: "Provider" }) },
  "console.email_domains.create": { body: ({ name }) => ({ domain: `${name}.example` }) },
  "console.email_domains.verify": {
    params: domainIn,
    elsewhere: "tests/rules/email-domains.test.ts [SCM5]",
  },
  "console.email_domains.delete": { params: domainIn },
  "console.scim.tokens.create": { body: () => ({ name: "token" }) },
  "console.scim.tokens.delete": { params: tokenIn },
};
