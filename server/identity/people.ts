// What set-up, sign-in and account share: users, the cookie, the audit entry, the ends of sign-ins.
import { conflict, invalid, notFound } from "../../kernel/base/failure.ts";
import { caseless } from "../../kernel/base/name.ts";
import type { RequestContext, World } from "../../kernel/context.ts";
import { json, type Reply } from "../../kernel/http/output/reply.ts";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import { brokenConstraint, type Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import { cookieName, expectSameOriginRequest, signInPrefix } from "./access/authentication.ts";
import type { Role } from "./access/permissions.ts";
import * as queries from "./queries.ts";
import * as proof from "./sign_in/queries-proof.ts";
import * as signIns from "./sign_in/queries.ts";
import { limits } from "./limits.ts";
import type { Method, SignedIn } from "./schema.ts";

/** Rule IDN16: the form in which addresses are kept and compared. */
export const emailKey = (email: string) => caseless(email.trim());

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  passwordHash: string | null;
  /** The id of a former member; a new one unless given. */
  id?: string;
}

/** Rule AUD1: `actorOf` gets the new id, because the person who claims an organization creates themself. */
export async function createUser(
  tx: Tx,
  world: World,
  actorOf: (id: string) => audit.AuditActor,
  organizationId: string,
  user: NewUser,
): Promise<string> {
  const { id = world.ids.next("user_") } = user;
  try {
    await queries.insertUser(tx, organizationId, {
      ...user,
      id,
      emailKey: emailKey(user.email),
      addedAt: world.clock.now(),
    });
  } catch (error) {
    const broken = brokenConstraint(error);
    if (broken === "users_one_primary_owner")
      throw conflict("The organization has an owner already. Sign in instead.");
    if (broken === "users_email")
      throw conflict(`email: ${user.email} is a member already.`, { code: "already_member" });
    throw error;
  }
  const { email, name, role } = user;
  const act = { action: "user.created", target: { type: "user", id } };
  await audit.record(tx, world, actorOf(id), {
    organizationId,
    ...act,
    details: { email, name, role },
  });
  return id;
}

/** Rule IDN6. */
export async function startSignIn(
  tx: Tx,
  context: RequestContext,
  user: queries.UserRow,
  method: Method,
): Promise<Reply> {
  return json(toSignedIn(user), { "set-cookie": await signInCookie(tx, context, user, method) });
}

/** A new sign-in of the person; returns the cookie that holds it. */
export async function signInCookie(
  tx: Tx,
  context: RequestContext,
  user: queries.UserRow,
  method: Method,
): Promise<string> {
  const token = newSecret(signInPrefix, context.random);
  const at = context.clock.now();
  const id = context.ids.next("signin_");
  await signIns.insertSignIn(tx, user.organization_id, {
    id,
    userId: user.id,
    tokenSha256: hashSecret(token),
    at,
    expiresAt: new Date(at.getTime() + limits.signInTotalMs),
    address: context.address,
    userAgent: context.userAgent.slice(0, 300),
    method,
  });
  await proof.noteSignedIn(tx, user.organization_id, user.id, { method, at });
  return cookie(token, limits.signInTotalMs / 1000);
}

export const cookie = (value: string, seconds: number) =>
  `${cookieName}=${value}; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=${seconds}`;

export const toSignedIn = (user: queries.UserRow): SignedIn => ({
  user: { id: user.id, email: user.email, name: user.name, role: user.role },
  organization: {
    id: user.organization_id,
    type: user.organization_type,
    name: user.organization_name,
  },
});

export async function endSignIns(
  tx: Tx,
  context: World,
  user: queries.UserRow,
  which: { only?: string; except?: string },
): Promise<string[]> {
  const ended = await signIns.deleteSignIns(tx, user.organization_id, user.id, which);
  if (ended.length > 0) await keys.verdictsOf(context).revoke(tx);
  return ended;
}

export async function userOrThrow(
  from: Parameters<typeof queries.findUser>[0],
  organizationId: string,
  id: string,
): Promise<queries.UserRow> {
  const user = await queries.findUser(from, organizationId, id);
  if (user === undefined) throw notFound("member", id);
  return user;
}

/** A person as the actor, before or beside a sign-in. */
export const actorFor = (
  { address, requestId }: RequestContext,
  { id, name }: { id: string; name: string },
): audit.AuditActor => ({ type: "user", id, name, address, requestId });

export function recordUserEvent(
  tx: Tx,
  context: RequestContext,
  user: queries.UserRow,
  action: string,
  details: Record<string, unknown> = {},
): Promise<void> {
  const target = { type: "user", id: user.id };
  const act = { organizationId: user.organization_id, action, target, details };
  return audit.record(tx, context, actorFor(context, user), act);
}

/** The schemas count characters; these must not all be blanks. */
export function expectPassword(field: string, password: string): void {
  if (password.trim() === "") throw invalid(`${field}: is nothing but blanks; choose another.`);
}

/** Another site's page must not sign a browser in here; programs that send no Origin may. */
export function expectSameOrigin(context: RequestContext): void {
  const { headers } = context;
  if (headers.origin !== undefined) expectSameOriginRequest({ method: "POST", headers }, context);
}
