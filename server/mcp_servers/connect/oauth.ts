// The official client's OAuth, over requests that are judged as they go out; and what came of it.
import {
  auth,
  extractWWWAuthenticateParams,
  selectClientAuthMethod,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from "@modelcontextprotocol/client";
import { invalid, isFailure, type Failure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { OutsideFailure } from "../../../kernel/http/outside/failure.ts";
import { fetchOutside, outsideProblem } from "../../../kernel/http/outside/fetch.ts";
import { limits } from "../limits.ts";
import { clientDocument, clientDocumentUrl, redirectUrl } from "./open-documents.ts";

/** What is kept, encrypted, while the person is at the authorization server. */
export interface Kept {
  url: string;
  client?: StoredOAuthClientInformation;
  discovery?: OAuthDiscoveryState;
  resource?: string;
  verifier?: string;
  /** What the browser came back with. */
  answer?: { code?: string; iss?: string; error?: string; error_description?: string };
}

export interface Begun {
  authorizationUrl: string;
  kept: Kept;
}

export async function beginOauth(world: World, kept: Kept, state: string): Promise<Begun> {
  const wire = makeWire(world);
  return inWords(wire, async () => {
    const challenge = extractWWWAuthenticateParams(await knock(wire.fetch, kept.url));
    let opened: URL | undefined;
    const provider = providerOf(world, kept, {
      state: () => state,
      redirectToAuthorization: (url) => void (opened = url),
    });
    await auth(provider, { serverUrl: kept.url, fetchFn: wire.fetch, ...given(challenge) });
    const authorizationUrl = opened?.href ?? "";
    // It is opened in a browser: neither a script nor an address that is refused elsewhere.
    const problem = outsideProblem(world, authorizationUrl);
    if (problem !== undefined)
      throw invalid(`The address of the sign-in that the server names ${problem.message}`);
    return { authorizationUrl, kept };
  });
}

const given = ({
  resourceMetadataUrl,
  scope,
}: ReturnType<typeof extractWWWAuthenticateParams>) => ({
  ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl }),
  ...(scope !== undefined && { scope }),
});

/** The first request of a client: a server that wants a token says here where one is given. */
const knock = (ask: FetchLike, url: string): Promise<Response> =>
  ask(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "plinth", version: "1" },
      },
    }),
  });

/** The code for a token, in the fields of a credential. */
export async function exchangeCode(world: World, kept: Kept) {
  const { answer: { code, iss, error, error_description: words } = {} } = kept;
  if (code === undefined) {
    const refusal = [error ?? "no code", words].filter((each) => each !== undefined).join(": ");
    throw invalid(`The authorization server gave no access: ${plain(refusal)}.`);
  }
  const wire = makeWire(world);
  const began = world.clock.now();
  return inWords(wire, async () => {
    let tokens: OAuthTokens | undefined;
    const provider = providerOf(world, kept, { saveTokens: (got) => void (tokens = got) });
    await auth(provider, {
      serverUrl: kept.url,
      fetchFn: wire.fetch,
      authorizationCode: code,
      ...(iss !== undefined && { iss }),
    });
    if (tokens === undefined) throw new Error("no token");
    if (tokens.token_type.toLowerCase() !== "bearer")
      throw invalid("The authorization server gave a token that is no bearer token.");
    return credentialOf(kept, tokens, began);
  });
}

function credentialOf(kept: Kept, tokens: OAuthTokens, began: Date) {
  const { url, client, discovery, resource } = kept;
  const { access_token, refresh_token, expires_in: seconds } = tokens;
  const metadata = discovery?.authorizationServerMetadata;
  const { client_id = "", client_secret } = client ?? {};
  const ways = metadata?.token_endpoint_auth_methods_supported ?? [];
  const way = client === undefined ? "none" : selectClientAuthMethod(client, ways);
  return {
    type: "mcp_oauth" as const,
    access_token,
    mcp_server_url: url,
    ...(seconds !== undefined &&
      seconds > 0 && { expires_at: new Date(began.getTime() + seconds * 1000).toISOString() }),
    ...(refresh_token !== undefined && {
      refresh: {
        client_id,
        refresh_token,
        token_endpoint:
          metadata?.token_endpoint ?? new URL("/token", discovery?.authorizationServerUrl).href,
        token_endpoint_auth:
          way === "none" || client_secret === undefined
            ? { type: "none" as const }
            : { type: way, client_secret },
        ...(resource !== undefined && { resource }),
      },
    }),
  };
}

function providerOf(
  world: World,
  kept: Kept,
  more: Partial<OAuthClientProvider>,
): OAuthClientProvider {
  const documentUrl = clientDocumentUrl(world);
  const { client_name, client_uri, grant_types, response_types } = clientDocument(world);
  const redirect = redirectUrl(world);
  return {
    redirectUrl: redirect,
    clientMetadata: {
      client_name,
      client_uri,
      redirect_uris: [redirect],
      grant_types,
      response_types,
      token_endpoint_auth_method: "none",
    },
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    // One that was named by hand belongs to whichever authorization server is found.
    clientInformation: (about) => kept.client && { ...about, ...kept.client },
    invalidateCredentials: () => {},
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => {},
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? "",
    saveResourceUrl: (resource) => void (kept.resource = resource),
    saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
    discoveryState: () => kept.discovery,
    ...more,
  };
}

/** It remembers why a request had no answer: the client tries other addresses then, and says less. */
function makeWire(world: World) {
  const wire = {
    fault: undefined as { url: URL; failure: OutsideFailure } | undefined,
    fetch: (async (to, init = {}) => {
      const url = new URL(to);
      const { method = "GET", body } = init;
      try {
        const answer = await fetchOutside(world, url.href, {
          method: method === "POST" ? "POST" : "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...(body != null && { body: String(body as string | URLSearchParams) }),
          bytesMax: limits.oauthAnswerBytesMax,
          timeoutMs: limits.oauthTimeoutMs,
        });
        return responseOf(answer);
      } catch (error) {
        if (error instanceof OutsideFailure) wire.fault ??= { url, failure: error };
        throw error;
      }
    }) as FetchLike,
  };
  return wire;
}

function responseOf({ status, headers, body }: Awaited<ReturnType<typeof fetchOutside>>): Response {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const each of [value ?? []].flat()) copied.append(name, each);
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: copied });
}

async function inWords<T>(wire: ReturnType<typeof makeWire>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw wordsOf(error, wire.fault);
  }
}

const wordsOf = (
  error: unknown,
  fault: { url: URL; failure: OutsideFailure } | undefined,
): Failure => {
  if (isFailure(error)) return error;
  if (fault !== undefined) return refusal(`${fault.url.origin} ${fault.failure.message}`);
  // The classes of the client are many, and their sentences are about what the server answered.
  const { message } = error as Error;
  return refusal(`The sign-in that the MCP server names does not work: ${plain(message)}`);
};

const refusal = (words: string) => invalid(words, { code: "mcp_connect_failed" });

/** A stranger's text, which may go on with all that was answered. */
const plain = (text: string): string =>
  text
    .split(/raw body/i)[0]!
    .replaceAll(/\p{C}+/gu, " ")
    .trim()
    .slice(0, limits.strangersWordsMax);
