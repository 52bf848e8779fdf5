// Routes of the console: what the identity provider controls, and the organization's e-mail domains.
import { route } from "../../kernel/http/route.ts";
import * as claims from "./service-domains.ts";
import * as schema from "./schema.ts";
import * as provider from "./service-control.ts";

const reading = { permission: "identity_provider:read", credentials: ["console"] } as const;
const writing = { permission: "identity_provider:write", credentials: ["console"] } as const;

export const routes = [
  route({
    ...reading,
    operation: "console.identity_provider.get",
    method: "GET",
    path: "/console/api/identity_provider",
    summary: "What the identity provider controls.",
    reply: schema.IdentityProvider,
    handle: (context) => provider.readProvider(context),
  }),
  route({
    ...writing,
    operation: "console.identity_provider.update",
    method: "POST",
    path: "/console/api/identity_provider",
    summary: "Names the identity provider and says what it controls.",
    body: schema.UpdateIdentityProvider,
    reply: schema.IdentityProvider,
    handle: (context, { body }) => provider.updateProvider(context, body),
  }),
  route({
    ...reading,
    operation: "console.email_domains.list",
    method: "GET",
    path: "/console/api/email_domains",
    summary: "Lists the e-mail domains that the organization has claimed.",
    reply: schema.EmailDomains,
    handle: (context) => claims.listDomains(context),
  }),
  route({
    ...writing,
    operation: "console.email_domains.create",
    method: "POST",
    path: "/console/api/email_domains",
    summary: "Claims an e-mail domain. It captures nobody before it is verified.",
    body: schema.ClaimDomain,
    reply: schema.EmailDomain,
    handle: (context, { body }) => claims.claimDomain(context, body),
  }),
  route({
    ...writing,
    operation: "console.email_domains.verify",
    method: "POST",
    path: "/console/api/email_domains/{email_domain_id}/verify",
    summary: "Looks for the TXT record that shows that the domain is the organization's.",
    params: schema.DomainParams,
    errors: [409, 503],
    reply: schema.EmailDomain,
    handle: (context, { params }) => claims.verifyDomain(context, params.email_domain_id),
  }),
  route({
    ...writing,
    operation: "console.email_domains.delete",
    method: "DELETE",
    path: "/console/api/email_domains/{email_domain_id}",
    summary: "Gives an e-mail domain up.",
    params: schema.DomainParams,
    reply: schema.DomainDeleted,
    handle: (context, { params }) => claims.deleteDomain(context, params.email_domain_id),
  }),
];
