// Finds the member that the provider's person is: linked, to be linked, new, or refused.
import { Failure } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import type * as audit from "../../audit/module.ts";
import * as identity from "../../identity/module.ts";
import * as members from "../../members/module.ts";
import * as identityProvider from "../../identity_provider/module.ts";
import { roleFor, type AssertedIdentity } from "./claims.ts";
import * as identities from "./queries.ts";
import type { ConnectionRow } from "../queries.ts";

export type RefusalReason =
  | "email_missing"
  | "email_unusable"
  | "email_unverified"
  | "domain_unverified"
  | "linked_to_another"
  | "not_provisioned"
  | "no_seat"
  | "not_invited_domain";

/** A person who is refused, though the provider knows them. */
export class SignInRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason);
    this.name = "Refused";
    this.reason = reason;
  }
}

const provider = (
  context: RequestContext,
  { name }: { name: string | null },
): audit.AuditActor => ({
  type: "system",
  id: null,
  name: name ?? "the identity provider",
  address: context.address,
  requestId: context.requestId,
});

/** Rules SSO5 to SSO8; returns the id of the member who signs in. */
export async function identifyPerson(
  tx: Tx,
  context: RequestContext,
  connection: ConnectionRow,
  arrival: AssertedIdentity,
): Promise<string> {
  const { organization_id: organizationId } = connection;
  const control = await identityProvider.providerControlOf(tx, organizationId);
  const actor = provider(context, { name: control.provider });
  const known = await findKnown(tx, organizationId, arrival);
  const at = context.clock.now();
  if (known !== undefined) {
    await identities.noteIdentityUse(tx, organizationId, known.id, { email: arrival.email, at });
    await followRole(tx, context, connection, { actor, control, arrival, userId: known.user_id });
    return known.user_id;
  }
  const { email } = arrival;
  if (email === null)
    throw new SignInRefused(arrival.hasUnusableEmail ? "email_unusable" : "email_missing");
  const trust = await trustOf(tx, connection, arrival, email);
  const member = await identities.findUserByEmail(tx, organizationId, identity.emailKey(email));
  if (member !== undefined) {
    if (trust !== "verified") throw new SignInRefused(trust);
    if (await identities.isLinked(tx, organizationId, member.id, arrival.issuer))
      throw new SignInRefused("linked_to_another");
    await link(tx, context, connection, { arrival, userId: member.id, by: "verified_email" });
    await followRole(tx, context, connection, { actor, control, arrival, userId: member.id });
    return member.id;
  }
  if (control.provisioning !== "jit") throw new SignInRefused("not_provisioned");
  if (trust === "email_unverified") throw new SignInRefused(trust);
  const userId = await provision(tx, context, connection, { actor, control, arrival, email });
  await link(tx, context, connection, { arrival, userId, by: "provisioning" });
  return userId;
}

/** Two first sign-ins of one person at once: the second waits, and finds the link that the first has made. */
async function findKnown(tx: Tx, organizationId: string, arrival: AssertedIdentity) {
  const known = await identities.findIdentity(tx, organizationId, arrival);
  if (known !== undefined) return known;
  await members.lockMembership(tx, organizationId);
  return identities.findIdentity(tx, organizationId, arrival);
}

/** Rule SSO6. A person who can set any e-mail at the provider must not become any member they like. */
async function trustOf(
  tx: Tx,
  { organization_id, trusts_emails }: ConnectionRow,
  { emailVerified }: AssertedIdentity,
  email: string,
): Promise<"verified" | "email_unverified" | "domain_unverified"> {
  const { verified } = await identityProvider.domainsOf(tx, organization_id);
  const isOurs = verified.includes(identityProvider.domainOf(email));
  const isVerified = emailVerified ?? (trusts_emails && isOurs);
  if (!isVerified) return "email_unverified";
  return isOurs ? "verified" : "domain_unverified";
}

interface Coming {
  actor: audit.AuditActor;
  control: identityProvider.ProviderControl;
  arrival: AssertedIdentity;
}

/** Rule SSO7. */
async function provision(
  tx: Tx,
  context: RequestContext,
  connection: ConnectionRow,
  { actor, control, arrival, email }: Coming & { email: string },
): Promise<string> {
  const { organization_id: organizationId } = connection;
  const role = await roleOf(tx, connection, { control, arrival });
  const name = arrival.name ?? email.slice(0, email.indexOf("@"));
  try {
    await identityProvider.expectInvitable(tx, organizationId, email);
    return await members.provisionUser(tx, context, actor, organizationId, { email, name, role });
  } catch (error) {
    throw error instanceof Failure ? asRefusal(error) : error;
  }
}

async function roleOf(
  tx: Tx,
  connection: ConnectionRow,
  { control, arrival }: Pick<Coming, "control" | "arrival">,
): Promise<identity.Role> {
  const provider = await identityProvider.providerOf(tx, connection.organization_id);
  const groups = control.controlsRoles ? arrival.groups : null;
  return roleFor(groups, connection, provider?.defaultRole ?? "user");
}

/** A new person has no use for the sentence that an administrator would get. */
function asRefusal(failure: Failure): Failure | SignInRefused {
  const reasons: Record<string, RefusalReason> = {
    no_seat_available: "no_seat",
    org_member_limit_exceeded: "no_seat",
    email_domain_not_allowed: "not_invited_domain",
    cannot_invite_emails_with_unverified_domains: "not_invited_domain",
  };
  const reason = reasons[failure.options.code ?? ""];
  return reason === undefined ? failure : new SignInRefused(reason);
}

interface NewLink {
  arrival: AssertedIdentity;
  userId: string;
  by: "verified_email" | "provisioning";
}

async function link(
  tx: Tx,
  context: RequestContext,
  { organization_id: organizationId }: ConnectionRow,
  { arrival, userId, by }: NewLink,
): Promise<void> {
  await identities.insertIdentity(tx, organizationId, {
    id: context.ids.next("identity_"),
    userId,
    issuer: arrival.issuer,
    subject: arrival.subject,
    email: arrival.email,
    linkedBy: by,
    at: context.clock.now(),
  });
  await identities.deleteStranger(tx, organizationId, arrival);
  const user = await identity.userOrThrow(tx, organizationId, userId);
  const { issuer, subject } = arrival;
  await identity.recordUserEvent(tx, context, user, "user.linked", { issuer, subject, by });
}

/** Rule SSO8: where the provider controls roles, at each sign-in; owners keep theirs. */
async function followRole(
  tx: Tx,
  context: RequestContext,
  connection: ConnectionRow,
  { actor, control, arrival, userId }: Coming & { userId: string },
): Promise<void> {
  if (!control.controlsRoles || control.provisioning !== "jit") return;
  const { organization_id: organizationId } = connection;
  const user = await identity.userOrThrow(tx, organizationId, userId);
  const role = await roleOf(tx, connection, { control, arrival });
  if (user.role === role || user.role === "owner" || user.role === "primary_owner") return;
  await members.setRole(tx, context, actor, organizationId, { userId, role });
}
