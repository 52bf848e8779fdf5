// Whether a passkey's answer is valid: the library checks the cryptography, this file everything around it.
import { invalid, unauthenticated } from "../../kernel/base/failure.ts";
import type { RequestContext } from "../../kernel/context.ts";
import type { Tx } from "../../kernel/sql/database.ts";
import * as identity from "../identity/module.ts";
import {
  readChallenge,
  encodedChallenge,
  type Challenge,
  type SignedChallenge,
} from "./challenges.ts";
import { loadWebAuthn } from "./webauthn.ts";
import * as queries from "./queries.ts";
import { expectRelyingParty } from "./relying-party.ts";
import type { Assertion } from "./schema.ts";

export interface VerifiedAnswer {
  passkey: queries.PasskeyRow;
  challenge: SignedChallenge;
  counter: number;
  backedUp: boolean;
}

const wrong = "This passkey is not known here, or its answer is not right. Try another way in.";

/**
 * Rules PKY2 to PKY4. `expectedUser` null: the passkey says which. Wrong answers are counted like wrong passwords,
 * and recorded where the passkey belongs to a person.
 */
export async function verifyAnswer(
  context: RequestContext,
  credential: Assertion,
  use: Challenge["use"],
  expectedUser: { id: string; signInId: string | null } | null,
): Promise<VerifiedAnswer> {
  const challenge = readChallenge(context, credential.response.clientDataJSON, use);
  if (expectedUser !== null && challenge.userId !== expectedUser.id) throw unauthenticated(wrong);
  if (challenge.signInId !== (expectedUser?.signInId ?? null)) throw unauthenticated(wrong);
  const passkey = await queries.findByCredential(context.db, credential.id);
  const key = `passkey ${credential.id.slice(0, 100)}`;
  const answer = await identity.countedAttempt(context, key, async () => {
    if (passkey === undefined) return undefined;
    if (expectedUser !== null && passkey.user_id !== expectedUser.id) return undefined;
    const checked = await check(context, credential, challenge, passkey);
    return checked && { passkey, challenge, ...checked };
  });
  if (answer === undefined) {
    if (passkey !== undefined) await recordRefusal(context, passkey, "wrong_answer");
    throw unauthenticated(wrong);
  }
  await expectCounterRises(context, answer);
  return answer;
}

async function check(
  { publicUrl }: RequestContext,
  { response, ...credential }: Assertion,
  challenge: SignedChallenge,
  passkey: queries.PasskeyRow,
): Promise<Pick<VerifiedAnswer, "counter" | "backedUp"> | undefined> {
  const { id, origin } = expectRelyingParty(publicUrl);
  const { userHandle, ...rest } = response;
  // Alone, the answer must say whose passkey it is; after a password it may.
  const handle = userHandle ?? "";
  if (handle === "" ? challenge.use === "sign_in" : handle !== userHandleOf(passkey.user_id))
    return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verified = await verifyAuthenticationResponse({
    response: {
      id: credential.id,
      rawId: credential.rawId,
      type: credential.type,
      clientExtensionResults: {},
      response: rest,
    },
    expectedChallenge: encodedChallenge(challenge),
    expectedOrigin: origin,
    expectedRPID: id,
    // The library reports a counter that stands still as its own error; here that has its own sentence.
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: -1,
    },
    requireUserVerification: challenge.use === "sign_in",
  }).catch(() => undefined);
  if (verified?.verified !== true) return undefined;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  return { counter: newCounter, backedUp: credentialBackedUp };
}

/** What an authenticator stores to recognize the person: no name, no e-mail. */
export const userHandleOf = (userId: string) => Buffer.from(userId, "utf8").toString("base64url");

/** Rule PKY4. Many authenticators do not count, and say 0 for ever. */
async function expectCounterRises(
  context: RequestContext,
  { passkey, counter }: VerifiedAnswer,
): Promise<void> {
  if (counter > passkey.counter || (counter === 0 && passkey.counter === 0)) return;
  await recordRefusal(context, passkey, "counter_ran_backwards");
  throw unauthenticated(
    "This passkey counts its uses, and its count has run backwards: somebody may have copied it. Sign in another way, remove it and register a new one.",
  );
}

async function recordRefusal(
  context: RequestContext,
  passkey: queries.PasskeyRow,
  reason: string,
): Promise<void> {
  const { organization_id, user_id, id: passkey_id } = passkey;
  const user = await identity.userOrThrow(context.db, organization_id, user_id);
  await context.db.tx((tx) =>
    identity.recordUserEvent(tx, context, user, "user.sign_in_refused", {
      method: "passkey",
      passkey_id,
      reason,
    }),
  );
}

/** In the transaction of the act that the answer allows: the challenge is used up, the counter moves on. */
export async function acceptAnswer(
  tx: Tx,
  { clock }: RequestContext,
  { passkey, challenge, counter, backedUp }: VerifiedAnswer,
): Promise<void> {
  await identity.spendOnce(tx, challenge.text, new Date(challenge.expires));
  const use = { counterBefore: passkey.counter, counter, backedUp, at: clock.now() };
  if (await queries.noteUse(tx, passkey.organization_id, passkey.id, use)) return;
  throw invalid("credential: the passkey was used at the same moment elsewhere. Try again.");
}
