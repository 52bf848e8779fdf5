// Challenges: signed by this server, short-lived, bound to their purpose; used ones are remembered until they expire.
import { parseShallow } from "../../kernel/base/json.ts";
import { invalid } from "../../kernel/base/failure.ts";
import type { RequestContext } from "../../kernel/context.ts";
import * as identity from "../identity/module.ts";
import { limits } from "./limits.ts";

export interface Challenge {
  /** Each answer is good for its own purpose alone. */
  use: "register" | "sign_in" | "second_step" | "proof";
  userId: string | null;
  /** The sign-in of the browser that asked, if there is one. */
  signInId: string | null;
  expires: number;
  nonce: string;
}

const purpose = "passkey challenge";

/** Rule PKY1. No row until it is used: strangers may request as many as they like. */
export function makeChallenge(
  { secrets, clock, random }: RequestContext,
  binding: Pick<Challenge, "use" | "userId" | "signInId">,
): string {
  const expires = clock.now().getTime() + limits.passkeyChallengeMs;
  const nonce = random.bytes(16).toString("base64url");
  return secrets.sign({ ...binding, expires, nonce }, purpose);
}

export interface SignedChallenge extends Challenge {
  /** The signed text, which is marked as used. */
  text: string;
}

/** The challenge that the browser's answer names; it is checked against the signature later. */
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

/** In the form that the library compares. */
export const encodedChallenge = ({ text }: SignedChallenge) =>
  Buffer.from(text, "utf8").toString("base64url");
