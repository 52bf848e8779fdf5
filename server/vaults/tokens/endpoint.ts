// Asks an authorization server for a new access token (RFC 6749, section 6).
import { parseExactly } from "../../../kernel/base/exact-json.ts";
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside, type OutsideAnswer } from "../../../kernel/http/outside/fetch.ts";
import { limits } from "../limits.ts";
import type { OauthSecret } from "../credentials/auth.ts";
import type { RefreshOutcome, ShownRefresh } from "../credentials/schema.ts";
import { shownResponse } from "./shown-response.ts";

export interface NewTokens {
  accessToken: string;
  /** Undefined where the old one goes on. */
  refreshToken: string | undefined;
  /** Null where the server did not say. */
  expiresAt: Date | null;
}

export type TokenAnswer =
  | { tokens: NewTokens }
  /** `isFinal`: the server has refused, and will again. */
  | { tokens?: undefined; outcome: RefreshOutcome; isFinal: boolean };

export async function askForToken(
  world: Pick<World, "sections" | "outside" | "clock">,
  refresh: ShownRefresh,
  secret: OauthSecret,
): Promise<TokenAnswer> {
  const asked = { ...request(refresh, secret), bytesMax: limits.tokenAnswerBytesMax };
  const began = world.clock.now();
  let answer: OutsideAnswer;
  try {
    answer = await fetchOutside(world, refresh.token_endpoint, {
      ...asked,
      method: "POST",
      timeoutMs: limits.refreshTimeoutMs,
      takesRedirects: true,
      cutsBody: true,
    });
  } catch (error) {
    if (!(error instanceof OutsideFailure)) throw error;
    return { outcome: { status: "connect_error", http_response: null }, isFinal: false };
  }
  const tokens = answer.status === 200 ? tokensOf(answer, began) : undefined;
  if (tokens !== undefined) return { tokens };
  const secrets = [secret.refresh_token, secret.client_secret, secret.access_token];
  const named = [...secrets.filter((each) => each !== undefined), ...tokenTexts(answer)];
  const basic = `${refresh.client_id}:${secret.client_secret ?? ""}`;
  return {
    outcome: {
      status: "failed",
      http_response: shownResponse(answer, [...named, basic]),
    },
    isFinal:
      answer.status >= 400 && answer.status < 500 && ![408, 425, 429].includes(answer.status),
  };
}

function request(refresh: ShownRefresh, { refresh_token, client_secret = "" }: OauthSecret) {
  const { client_id, token_endpoint_auth, resource, scope } = refresh;
  const way = token_endpoint_auth.type;
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    refresh_token: refresh_token ?? "",
    // A client that names itself in a header is not named twice (section 2.3.1).
    ...(way !== "client_secret_basic" && { client_id }),
    ...(way === "client_secret_post" && { client_secret }),
    ...(resource !== null && { resource }),
    ...(scope !== null && { scope }),
  });
  return {
    body: form.toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      ...(way === "client_secret_basic" && {
        authorization: `Basic ${Buffer.from(`${formText(client_id)}:${formText(client_secret)}`).toString("base64")}`,
      }),
    },
  };
}

/** Section 2.3.1: both are encoded as in forms first. */
const formText = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);

function bodyOf({ body, isCut }: OutsideAnswer): Record<string, unknown> {
  try {
    const found: unknown = isCut ? undefined : parseExactly(body.toString("utf8"));
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {}; // no JSON: what it is instead is shown
  }
}

function tokensOf(answer: OutsideAnswer, began: Date): NewTokens | undefined {
  const { access_token, refresh_token, expires_in, token_type = "bearer" } = bodyOf(answer);
  const isToken = (text: unknown): text is string =>
    typeof text === "string" &&
    text.length <= limits.secretCharactersMax &&
    /^[\x21-\x7e]+$/.test(text);
  if (!isToken(access_token) || String(token_type).toLowerCase() !== "bearer") return undefined;
  const seconds = Number(expires_in);
  const known = Number.isFinite(seconds) && seconds > 0 && seconds < yearSeconds * 100;
  return {
    accessToken: access_token,
    refreshToken: isToken(refresh_token) ? refresh_token : undefined,
    expiresAt: known ? new Date(began.getTime() + seconds * 1000) : null,
  };
}
const yearSeconds = 365 * 24 * 60 * 60;

/** An answer that is refused may hold tokens yet. */
const tokenTexts = (answer: OutsideAnswer): string[] => {
  const body = bodyOf(answer);
  return ["access_token", "refresh_token", "id_token"].flatMap((key) =>
    typeof body[key] === "string" ? [body[key]] : [],
  );
};
