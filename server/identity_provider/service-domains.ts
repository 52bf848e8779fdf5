// E-mail domains that an organization claims, and how it proves that it owns them.
import { conflict, invalid, notFound, unavailable } from "../../kernel/base/failure.ts";
import { domainToASCII } from "node:url";
import type { Context } from "../../kernel/context.ts";
import { brokenConstraint } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as queries from "./queries-domains.ts";
import { limits } from "./limits.ts";
import type { EmailDomain } from "./schema.ts";
import { isVerifiedByOperator } from "./settings.ts";

export async function listDomains({ db, who }: Context) {
  const rows = await queries.listDomains(db, who.organizationId, limits.domainsPerOrganizationMax);
  return { data: rows.map(toDomain) };
}

/** Rule SCM5. A second claim changes nothing. */
export async function claimDomain(context: Context, input: { domain: string }) {
  const { db, clock, ids, random, who } = context;
  const { organizationId } = who;
  const domain = cleanDomain(input.domain);
  return db.tx(async (tx) => {
    const known = await queries.findClaim(tx, organizationId, domain);
    if (known !== undefined) return toDomain(known);
    if ((await queries.lockDomains(tx, organizationId)) >= limits.domainsPerOrganizationMax)
      throw invalid(
        `domain: the organization has ${limits.domainsPerOrganizationMax} domains, the most there may be.`,
      );
    const id = ids.next("edom_");
    const proof = random.bytes(20).toString("hex");
    await queries.insertDomain(tx, organizationId, { id, domain, proof, at: clock.now() });
    await audit.recordByCaller(tx, context, {
      action: "email_domain.claimed",
      target: { type: "email_domain", id },
      details: { domain },
    });
    return toDomain(await domainOr404(tx, organizationId, id));
  });
}

function cleanDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/\.$/, "").toLowerCase());
  const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
  const isDomain = new RegExp(`^(?:${label}\\.)+[a-z][a-z0-9-]*[a-z0-9]$`).test(domain);
  if (!isDomain || domain.length > limits.domainCharactersMax)
    throw invalid(
      `domain: ${JSON.stringify(text.slice(0, 80))} is no domain; send what stands behind the @, such as example.com.`,
    );
  return domain;
}

/** Rule SCM5. An entry in the operator's settings counts as the record. */
export async function verifyDomain(context: Context, id: string) {
  const { db, clock, who } = context;
  const { organizationId } = who;
  const claimed = await domainOr404(db, organizationId, id);
  const { domain } = claimed;
  if (claimed.verified_at !== null) return toDomain(claimed);
  const by = isVerifiedByOperator(context, organizationId, claimed.domain)
    ? "operator"
    : (await isProven(context, claimed))
      ? "dns"
      : null;
  const row = await db.tx(async (tx) => {
    const at = clock.now();
    try {
      await queries.setChecked(tx, organizationId, id, { at, by });
    } catch (error) {
      if (brokenConstraint(error) === "email_domains_verified")
        throw conflict(
          `domain: ${domain} belongs to another organization of this server; it has to give it up first.`,
        );
      throw error;
    }
    if (by !== null)
      await audit.recordByCaller(tx, context, {
        action: "email_domain.verified",
        target: { type: "email_domain", id },
        details: { domain, by },
      });
    return domainOr404(tx, organizationId, id);
  });
  if (by === null)
    throw invalid(
      `domain: the TXT record of ${recordName(domain)} does not say ${recordValue(claimed.proof)} yet. New records can take an hour to be seen; try again then.`,
    );
  return toDomain(row);
}

async function isProven({ lookUpTxt, logger }: Context, { domain, proof }: queries.DomainRow) {
  try {
    const texts = await lookUpTxt(recordName(domain));
    return texts.some((text) => text.trim() === recordValue(proof));
  } catch (error) {
    logger.warn({ domain, error: String(error) }, "the domain name system gave no answer");
    throw unavailable(
      `domain: the domain name system gave no answer for ${recordName(domain)}; try again in a minute.`,
      60,
    );
  }
}

export async function deleteDomain(context: Context, id: string) {
  const { db, who } = context;
  await db.tx(async (tx) => {
    const domain = await queries.deleteDomain(tx, who.organizationId, id);
    if (domain === undefined) throw notFound("e-mail domain", id);
    await audit.recordByCaller(tx, context, {
      action: "email_domain.deleted",
      target: { type: "email_domain", id },
      details: { domain },
    });
  });
  return { id, type: "email_domain_deleted" as const };
}

async function domainOr404(
  from: Parameters<typeof queries.findDomain>[0],
  organizationId: string,
  id: string,
): Promise<queries.DomainRow> {
  const row = await queries.findDomain(from, organizationId, id);
  if (row === undefined) throw notFound("e-mail domain", id);
  return row;
}

const recordName = (domain: string) => `_plinth.${domain}`;
const recordValue = (proof: string) => `plinth-domain-verification=${proof}`;

const toDomain = (row: queries.DomainRow): EmailDomain => ({
  id: row.id,
  type: "email_domain",
  domain: row.domain,
  status: row.verified_at === null ? "pending" : "verified",
  verified_by: row.verified_by,
  record_name: recordName(row.domain),
  record_value: recordValue(row.proof),
  created_at: row.created_at.toISOString(),
  checked_at: row.checked_at?.toISOString() ?? null,
  verified_at: row.verified_at?.toISOString() ?? null,
});
