// What set-up, sign-in and account have in common: users, the cookie, the audit line, the ends of sign-ins.
import { conflict, notFound } from "../../kernel/base/failure.ts";
import type { RequestContext, World } from "../../kernel/context.ts";
import { json, type Reply } from "../../kernel/http/reply.ts";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import { brokenConstraint, type Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as keys from "../keys/module.ts";
import { cookieName, expectOwnPage, signInPrefix } from "./authentication.ts";
import type { Role } from "./permissions.ts";
import * as queries from "./queries.ts";
import * as signIns from "./sign-in-queries.ts";
import { limits, type SignedIn } from "./schema.ts";

export const emailKey = (email: string) => email.trim().toLowerCase();

export interface NewUser {
  email: string;
  name: string;
  role: Role;
  passwordHash: string | null;
}

export async function createUser(tx: Tx, world: World, organizationId: string, user: NewUser) {
  const id = world.ids.next("user_");
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
  return id;
}

/** Rule IDN6. */
export async function startSignIn(
  tx: Tx,
  context: RequestContext,
  user: queries.UserRow,
): Promise<Reply> {
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
  });
  return json(toSignedIn(user), { "set-cookie": cookie(token, limits.signInTotalMs / 1000) });
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

export function recordFor(tx: Tx, context: RequestContext, user: queries.UserRow, action: string) {
  const actor = {
    type: "user" as const,
    id: user.id,
    name: user.name,
    address: context.address,
    requestId: context.requestId,
  };
  const target = { type: "user", id: user.id };
  return audit.record(tx, context, actor, { organizationId: user.organization_id, action, target });
}

/** Somebody else's page must not sign a browser in here; programs that send no Origin may. */
export function expectOwnOrigin({ headers, publicUrl }: RequestContext): void {
  if (headers.origin !== undefined) expectOwnPage({ method: "POST", headers }, publicUrl);
}
