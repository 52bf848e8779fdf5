// Signing in by the identity provider: leaving for it, coming back, and the person let in or refused.
import { Failure, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import { Reply } from "../../../kernel/http/output/reply.ts";
import * as audit from "../../audit/module.ts";
import * as identity from "../../identity/module.ts";
import * as identityProvider from "../../identity_provider/module.ts";
import { identifyPerson, SignInRefused } from "./identify-person.ts";
import { readClaims, type AssertedIdentity } from "./claims.ts";
import {
  cleanNext,
  flowCookie,
  newFlow,
  noFlowCookie,
  readFlow,
  redirectUriOf,
  signInUrlOf,
  type Flow,
} from "./flow.ts";
import { failurePage, type SignInFailure } from "./pages.ts";
import { claimsFor, discover, ProviderError } from "./provider.ts";
import * as identities from "./queries.ts";
import * as queries from "../queries.ts";
import { limits } from "../limits.ts";
import type { FindConnection, StartQuery } from "../schema.ts";
import { finishTest } from "../connection-test.ts";
import { providerOf, authorizationUrlFor } from "./authorization-url.ts";

type Connection = queries.ConnectionRow;

/** The provider that an e-mail, or an organization's own sign-in address, leads to. */
export async function findSignInProvider(
  context: RequestContext,
  { email, organization_id }: FindConnection,
) {
  if ((email === undefined) === (organization_id === undefined))
    throw invalid("email: give it, or organization_id; one of both.");
  const { db } = context;
  const captured =
    email === undefined ? undefined : await identityProvider.organizationOfEmail(db, email);
  const id = organization_id ?? captured?.organizationId ?? "";
  const connection = await queries.findConnection(db, id);
  if (connection?.enabled !== true) {
    const what = email === undefined ? "organization" : "single sign-on for";
    throw notFound(what, email === undefined ? id : identityProvider.domainOf(email));
  }
  const { provider } = await identityProvider.providerControlOf(db, id);
  return {
    organization_id: id,
    organization_name: connection.organization_name,
    provider: provider ?? "the identity provider",
    required: connection.required,
    url: `/sign-in/single-sign-on?organization_id=${encodeURIComponent(id)}`,
  };
}

/** Rule SSO4. */
export async function redirectToProvider(
  context: RequestContext,
  query: StartQuery,
): Promise<Reply> {
  const { organization_id: id } = query;
  const connection = await queries.findConnection(context.db, id);
  if (connection?.enabled !== true) return ending(context, "switched_off", undefined);
  const flow = newFlow(context, connection, { next: cleanNext(query.next), tester: null });
  try {
    const url = await authorizationUrlFor(context, connection, flow);
    return redirect(url.href, [flowCookie(context, flow)]);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return ending(context, "provider", connection, { trouble: error });
  }
}

const redirect = (location: string, cookies: string[]) =>
  new Reply(
    303,
    {
      location,
      "set-cookie": cookies,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    },
    { kind: "none" },
  );

/** Rules SSO3 and SSO4: everything that the browser brings is compared with what it left with. */
export async function handleCallback(
  context: RequestContext,
  organizationId: string,
  query: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const flow = readFlow(context);
  if (flow === undefined) return ending(context, "expired", undefined, { id: organizationId });
  // A request that another site's page made this browser send must not end a sign-in under way.
  if (flow.organizationId !== organizationId || query["state"] !== flow.state)
    return ending(context, "not_yours", undefined, { id: organizationId });
  const connection = await queries.findConnection(context.db, organizationId);
  if (connection?.version !== flow.version) return ending(context, "changed", connection);
  if (!connection.enabled && flow.tester === null)
    return ending(context, "switched_off", connection);
  const isFirst = await context.db
    .tx((tx) => identity.spendOnce(tx, flow.state, new Date(flow.expires)))
    .then(() => true, isSpent);
  if (!isFirst) return ending(context, "used", connection);
  const arrived = await arrivalOf(context, connection, flow, query);
  if (flow.tester !== null) {
    const location = await finishTest(context, connection, flow.tester, arrived);
    return redirect(location, [noFlowCookie()]);
  }
  if (arrived instanceof ProviderError)
    return ending(context, "provider", connection, { trouble: arrived });
  return letIn(context, connection, flow, arrived);
}

function isSpent(error: unknown): false {
  if (error instanceof Failure) return false;
  throw error;
}

async function arrivalOf(
  context: RequestContext,
  connection: Connection,
  flow: Flow,
  query: Readonly<Record<string, unknown>>,
): Promise<AssertedIdentity | ProviderError> {
  const returned = new URL(redirectUriOf(context, connection.organization_id));
  for (const [name, value] of Object.entries(query))
    if (typeof value === "string") returned.searchParams.set(name, value);
  try {
    const configuration = await discover(context, providerOf(context, connection));
    const claims = await claimsFor(configuration, returned, flow, connection.email_claim);
    return readClaims(claims, connection);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}

async function letIn(
  context: RequestContext,
  connection: Connection,
  flow: Flow,
  arrival: AssertedIdentity,
): Promise<Reply> {
  try {
    return await context.db.tx(async (tx) => {
      const userId = await identifyPerson(tx, context, connection, arrival);
      const user = await identity.userOrThrow(tx, connection.organization_id, userId);
      const { issuer, subject } = arrival;
      const admitted = await identity.completeSignIn(tx, context, user, "single_sign_on", {
        issuer,
        subject,
      });
      const cookie = admitted.headers["set-cookie"];
      return redirect(flow.next, [String(cookie), noFlowCookie()]);
    });
  } catch (error) {
    if (error instanceof SignInRefused) return refuse(context, connection, error, arrival);
    throw error;
  }
}

/** A refused person is remembered: an owner may link them to a member. */
async function refuse(
  context: RequestContext,
  connection: Connection,
  { reason }: SignInRefused,
  arrival: AssertedIdentity,
): Promise<Reply> {
  const { organization_id: organizationId } = connection;
  const { issuer, subject, email, name } = arrival;
  await context.db.tx(async (tx) => {
    await identities.putStranger(tx, organizationId, {
      id: context.ids.next("stranger_"),
      issuer,
      subject,
      email,
      name,
      reason,
      seen_at: context.clock.now(),
    });
    await identities.deleteOldStrangers(tx, organizationId, limits.strangersMax);
  });
  return ending(context, reason, connection, { arrival });
}

interface EndingFacts {
  id?: string;
  trouble?: ProviderError | undefined;
  arrival?: AssertedIdentity | undefined;
}

/** A page, and an entry in the organization's audit log once the organization is known. */
async function ending(
  context: RequestContext,
  how: SignInFailure,
  connection: Connection | undefined,
  { id, trouble, arrival }: EndingFacts = {},
): Promise<Reply> {
  const organizationId = connection?.organization_id ?? id;
  if (connection !== undefined && how !== "switched_off")
    await recordRefusal(context, connection.organization_id, how, { trouble, arrival });
  const control =
    connection &&
    (await identityProvider.providerControlOf(context.db, connection.organization_id));
  const page = failurePage(how, {
    again: organizationId === undefined ? null : signInUrlOf(context, organizationId),
    provider: control?.provider ?? "The identity provider",
    organization: connection?.organization_name ?? "the organization",
    email: arrival?.email ?? null,
    trouble: trouble?.message ?? "",
  });
  // An answer meant for another browser must not end what this browser has under way.
  if (how === "not_yours") return page;
  return new Reply(page.status, { ...page.headers, "set-cookie": noFlowCookie() }, page.body);
}

function recordRefusal(
  context: RequestContext,
  organizationId: string,
  reason: SignInFailure,
  { trouble, arrival }: Pick<EndingFacts, "trouble" | "arrival">,
): Promise<void> {
  const { address, requestId, db } = context;
  const name = arrival?.email ?? arrival?.name ?? null;
  const actor: audit.AuditActor = { type: "system", id: null, name, address, requestId };
  return db.tx((tx) =>
    audit.record(tx, context, actor, {
      organizationId,
      action: "single_sign_on.refused",
      target: { type: "organization", id: organizationId },
      details: {
        reason,
        ...(trouble !== undefined && { message: trouble.message, code: trouble.code ?? null }),
        ...(arrival !== undefined && { issuer: arrival.issuer, subject: arrival.subject }),
      },
    }),
  );
}
