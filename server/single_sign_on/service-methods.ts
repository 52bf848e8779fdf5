// The page Sign-in methods: how each person signs in, who keeps a way past single sign-on, links to the provider.
import { invalid, notFound } from "../../kernel/base/failure.ts";
import type { Context } from "../../kernel/context.ts";
import * as audit from "../audit/module.ts";
import * as identity from "../identity/module.ts";
import * as identityProvider from "../identity_provider/module.ts";
import * as identities from "./provider_sign_in/queries.ts";
import * as queries from "./queries-methods.ts";
import type { LinkStranger } from "./schema.ts";

const recentRows = 20;
const peopleCountedMax = 1_000;

export async function readSignInMethods({ db, who }: Context) {
  const id = who.organizationId;
  const [recent, owners, people, domains] = await Promise.all([
    queries.listRecent(db, id, recentRows),
    queries.listOwners(db, id),
    queries.countPasskeyPeople(db, id, peopleCountedMax),
    identityProvider.domainsOf(db, id),
  ]);
  return {
    recent: recent.map((row) => ({
      user: personOf(row),
      role: row.role,
      method: row.last_signed_in_by,
      at: row.last_signed_in_at.toISOString(),
    })),
    break_glass: owners.map((row) => ({
      user: personOf(row),
      role: row.role,
      marked: identity.keepsLocalSignIn(row),
      has_password: row.has_password,
      passkeys: row.passkeys,
      last_signed_in_at: row.last_signed_in_at?.toISOString() ?? null,
      last_signed_in_by: row.last_signed_in_by,
      last_break_glass_at: row.last_break_glass_at?.toISOString() ?? null,
    })),
    people_with_passkeys: people,
    domains: [
      ...domains.verified.map((domain) => ({ domain, verified: true })),
      ...domains.pending.map((domain) => ({ domain, verified: false })),
    ],
  };
}

const personOf = ({ id, name, email }: { id: string; name: string; email: string }) => ({
  id,
  name,
  email,
});

/** Rule SSO11: owners only; the primary owner always is one. */
export async function setBreakGlass(context: Context, userId: string, isMarked: boolean) {
  const { organizationId } = context.who;
  const user = await identity.userOrThrow(context.db, organizationId, userId);
  await identity.expectProof(context);
  if (user.role === "primary_owner" && !isMarked)
    throw invalid("break_glass: the primary owner always keeps a way in.");
  if (user.role !== "owner" && user.role !== "primary_owner")
    throw invalid(
      `break_glass: ${user.name} is no owner; only owners keep a way past the provider.`,
    );
  await context.db.tx(async (tx) => {
    await queries.setBreakGlass(tx, organizationId, userId, isMarked);
    await recordMethodsEvent(
      tx,
      context,
      userId,
      isMarked ? "user.break_glass_given" : "user.break_glass_taken",
    );
  });
  return { id: userId, type: "user" as const, break_glass: isMarked };
}

const recordMethodsEvent = (
  tx: Parameters<typeof audit.record>[0],
  context: Context,
  userId: string,
  action: string,
  details: Record<string, unknown> = {},
): Promise<void> =>
  audit.recordByCaller(tx, context, { action, target: { type: "user", id: userId }, details });

export async function listStrangers({ db, who }: Context) {
  const rows = await identities.listStrangers(db, who.organizationId);
  return {
    data: rows.map(({ id, subject, email, name, reason, seen_at }) => ({
      id,
      type: "sign_on_stranger" as const,
      subject,
      email,
      name,
      reason,
      seen_at: seen_at.toISOString(),
    })),
  };
}

/** Rule SSO6: an owner says which member it is. */
export async function linkStranger(
  context: Context,
  { stranger_id, email: address }: LinkStranger,
) {
  const { organizationId } = context.who;
  await identity.expectProof(context);
  const id = context.ids.next("identity_");
  return context.db.tx(async (tx) => {
    const stranger = await identities.takeStranger(tx, organizationId, stranger_id);
    if (stranger === undefined)
      throw invalid("stranger_id: nobody is waiting by that id any more.");
    const key = identity.emailKey(address);
    const user = await identities.findUserByEmail(tx, organizationId, key);
    if (user === undefined) throw invalid(`email: there is no member ${address}.`);
    if (await identities.isLinked(tx, organizationId, user.id, stranger.issuer))
      throw invalid(
        `email: ${address} is linked to another account there already. Unlink that one first.`,
      );
    const { issuer, subject, email } = stranger;
    const at = context.clock.now();
    const linked = { id, userId: user.id, issuer, subject, email, linkedBy: "owner", at } as const;
    await identities.insertIdentity(tx, organizationId, linked);
    await recordMethodsEvent(tx, context, user.id, "user.linked", { issuer, subject, by: "owner" });
    return { id, type: "sign_on_identity" as const, user_id: user.id };
  });
}

export async function unlinkMember(context: Context, userId: string) {
  const { organizationId } = context.who;
  await identity.userOrThrow(context.db, organizationId, userId);
  await identity.expectProof(context);
  await context.db.tx(async (tx) => {
    const removed = await identities.deleteIdentities(tx, organizationId, userId);
    if (removed === 0) throw notFound("link of", userId);
    await recordMethodsEvent(tx, context, userId, "user.unlinked");
  });
  return { id: userId, type: "sign_on_identity_deleted" as const };
}

/** Rule SSO12: for a person who has lost every way to sign in, and does not stand above the viewer. */
export async function setupLink(context: Context, userId: string) {
  const { organizationId, userId: me } = context.who;
  const user = await identity.userOrThrow(context.db, organizationId, userId);
  await identity.expectProof(context);
  if (user.role === "primary_owner" && userId !== me)
    throw invalid(
      "user_id: the primary owner's account is given back at the machine only: plinth setup-link.",
    );
  if (user.single_sign_on_required && !identity.keepsLocalSignIn(user))
    throw invalid(
      `user_id: ${user.name} signs in by single sign-on only: the way back is at the identity provider.`,
    );
  const url = await context.db.tx((tx) =>
    identity.createSetupLink(tx, context, audit.actorOf(context), organizationId, userId),
  );
  const expires = context.clock.now().getTime() + identity.identityLimits.setupLinkMs;
  return { url, expires_at: new Date(expires).toISOString() };
}
