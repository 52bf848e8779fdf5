// The identity provider, asked through openid-client: discovery, the authorization address, the exchange of a code.
import { isTooDeep } from "../../../kernel/base/json.ts";
import * as client from "openid-client";
import { isPrintable, printable } from "../../../kernel/base/name.ts";
import type { World } from "../../../kernel/context.ts";
import { fetchOutside } from "../../../kernel/http/outside/fetch.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { limits } from "../limits.ts";

export interface Provider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Why the exchange with the provider failed: a sentence for the page. */
export class ProviderError extends Error {
  /** The provider's own error text, where it sent one. */
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown, code?: string) {
    super(message, { cause });
    this.name = "ProviderTrouble";
    this.code = code;
  }
}

/** Rule SSO2: no redirects, a limit on size and time, and no private address that the operator has not allowed. */
const fetchAsWeb =
  (world: Pick<World, "sections" | "outside">): client.CustomFetch =>
  async (url, { method, headers, body }) => {
    const text = body instanceof URLSearchParams ? body.toString() : body;
    const answer = await fetchOutside(world, url, {
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(typeof text === "string" && { body: text }),
      bytesMax: limits.providerBytesMax,
      timeoutMs: limits.providerTimeoutMs,
    });
    const { status } = answer;
    const type = answer.headers["content-type"];
    return new Response(status === 204 ? null : new Uint8Array(answer.body), {
      status,
      headers: { "content-type": typeof type === "string" ? type : "" },
    });
  };

/** Read anew each time: keys and addresses of a provider change, and people sign in rarely. */
export async function discover(
  world: Pick<World, "sections" | "outside">,
  { issuer, clientId, clientSecret }: Provider,
): Promise<client.Configuration> {
  try {
    const url = new URL(issuer);
    const authentication = clientAuthentication(clientSecret);
    return await client.discovery(url, clientId, undefined, authentication, {
      [client.customFetch]: fetchAsWeb(world),
      timeout: limits.providerTimeoutMs / 1000,
      // The signature of an ID token counts, also where it came straight from the token endpoint.
      execute: [
        client.enableNonRepudiationChecks,
        // The outgoing connection decides which addresses are allowed without TLS.
        ...(url.protocol === "http:" ? [client.allowInsecureRequests] : []),
      ],
    });
  } catch (error) {
    throw asTrouble(error, "The identity provider cannot be asked who it is");
  }
}

/** In the form where the provider announces that, else as the standard's default has it. */
function clientAuthentication(secret: string): client.ClientAuth {
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)];
  return (provider, ...rest) => {
    const takes = provider.token_endpoint_auth_methods_supported ?? [];
    (takes.includes("client_secret_post") ? post : basic)(provider, ...rest);
  };
}

export interface AuthorizationAttempt {
  redirectUri: string;
  state: string;
  nonce: string;
  verifier: string;
}

export async function buildAuthorizationUrl(
  configuration: client.Configuration,
  { redirectUri, state, nonce, verifier }: AuthorizationAttempt,
  { scopes, loginHint }: { scopes: readonly string[]; loginHint?: string | undefined },
): Promise<URL> {
  const challenge = await client.calculatePKCECodeChallenge(verifier);
  return client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: scopes.join(" "),
    state,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...(loginHint !== undefined && { login_hint: loginHint }),
  });
}

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string };

/** Rule SSO3: the library checks state, issuer, code, signature, audience, nonce and times, all of them. */
export async function claimsFor(
  configuration: client.Configuration,
  returned: URL,
  { state, nonce, verifier }: AuthorizationAttempt,
  emailClaim: string,
): Promise<Claims> {
  try {
    const tokens = await client.authorizationCodeGrant(configuration, returned, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims() as Claims | undefined;
    if (claims === undefined) throw new ProviderError("The provider sent no ID token.");
    if (isTooDeep(claims)) throw new ProviderError("The provider's claims are nested too deep.");
    if (!isSubject(claims.sub))
      throw new ProviderError("The identity provider's answer is not good: it names nobody.");
    const asks = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!asks || claims[emailClaim] !== undefined) return claims;
    // Some providers leave the e-mail out of the token and give it on request only.
    const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    if (isTooDeep(more)) throw new ProviderError("The provider's claims are nested too deep.");
    return { ...more, ...claims };
  } catch (error) {
    throw asTrouble(error, "The identity provider's answer is not good");
  }
}

const isSubject = (text: string) =>
  text !== "" && text.length <= limits.subjectCharactersMax && isPrintable(text);

function asTrouble(error: unknown, what: string): ProviderError {
  if (error instanceof ProviderError) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof OutsideFailure)
      return new ProviderError(`${what}: its address ${cause.message}`, error);
  if (error instanceof client.AuthorizationResponseError)
    return new ProviderError(
      `The identity provider has refused: ${firstLine(error.error_description ?? error.error)}`,
      error,
      printable(error.error),
    );
  if (error instanceof client.ResponseBodyError)
    return new ProviderError(
      `${what}: it says ${firstLine(error.error_description ?? error.error)}`,
      error,
      printable(error.error),
    );
  return new ProviderError(`${what}: ${explain(error)}.`, error);
}

/** Text of strangers: one line of it, and not without end. */
const firstLine = (text: string) => {
  const line = printable(text.slice(0, 300));
  return /[.!?]$/.test(line) ? line : `${line}.`;
};

function explain(error: unknown): string {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown };
  const inner = cause instanceof Error ? cause.message : "";
  const words = inner === "" ? (message ?? String(error)) : `${message} (${inner})`;
  return `${printable(words.slice(0, 300))}${code === undefined ? "" : ` [${code}]`}`;
}
