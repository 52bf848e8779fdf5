// E-mail domains that organizations have claimed: which sign-ins they capture, and which addresses may be invited.
import { invalid } from "../../kernel/base/failure.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import * as queries from "./queries-control.ts";

/** The part after the last @, in lower case: as domains are stored. */
export const domainOf = (email: string) =>
  email
    .slice(email.lastIndexOf("@") + 1)
    .trim()
    .toLowerCase();

/** Rule SCM3: the organization whose single sign-on an address belongs to. Unverified domains capture nothing. */
export async function organizationOfEmail(
  from: Queryable,
  email: string,
): Promise<{ organizationId: string; domain: string } | undefined> {
  const row = await queries.findCapture(from, domainOf(email));
  return row && { organizationId: row.organization_id, domain: row.domain };
}

export interface OrganizationDomains {
  verified: readonly string[];
  pending: readonly string[];
  /** Only addresses of these domains may be invited. */
  invitesOwnDomains: boolean;
}

export async function domainsOf(
  from: Queryable,
  organizationId: string,
): Promise<OrganizationDomains> {
  const rows = await queries.listDomainNames(from, organizationId);
  const named = (isVerified: boolean) =>
    rows.filter((row) => row.is_verified === isVerified).map((row) => row.domain);
  const invitesOwnDomains = await queries.findInviteRule(from, organizationId);
  return { verified: named(true), pending: named(false), invitesOwnDomains };
}

/** Rule SCM4: checks an address for an organization that invites only people of its own domains. */
export async function expectInvitable(
  from: Queryable,
  organizationId: string,
  email: string,
): Promise<void> {
  const { verified, pending, invitesOwnDomains } = await domainsOf(from, organizationId);
  const domain = domainOf(email);
  if (!invitesOwnDomains || verified.includes(domain)) return;
  if (pending.includes(domain))
    throw invalid(
      `email: the domain ${domain} is claimed but not verified yet; verify it in the console first.`,
      { code: "cannot_invite_emails_with_unverified_domains" },
    );
  throw invalid(
    `email: this organization invites people of its own domains only, and ${domain} is none of them.`,
    { code: "email_domain_not_allowed" },
  );
}
