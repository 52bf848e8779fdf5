// A person's passkeys: register, rename, remove, and whether one is asked for after the password.
import { conflict, invalid, notFound } from "../../kernel/base/failure.ts";
import { cleanName } from "../../kernel/base/name.ts";
import type { Context } from "../../kernel/context.ts";
import { brokenConstraint } from "../../kernel/sql/database.ts";
import * as identity from "../identity/module.ts";
import { makeChallenge, readChallenge, encodedChallenge } from "./challenges.ts";
import { loadWebAuthn } from "./webauthn.ts";
import * as queries from "./queries.ts";
import { expectRelyingParty, relyingPartyOf } from "./relying-party.ts";
import { limits } from "./limits.ts";
import type { CreatePasskey, Passkey, Registration } from "./schema.ts";

/** EdDSA, ES256, RS256: every authenticator has one of them. */
const algorithms = [-8, -7, -257];

const currentUser = ({ db, who }: Context) =>
  identity.userOrThrow(db, who.organizationId, who.userId ?? "");

export async function myPasskeys(context: Context) {
  const { db, publicUrl } = context;
  const user = await currentUser(context);
  const rows = await queries.listPasskeys(db, user.organization_id, user.id);
  const party = relyingPartyOf(publicUrl);
  return {
    data: rows.map((row) => toPasskey(row, party.id)),
    has_password: user.password_hash !== null,
    second_step: user.second_step,
    relying_party: party.id,
    unavailable: party.unavailable,
  };
}

const toPasskey = (row: queries.PasskeyRow, here: string | null): Passkey => ({
  id: row.id,
  type: "passkey",
  name: row.name,
  backed_up: row.backed_up,
  relying_party: row.relying_party,
  usable: row.relying_party === here,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

/** Rule PKY5: a stranger at an open browser must not add a key of their own. */
export async function registrationOptions(context: Context) {
  await identity.expectProof(context);
  const { id: rpID } = expectRelyingParty(context.publicUrl);
  const user = await currentUser(context);
  const rows = await queries.listPasskeys(context.db, user.organization_id, user.id);
  expectRoom(rows.length);
  const signInId = context.who.credentialId;
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: "Plinth",
    rpID,
    userName: user.email,
    userDisplayName: user.name,
    userID: new Uint8Array(Buffer.from(user.id, "utf8")),
    challenge: makeChallenge(context, { use: "register", userId: user.id, signInId }),
    timeout: limits.passkeyChallengeMs,
    attestationType: "none",
    excludeCredentials: rows.map(({ credential_id: id, transports }) => ({ id, transports })),
    // Each is enough alone: it is kept on the device, and asks for a finger, a face or a PIN.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    supportedAlgorithmIDs: algorithms,
  });
  return { options: { ...options } };
}

function expectRoom(count: number): void {
  if (count >= limits.passkeysPerPerson)
    throw invalid(
      `You have ${limits.passkeysPerPerson} passkeys, which is as many as one person may have: remove one first.`,
    );
}

/** Rules PKY1, PKY2 and PKY5. */
export async function createPasskey(context: Context, input: CreatePasskey): Promise<Passkey> {
  const { who, clock, ids } = context;
  const name = cleanName("name", input.name, limits.passkeyNameCharactersMax);
  const user = await currentUser(context);
  const { challenge, made } = await readRegistration(context, input.credential);
  if (challenge.userId !== user.id || challenge.signInId !== who.credentialId)
    throw invalid("credential: answers a question of another sign-in. Try again.");
  const { id: relyingParty } = expectRelyingParty(context.publicUrl);
  const row = {
    id: ids.next("passkey_"),
    user_id: user.id,
    credential_id: made.credential.id,
    public_key: Buffer.from(made.credential.publicKey),
    counter: made.credential.counter,
    transports: (input.credential.response.transports ?? []).slice(0, 16),
    backed_up: made.credentialBackedUp,
    relying_party: relyingParty,
    name,
    created_at: clock.now(),
  };
  await context.db.tx(async (tx) => {
    await identity.spendOnce(tx, challenge.text, new Date(challenge.expires));
    await queries.lockPerson(tx, user.organization_id, user.id);
    expectRoom((await queries.listPasskeys(tx, user.organization_id, user.id)).length);
    try {
      await queries.insertPasskey(tx, user.organization_id, row);
    } catch (error) {
      if (brokenConstraint(error) !== "passkeys_credential_id_key") throw error;
      throw conflict("credential: this passkey is registered already.");
    }
    const details = { passkey_id: row.id, name };
    await identity.recordUserEvent(tx, context, user, "passkey.registered", details);
  });
  const full = { ...row, organization_id: user.organization_id, last_used_at: null };
  return toPasskey(full, relyingParty);
}

async function readRegistration(context: Context, credential: Registration) {
  const { id, origin } = expectRelyingParty(context.publicUrl);
  const { clientDataJSON, attestationObject } = credential.response;
  const challenge = readChallenge(context, clientDataJSON, "register");
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    response: {
      id: credential.id,
      rawId: credential.rawId,
      type: credential.type,
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject },
    },
    expectedChallenge: encodedChallenge(challenge),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => undefined);
  if (verified?.verified !== true)
    throw invalid(
      `credential: is no passkey for ${id} at ${origin}. Open the console at that address and try again.`,
    );
  return { challenge, made: verified.registrationInfo };
}

export async function renamePasskey(
  context: Context,
  id: string,
  newName: string,
): Promise<Passkey> {
  const name = cleanName("name", newName, limits.passkeyNameCharactersMax);
  const user = await currentUser(context);
  const { organization_id: organizationId } = user;
  const row = await context.db.tx(async (tx) => {
    const renamed = await queries.renamePasskey(tx, organizationId, user.id, { id, name });
    if (renamed === undefined) throw notFound("passkey", id);
    const details = { passkey_id: id, name };
    await identity.recordUserEvent(tx, context, user, "passkey.renamed", details);
    return renamed;
  });
  return toPasskey(row, relyingPartyOf(context.publicUrl).id);
}

/** Removing the last one ends the second step too: the password would lead nowhere otherwise. */
export async function deletePasskey(context: Context, id: string) {
  const user = await currentUser(context);
  const { organization_id: organizationId } = user;
  const mine = await queries.listPasskeys(context.db, organizationId, user.id);
  // A missing passkey is a 404 for every caller; only then is the person asked for proof.
  if (!mine.some((passkey) => passkey.id === id)) throw notFound("passkey", id);
  await identity.expectProof(context);
  await context.db.tx(async (tx) => {
    await queries.lockPerson(tx, organizationId, user.id);
    const name = await queries.deletePasskey(tx, organizationId, user.id, id);
    if (name === undefined) throw notFound("passkey", id);
    const left = (await queries.listPasskeys(tx, organizationId, user.id)).length;
    const isStepOff = user.second_step && left === 0;
    if (isStepOff) await identity.setSecondStep(tx, organizationId, user.id, false);
    const details = { passkey_id: id, name, ...(isStepOff && { second_step: false }) };
    await identity.recordUserEvent(tx, context, user, "passkey.removed", details);
  });
  return { id, type: "passkey_deleted" as const };
}

/** Rule PKY7. */
export async function setSecondStep(context: Context, isOn: boolean) {
  const user = await currentUser(context);
  const { organization_id: organizationId } = user;
  await identity.expectProof(context);
  await context.db.tx(async (tx) => {
    await queries.lockPerson(tx, organizationId, user.id);
    const here = relyingPartyOf(context.publicUrl).id;
    const rows = await queries.listPasskeys(tx, organizationId, user.id);
    if (isOn && !rows.some((row) => row.relying_party === here))
      throw invalid("required: you have no passkey that works here; register one first.");
    await identity.setSecondStep(tx, organizationId, user.id, isOn);
    const action = isOn ? "user.second_step_required" : "user.second_step_dropped";
    await identity.recordUserEvent(tx, context, user, action);
  });
  return { second_step: isOn };
}
