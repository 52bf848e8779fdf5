// Signing a member out everywhere, without taking anything else from them.
import { forbidden, invalid } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import * as audit from "../../audit/module.ts";
import * as identity from "../../identity/module.ts";
import * as tokens from "../../tokens/module.ts";
import { memberOr404 } from "./membership.ts";
import { findMember, type MemberRow } from "./queries.ts";
import { expectGroupsWrite, isProtected, outranks, type Role } from "./roles.ts";
import type { User } from "../schema.ts";
import { toUser } from "./service.ts";

/** Rule USR25. */
export async function signOutUser(context: Context, id: string): Promise<User> {
  const { organizationId } = context.who;
  const member = await context.db.tx(async (tx) => {
    const found = await memberOr404(tx, organizationId, id);
    await expectMay(tx, context, found);
    await endAccess(tx, context, id);
    await audit.recordByCaller(tx, context, {
      action: "user.signed_out_by_administrator",
      target: { type: "user", id },
    });
    return found;
  });
  return toUser(member, context.dialect);
}

async function endAccess(tx: Tx, context: Context, id: string): Promise<void> {
  const { organizationId } = context.who;
  const user = await identity.userOrThrow(tx, organizationId, id);
  await identity.endSignIns(tx, context, user, {});
  await tokens.endTokensOfUser(tx, context, organizationId, id);
}

async function expectMay(from: Queryable, context: Context, member: MemberRow): Promise<void> {
  const { who } = context;
  const { id, name, role } = member;
  if (id === who.userId)
    throw invalid(
      "You cannot sign yourself out here: sign out of everything on your account page.",
      {
        code: "cannot_sign_out_self",
      },
    );
  if (role === "primary_owner")
    throw invalid(`${name} is the primary owner, whom nobody else signs out.`, {
      code: "cannot_sign_out_primary_owner",
    });
  if (role === "managed")
    expectGroupsWrite(
      context,
      `Signing out ${name}, who is managed by groups,`,
      "cannot_sign_out_managed_member",
    );
  if (!isProtected(role) || (await mayReach(from, context, role))) return;
  throw forbidden(`${name} is ${role}: ${remedies[role] ?? ""}`, { code: codes[role] ?? "" });
}

/** Keys belong to no person: those of an enterprise organization reach every member, those of a platform no owners. */
async function mayReach(from: Queryable, { who }: Context, role: Role): Promise<boolean> {
  if (who.kind === "admin_key") return role !== "owner" || who.organizationType === "enterprise";
  if (who.kind === "oauth_token" && role === "owner") return false;
  const person = await findMember(from, who.organizationId, who.userId ?? "");
  return person !== undefined && outranks(person.role, role);
}

const codes: Partial<Record<Role, string>> = {
  owner: "cannot_sign_out_owner",
  membership_admin: "cannot_sign_out_membership_admin",
  admin: "cannot_sign_out_privileged_member",
};

const remedies: Partial<Record<Role, string>> = {
  owner:
    "owners are signed out by owners in the console, or by an admin key of an enterprise organization with the scope write:members.",
  membership_admin: "a token reaches them only where its person is an owner; use an admin key.",
  admin: "a token reaches them only where its person is an owner; use an admin key.",
};
