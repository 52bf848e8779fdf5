// Sign-in, sign-out, and what people may change about themselves.
import { Failure, conflict, invalid, notFound } from "../../../kernel/base/failure.ts";
import type { Context, RequestContext, World } from "../../../kernel/context.ts";
import { json, noContent, type Reply } from "../../../kernel/http/output/reply.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import * as workspaces from "../../workspaces/module.ts";
import { countedAttempt } from "./attempts.ts";
import { completeSignIn, expectLocalSignIn, secondStepRequired } from "./methods.ts";
import { usersWithPassword } from "./password-owner.ts";
import { isOperator } from "../operator.ts";
import {
  cookie,
  emailKey,
  endSignIns,
  expectSameOrigin,
  expectPassword,
  recordUserEvent,
  toSignedIn,
  userOrThrow,
} from "../people.ts";
import * as queries from "../queries.ts";
import * as signIns from "./queries.ts";
import { limits } from "../limits.ts";
import type { ChangePassword, SignIn } from "../schema.ts";

/** Rules IDN4, IDN5 and IDN11. */
export async function signIn(context: RequestContext, input: SignIn): Promise<Reply> {
  expectSameOrigin(context);
  const { organization_id: named = null, password } = input;
  const key = emailKey(input.email);
  // A request that names the organization has said how many there are: one.
  const most = named === null ? limits.organizationsPerEmailMax : 1;
  const candidates = await queries.findUsersByEmail(context.db, key, named, most);
  const { verify } = context.passwords;
  const users = await countedAttempt(context, key, () =>
    usersWithPassword(candidates, password, most, verify),
  );
  const user = users?.[0];
  if (users === undefined || user === undefined) {
    await recordRefusal(context, candidates);
    throw new Failure(
      "authentication_error",
      "The e-mail or the password is wrong. Try again, or ask the operator for a new set-up link.",
    );
  }
  if (users.length > 1) throw whichOrganization(users);
  await expectLocalSignIn(context, user);
  if (user.second_step) throw secondStepRequired(context, user);
  return context.db.tx(async (tx) => {
    if (user.outdated) await renewHash(tx, context, user, input.password);
    return completeSignIn(tx, context, user, "password");
  });
}

/** Hashes have become stronger since this one was made. */
async function renewHash(
  tx: Tx,
  { passwords, random }: World,
  { organization_id, id }: queries.UserRow,
  password: string,
) {
  await queries.setPassword(tx, organization_id, id, await passwords.hash(password, random));
}

const whichOrganization = (users: queries.UserRow[]) =>
  conflict("organization_id: the password fits several organizations; choose one.", {
    code: "organization_choice_needed",
    details: {
      organizations: users.map((user) => ({
        id: user.organization_id,
        name: user.organization_name,
      })),
    },
  });

async function recordRefusal(context: RequestContext, candidates: queries.UserRow[]) {
  await context.db.tx(async (tx) => {
    for (const user of candidates) await recordUserEvent(tx, context, user, "user.sign_in_refused");
  });
}

/** The person's permissions here: the console must not offer what rule MDL14 refuses. */
export async function me(context: Context) {
  const { db, who } = context;
  const user = await userOrThrow(db, who.organizationId, who.userId ?? "");
  const access = await workspaces.workspaceAccessOf(context);
  const permissions = new Set([...who.permissions, ...access.permissions]);
  if (!(await isOperator(context))) permissions.delete("models:write");
  return { ...toSignedIn(user), workspaces: access.usable, permissions: [...permissions] };
}

/** Rule IDN8. */
export async function signOut(context: Context): Promise<Reply> {
  await context.db.tx(async (tx) => {
    const user = await currentUser(tx, context);
    await endSignIns(tx, context, user, { only: context.who.credentialId });
    await recordUserEvent(tx, context, user, "user.signed_out");
  });
  return noContent({ "set-cookie": cookie("", 0) });
}

export async function signOutEverywhere(context: Context): Promise<Reply> {
  const ended = await context.db.tx(async (tx) => {
    const user = await currentUser(tx, context);
    await recordUserEvent(tx, context, user, "user.signed_out_everywhere");
    return endSignIns(tx, context, user, {});
  });
  return json({ signed_out: ended.length }, { "set-cookie": cookie("", 0) });
}

/** Rule IDN9. */
export async function changePassword(context: Context, input: ChangePassword): Promise<Reply> {
  expectPassword("new_password", input.new_password);
  if (input.new_password === input.current_password)
    throw invalid("new_password: is the present one; choose another.");
  const user = await currentUser(context.db, context);
  const known = await countedAttempt(context, emailKey(user.email), async () => {
    const { ok } = await context.passwords.verify(user.password_hash ?? "", input.current_password);
    return ok ? user : undefined;
  });
  if (known === undefined) {
    await recordRefusal(context, [user]);
    throw invalid("current_password: is not the present password.");
  }
  const passwordHash = await context.passwords.hash(input.new_password, context.random);
  await context.db.tx(async (tx) => {
    await queries.setPassword(tx, user.organization_id, user.id, passwordHash);
    await endSignIns(tx, context, user, { except: context.who.credentialId });
    await recordUserEvent(tx, context, user, "user.password_changed");
  });
  return noContent();
}

export async function listSignIns(context: Context) {
  const { db, clock, who } = context;
  const now = clock.now();
  const seenSince = new Date(now.getTime() - limits.signInIdleMs);
  const window = { now, seenSince };
  const rows = await signIns.listSignIns(db, who.organizationId, who.userId ?? "", window);
  return {
    data: rows.map((row) => ({
      id: row.id,
      type: "sign_in" as const,
      created_at: row.created_at.toISOString(),
      last_seen_at: row.last_seen_at.toISOString(),
      address: row.address,
      user_agent: row.user_agent,
      method: row.method,
      current: row.id === who.credentialId,
    })),
  };
}

/** Rule IDN12. */
export async function endSignIn(context: Context, id: string) {
  await context.db.tx(async (tx) => {
    const user = await currentUser(tx, context);
    const ended = await endSignIns(tx, context, user, { only: id });
    if (ended.length === 0) throw notFound("sign-in", id);
    await recordUserEvent(tx, context, user, "user.sign_in_ended");
  });
  return { id, type: "sign_in_deleted" as const };
}

const currentUser = (from: Parameters<typeof queries.findUser>[0], { who }: Context) =>
  userOrThrow(from, who.organizationId, who.userId ?? "");
