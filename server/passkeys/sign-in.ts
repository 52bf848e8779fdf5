// Signing in with a passkey, alone or after the password, and proving with one who sits at the browser.
import { invalid, type Failure } from "../../kernel/base/failure.ts";
import type { Context, RequestContext } from "../../kernel/context.ts";
import { noContent, type Reply } from "../../kernel/http/output/reply.ts";
import * as identity from "../identity/module.ts";
import { makeChallenge, type Challenge } from "./challenges.ts";
import { loadWebAuthn } from "./webauthn.ts";
import * as queries from "./queries.ts";
import { expectRelyingParty } from "./relying-party.ts";
import { limits } from "./limits.ts";
import type { PasskeySignIn, Proof } from "./schema.ts";
import { acceptAnswer, verifyAnswer } from "./verify.ts";

async function ask(
  context: RequestContext,
  binding: Pick<Challenge, "use" | "userId" | "signInId">,
  rows: readonly queries.PasskeyRow[],
) {
  const { id: rpID } = expectRelyingParty(context.publicUrl);
  const here = rows.filter((row) => row.relying_party === rpID);
  if (binding.use !== "sign_in" && here.length === 0) throw noneHere(rpID, rows);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: makeChallenge(context, binding),
    timeout: limits.passkeyChallengeMs,
    allowCredentials: here.map(({ credential_id: id, transports }) => ({ id, transports })),
    userVerification: binding.use === "sign_in" ? "required" : "preferred",
  });
  return { options: { ...options } };
}

/** Rule PKY6. A new name of the server removes no second step: a person left without a passkey asks an owner. */
const noneHere = (here: string, [some]: readonly queries.PasskeyRow[]) =>
  invalid(
    some === undefined
      ? "You have no passkey: confirm with your password."
      : `Your passkeys were made for ${some.relying_party}, and this server is ${here} now. Ask an owner of your organization, or the operator, for a set-up link.`,
  );

/** Without a ticket: any passkey that the browser has for this server. */
export async function signInOptions(context: RequestContext, ticket: string | undefined) {
  if (ticket === undefined)
    return ask(context, { use: "sign_in", userId: null, signInId: null }, []);
  const { organizationId, userId } = identity.readSecondStep(context, ticket);
  const rows = await queries.listPasskeys(context.db, organizationId, userId);
  return ask(context, { use: "second_step", userId, signInId: null }, rows);
}

/** Rules PKY3 and PKY7. */
export async function signIn(
  context: RequestContext,
  { credential, ticket }: PasskeySignIn,
): Promise<Reply> {
  identity.expectSameOrigin(context);
  const second = ticket === undefined ? undefined : identity.readSecondStep(context, ticket);
  const expected = second === undefined ? null : { id: second.userId, signInId: null };
  const use = second === undefined ? "sign_in" : "second_step";
  const answer = await verifyAnswer(context, credential, use, expected);
  const { organization_id, user_id, id: passkey_id } = answer.passkey;
  const user = await identity.userOrThrow(context.db, organization_id, user_id);
  await identity.expectLocalSignIn(context, user);
  return context.db.tx(async (tx) => {
    await acceptAnswer(tx, context, answer);
    if (second !== undefined && ticket !== undefined)
      await identity.spendOnce(tx, ticket, new Date(second.expires));
    const method = second === undefined ? "passkey" : "password_and_passkey";
    return identity.completeSignIn(tx, context, user, method, { passkey_id });
  });
}

export async function proofOptions(context: Context) {
  const { db, who } = context;
  const userId = who.userId ?? "";
  const rows = await queries.listPasskeys(db, who.organizationId, userId);
  return ask(context, { use: "proof", userId, signInId: who.credentialId }, rows);
}

/** Rule PKY5. */
export async function prove(context: Context, proof: Proof): Promise<Reply> {
  const { current_password, credential } = proof;
  if ((current_password === undefined) === (credential === undefined))
    throw invalid("current_password: give it, or credential; one of both.");
  if (current_password !== undefined) await identity.proveByPassword(context, current_password);
  if (credential === undefined) return noContent();
  const { who } = context;
  const me = { id: who.userId ?? "", signInId: who.credentialId };
  const answer = await verifyAnswer(context, credential, "proof", me).catch(asInput);
  const user = await identity.userOrThrow(context.db, who.organizationId, me.id);
  await context.db.tx(async (tx) => {
    await acceptAnswer(tx, context, answer);
    await identity.noteProof(tx, context);
    const details = { method: "passkey", passkey_id: answer.passkey.id };
    await identity.recordUserEvent(tx, context, user, "user.proved", details);
  });
  return noContent();
}

/** The sign-in stays: a 401 for a wrong answer would say that the cookie is invalid. */
function asInput(error: unknown): never {
  const { type, message } = error as Failure;
  throw type === "authentication_error" ? invalid(`credential: ${message}`) : error;
}
