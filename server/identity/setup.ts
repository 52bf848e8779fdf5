// Set-up links: how an owner gets a first password, once.
import { Failure, invalid } from "../../kernel/base/failure.ts";
import type { RequestContext, World } from "../../kernel/context.ts";
import type { Reply } from "../../kernel/http/reply.ts";
import { hashPassword } from "../../kernel/secret/passwords.ts";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as organizations from "../organizations/module.ts";
import {
  createUser,
  emailKey,
  endSignIns,
  expectOwnOrigin,
  recordFor,
  startSignIn,
  userOrThrow,
} from "./people.ts";
import * as queries from "./queries.ts";
import { limits, type Setup } from "./schema.ts";

/** Rule IDN3. For a person, or with null for whoever comes first. */
export async function createSetupLink(
  tx: Tx,
  world: World,
  organizationId: string,
  userId: string | null,
): Promise<string> {
  const token = newSecret("sk-plinth-set-", world.random);
  const at = world.clock.now();
  const expiresAt = new Date(at.getTime() + limits.setupLinkMs);
  await queries.insertSetupLink(tx, organizationId, {
    tokenSha256: hashSecret(token),
    userId,
    at,
    expiresAt,
  });
  return `${world.publicUrl}/setup#token=${token}`;
}

const deadLink = () =>
  new Failure(
    "authentication_error",
    "The set-up link was used or has expired. Ask the operator for another one: plinth setup-link prints it.",
  );

export async function readSetupLink({ db, clock }: RequestContext, token: string) {
  const link = await db.tx((tx) => queries.lockSetupLink(tx, hashSecret(token), clock.now()));
  if (link === undefined) throw deadLink();
  return { organization_name: link.organization_name, email: link.email };
}

export async function setUp(context: RequestContext, input: Setup): Promise<Reply> {
  expectOwnOrigin(context);
  // Before the dear part: a stranger's guess must not cost an argon2.
  const { email } = await readSetupLink(context, input.token);
  if (email !== null && input.email !== undefined && emailKey(input.email) !== emailKey(email))
    throw invalid(`email: the link is for ${email}; leave the field out or give that address.`);
  const passwordHash = await hashPassword(input.password, context.random);
  return context.db.tx(async (tx) => {
    const now = context.clock.now();
    const link = await queries.lockSetupLink(tx, hashSecret(input.token), now);
    if (link === undefined) throw deadLink();
    const organizationId = link.organization_id;
    await queries.useSetupLinks(tx, organizationId, link.user_id, now);
    const userId = link.user_id ?? (await claimOrganization(tx, context, organizationId, input));
    await queries.setPassword(tx, organizationId, userId, passwordHash);
    if (link.user_id !== null && input.name !== undefined)
      await queries.setName(tx, organizationId, userId, input.name);
    if (input.organization_name !== undefined)
      await organizations.renameOrganization(tx, organizationId, input.organization_name);
    const user = await userOrThrow(tx, organizationId, userId);
    await endSignIns(tx, context, user, {});
    await recordFor(tx, context, user, "user.set_up");
    return startSignIn(tx, context, user);
  });
}

function claimOrganization(tx: Tx, context: World, organizationId: string, input: Setup) {
  const { email } = input;
  if (email === undefined) throw invalid("email: is needed, to sign in with.");
  const name = input.name ?? email.slice(0, email.indexOf("@"));
  return createUser(tx, context, organizationId, {
    email,
    name,
    role: "primary_owner",
    passwordHash: null,
  });
}
