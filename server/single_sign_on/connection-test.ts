// The test of a connection: to the provider and back, with a report in place of a sign-in.
import type { Context, RequestContext } from "../../kernel/context.ts";
import { invalid } from "../../kernel/base/failure.ts";
import { json, type Reply } from "../../kernel/http/output/reply.ts";
import * as identity from "../identity/module.ts";
import * as identityProvider from "../identity_provider/module.ts";
import { roleFor, type AssertedIdentity } from "./provider_sign_in/claims.ts";
import { flowCookie, newFlow, type Flow } from "./provider_sign_in/flow.ts";
import { ProviderError } from "./provider_sign_in/provider.ts";
import * as queries from "./queries.ts";
import type { TestReport } from "./schema.ts";
import { connectionOrThrow } from "./connection.ts";
import { authorizationUrlFor } from "./provider_sign_in/authorization-url.ts";

/** Rule SSO10. Errors that are known before the browser leaves are reported at once. */
export async function startTest(context: Context): Promise<Reply> {
  const { who } = context;
  const connection = await connectionOrThrow(context.db, who.organizationId);
  const tester = { userId: who.userId ?? "", signInId: who.credentialId };
  const next = "/console/sign-in-methods?tested=1";
  const flow = newFlow(context, connection, { next, tester });
  try {
    const url = await authorizationUrlFor(context, connection, flow);
    return json({ url: url.href }, { "set-cookie": flowCookie(context, flow) });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    await writeReport(context, connection, tester, failed(error));
    throw invalid(`issuer: ${error.message}`);
  }
}

/** The address that the tester's browser goes to. */
export async function finishTest(
  context: RequestContext,
  connection: queries.ConnectionRow,
  tester: NonNullable<Flow["tester"]>,
  arrived: AssertedIdentity | ProviderError,
): Promise<string> {
  const report =
    arrived instanceof ProviderError
      ? failed(arrived)
      : await reportOn(context, connection, arrived);
  await writeReport(context, connection, tester, report);
  return "/console/sign-in-methods?tested=1";
}

async function writeReport(
  context: RequestContext,
  { organization_id, version }: queries.ConnectionRow,
  tester: NonNullable<Flow["tester"]>,
  report: TestReport,
): Promise<void> {
  const user = await identity.userOrThrow(context.db, organization_id, tester.userId);
  const { passed, message } = report;
  await context.db.tx(async (tx) => {
    const at = context.clock.now();
    await queries.setTest(tx, organization_id, version, { at, report });
    await identity.recordUserEvent(tx, context, user, "single_sign_on.tested", { passed, message });
  });
}

const failed = ({ message }: ProviderError): TestReport => ({
  passed: false,
  message,
  email: null,
  email_verified: null,
  name: null,
  groups: null,
  role: null,
});

async function reportOn(
  { db }: RequestContext,
  connection: queries.ConnectionRow,
  arrival: AssertedIdentity,
): Promise<TestReport> {
  const { email, emailVerified, name, groups } = arrival;
  const provider = await identityProvider.providerOf(db, connection.organization_id);
  const { verified } = await identityProvider.domainsOf(db, connection.organization_id);
  return {
    passed: email !== null,
    message: finding(connection, arrival, verified),
    email,
    email_verified: emailVerified,
    name,
    groups: groups?.slice(0, 200) ?? null,
    role: provider?.roles === true ? roleFor(groups, connection, provider.defaultRole) : null,
  };
}

function finding(
  { email_claim, trusts_emails }: queries.ConnectionRow,
  { email, hasUnusableEmail, emailVerified }: AssertedIdentity,
  verified: readonly string[],
): string {
  if (hasUnusableEmail)
    return `The provider let you in, but what it sent in the claim ${email_claim} is no e-mail that can be used. Put it right there, or name another claim.`;
  if (email === null)
    return `The provider let you in, but sent no e-mail in the claim ${email_claim}. Ask for it with a scope, or name another claim.`;
  const domain = identityProvider.domainOf(email);
  if (emailVerified === false)
    return `The provider let you in, and says that ${email} is not verified: people like this are neither linked nor made members.`;
  if (emailVerified === null && !trusts_emails)
    return `The provider let you in, but does not say whether ${email} is verified: people like this are neither linked nor made members, unless e-mails of verified domains are trusted.`;
  if (!verified.includes(domain))
    return `The provider let you in. The domain ${domain} is not verified for this organization yet: present members are not linked by their e-mail until it is.`;
  return "The provider let you in, and everything needed came with you.";
}
