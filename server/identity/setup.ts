// Set-up links: how an owner gets a first password, once.
import { Failure, invalid } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { RequestContext, World } from "../../kernel/context.ts";
import type { Reply } from "../../kernel/http/output/reply.ts";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as audit from "../audit/module.ts";
import * as organizations from "../organizations/module.ts";
import {
  actorFor,
  createUser,
  emailKey,
  endSignIns,
  expectSameOrigin,
  expectPassword,
  recordUserEvent,
  startSignIn,
  userOrThrow,
} from "./people.ts";
import { expectLocalSignInUnrecorded } from "./sign_in/methods.ts";
import * as queries from "./queries.ts";
import * as proof from "./sign_in/queries-proof.ts";
import { limits } from "./limits.ts";
import type { Setup } from "./schema.ts";

/** Rule IDN3. For a person, or with null for the first person who opens it. */
export async function createSetupLink(
  tx: Tx,
  world: World,
  actor: audit.AuditActor,
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
  const noun = userId === null ? "organization" : "user";
  const act = {
    action: `${noun}.setup_link_made`,
    target: { type: noun, id: userId ?? organizationId },
  };
  await audit.record(tx, world, actor, { organizationId, ...act });
  return `${world.publicUrl}/setup#token=${token}`;
}

const deadLink = () =>
  new Failure(
    "authentication_error",
    "The set-up link was used or has expired. Ask an owner or the operator for another one: ./plinth setup-link prints it.",
  );

export async function readSetupLink({ db, clock }: RequestContext, token: string) {
  const link = await db.tx((tx) => queries.lockSetupLink(tx, hashSecret(token), clock.now()));
  if (link === undefined) throw deadLink();
  return { organization_name: link.organization_name, email: link.email };
}

export async function setUp(context: RequestContext, body: Setup): Promise<Reply> {
  expectSameOrigin(context);
  const input = cleaned(body);
  // Before the expensive part: a stranger's guess must not cost an argon2.
  const { email } = await readSetupLink(context, input.token);
  if (email !== null && input.email !== undefined && emailKey(input.email) !== emailKey(email))
    throw invalid(`email: the link is for ${email}; leave the field out or give that address.`);
  if (email !== null && input.organization_name !== undefined)
    throw invalid("organization_name: the link sets a password only; leave the field out.");
  const passwordHash = await context.passwords.hash(input.password, context.random);
  return context.db.tx(async (tx) => {
    const now = context.clock.now();
    const link = await queries.lockSetupLink(tx, hashSecret(input.token), now);
    if (link === undefined) throw deadLink();
    const organizationId = link.organization_id;
    await queries.useSetupLinks(tx, organizationId, link.user_id, now);
    if (link.user_id !== null)
      expectLocalSignInUnrecorded(await userOrThrow(tx, organizationId, link.user_id));
    const userId = link.user_id ?? (await claimOrganization(tx, context, organizationId, input));
    await queries.setPassword(tx, organizationId, userId, passwordHash);
    await renameWho(tx, context, await userOrThrow(tx, organizationId, userId), input);
    const user = await userOrThrow(tx, organizationId, userId);
    await endSignIns(tx, context, user, {});
    await proof.setSecondStep(tx, organizationId, userId, false);
    await proof.deletePasskeysOf(tx, organizationId, userId);
    await recordUserEvent(tx, context, user, "user.set_up");
    return startSignIn(tx, context, user, "setup_link");
  });
}

function cleaned(input: Setup): Setup {
  const { name, organization_name: organization } = input;
  expectPassword("password", input.password);
  return {
    ...input,
    ...(name !== undefined && { name: cleanName("name", name, limits.personNameCharactersMax) }),
    ...(organization !== undefined && {
      organization_name: organizations.cleanOrganizationName("organization_name", organization),
    }),
  };
}

/** Each change has an entry of its own in the audit log; without a change there is none. */
async function renameWho(
  tx: Tx,
  context: RequestContext,
  user: queries.UserRow,
  { name = user.name, organization_name }: Setup,
): Promise<void> {
  const { organization_id: organizationId } = user;
  if (name !== user.name) {
    await queries.setName(tx, organizationId, user.id, name);
    await recordUserEvent(tx, context, user, "user.renamed", { name, name_before: user.name });
  }
  if (organization_name === undefined || organization_name === user.organization_name) return;
  const actor = actorFor(context, { id: user.id, name });
  await organizations.renameOrganization(tx, context, actor, {
    id: organizationId,
    name: organization_name,
    nameBefore: user.organization_name,
  });
}

function claimOrganization(tx: Tx, context: RequestContext, organizationId: string, input: Setup) {
  const { email } = input;
  if (email === undefined) throw invalid("email: is needed, to sign in with.");
  const name = input.name ?? email.slice(0, email.indexOf("@"));
  return createUser(tx, context, (id) => actorFor(context, { id, name }), organizationId, {
    email,
    name,
    role: "primary_owner",
    passwordHash: null,
  });
}
