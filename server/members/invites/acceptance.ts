// Accepting an invite: the holder of its link becomes a member, once.
import { Failure } from "../../../kernel/base/failure.ts";
import type { RequestContext } from "../../../kernel/context.ts";
import { json, type Reply } from "../../../kernel/http/output/reply.ts";
import { hashSecret } from "../../../kernel/secret/token.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as identity from "../../identity/module.ts";
import * as organizations from "../../organizations/module.ts";
import type { AcceptInvite } from "./schema.ts";
import { addMember, becomeMember, cleanPersonName } from "../users/membership.ts";
import { lockMembership } from "../users/queries.ts";
import * as queries from "./queries.ts";
import { toWireRole } from "../users/roles.ts";
import { expireDueInvites } from "../seats/allocation.ts";

export async function readInviteLink({ db, clock, dialect }: RequestContext, token: string) {
  const invite = await findLive(db, token, clock.now());
  return {
    organization_name: invite.organization_name,
    email: invite.email,
    role: toWireRole(invite.role, dialect),
    invited_by_name: invite.invited_by_name,
    expires_at: invite.expires_at.toISOString(),
  };
}

/** Rules USR22 and USR23. */
export async function acceptInvite(context: RequestContext, input: AcceptInvite): Promise<Reply> {
  const { clock, db } = context;
  identity.expectSameOrigin(context);
  identity.expectPassword("password", input.password);
  const name = cleanPersonName(input.name);
  // Before the expensive part: a stranger's guess must not cost an argon2.
  const { organization_id: organizationId } = await findLive(db, input.token, clock.now());
  const passwordHash = await context.passwords.hash(input.password, context.random);
  const join = async (tx: Tx) => {
    await lockMembership(tx, organizationId);
    await expireDueInvites(tx, organizationId, clock.now());
    const invite = await findLive(tx, input.token, clock.now());
    const { email, role, seat_tier_id: seatTierId } = invite;
    const actorOf = (id: string) => identity.actorFor(context, { id, name });
    const member = { email, name, role, passwordHash, seatTierId };
    const id = await addMember(tx, context, actorOf, organizationId, member);
    await becomeMember(tx, context, actorOf(id), invite, id);
    const user = await identity.userOrThrow(tx, organizationId, id);
    // They sign in by the identity provider from now on: this makes a membership, and no sign-in.
    if (user.single_sign_on_required && !identity.keepsLocalSignIn(user))
      return json(identity.toSignedIn(user));
    return identity.completeSignIn(tx, context, user, "password", { invite_id: invite.id });
  };
  return organizations.queueChange(context, organizationId, () => db.tx(join));
}

async function findLive(from: Tx | RequestContext["db"], token: string, now: Date) {
  const invite = await queries.findInviteBySecret(from, hashSecret(token));
  if (invite === undefined)
    throw dead("This invite link is not known, or a newer one took its place. Ask for a new one.");
  const { status, expires_at: expiresAt } = invite;
  if (status === "pending" && expiresAt > now) return invite;
  const ask = `Ask ${invite.invited_by_name ?? "an administrator"} for a new one.`;
  if (status === "accepted")
    throw dead("This invite was accepted already. Sign in with the password that you chose.");
  if (status === "deleted") throw dead(`This invite was withdrawn. ${ask}`);
  throw dead(`This invite expired at ${expiresAt.toISOString()}. ${ask}`);
}

const dead = (message: string) => new Failure("authentication_error", message);
