// Challenges: signed by us, short-lived, bound to what they were asked for; used ones are remembered until they expire.
import { parseShallow } from "../../kernel/base/json.ts";
import { invalid } from "../../kernel/base/failure.ts";
import type { RequestContext } from "../../kernel/context.ts";
import * as identity from "../identity/module.ts";
import { limits } from "./schema.ts";

export interface Challenge {
  /** Each answer serves its own question alone. */
  use: "register" | "sign_in" | "second_step" | "proof";
  userId: string | null;
  /** The browser that asked, where somebody is signed in. */
  signInId: string | null;
  expires: number;
  nonce: string;
}

const purpose = "passkey challenge";

/** Rule PKY1. No row until it is used: strangers may ask for as many as they like. */
export function makeChallenge(
  { secrets, clock, random }: RequestContext,
  asked: Pick<Challenge, "use" | "userId" | "signInId">,
): string {
  const expires = clock.now().getTime() + limits.passkeyChallengeMs;
  const nonce = random.bytes(16).toString("base64url");
  return secrets.sign({ ...asked, expires, nonce }, purpose);
}

export interface SignedChallenge extends Challenge {
  /** As it was signed: what is spent. */
  text: string;
}

/** What the browser's answer says that it answers; it is checked against the signature later. */
export function readChallenge(
  context: RequestContext,
  clientDataJSON: string,
  use: Challenge["use"],
): SignedChallenge {
  const text = challengeIn(clientDataJSON);
  const challenge = identity.readTicket(context, text, purpose) as Challenge | undefined;
  if (challenge === undefined || challenge.use !== use)
    throw invalid("credential: the question that it answers has expired. Try again.");
  return { ...challenge, text };
}

function challengeIn(clientDataJSON: string): string {
  try {
    const data = parseShallow(Buffer.from(clientDataJSON, "base64url").toString("utf8")) as {
      challenge?: unknown;
    };
    return Buffer.from(String(data.challenge), "base64url").toString("utf8");
  } catch {
    return "";
  }
}

/** As the library compares it. */
export const encodedChallenge = ({ text }: SignedChallenge) =>
  Buffer.from(text, "utf8").toString("base64url");
