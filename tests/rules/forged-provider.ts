// An identity provider that lies: discovery, keys and tokens are what the test says.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey } from "jose";

export interface ForgedProvider extends AsyncDisposable {
  issuer: string;
  /** What it says of itself, over what is honest. */
  metadata: Record<string, unknown>;
  /** Claims over the honest ones; undefined takes one away. */
  claims: Record<string, unknown>;
  /** How the token is signed. */
  signs: "rightly" | "with an unknown key" | "not at all" | "with the secret";
  /** In place of the token endpoint's answer. */
  tokenAnswer: { status: number; body: unknown } | undefined;
  /** The key set is this many keys long. */
  keys: number;
  tokenRequests: URLSearchParams[];
  client(redirectUri: string): Promise<{ client_id: string; client_secret: string }>;
  /** As if the person had agreed: the nonce of the way there is remembered for the token. */
  back(there: string, more?: Record<string, string>): string;
}

const secret = "the secret of the forged client";

export async function startForgedProvider(): Promise<ForgedProvider> {
  const [right, other] = await Promise.all([generateKeyPair("RS256"), generateKeyPair("RS256")]);
  const jwk = { ...(await exportJWK(right.publicKey)), kid: "right", alg: "RS256", use: "sig" };
  let nonce = "";
  const provider: ForgedProvider = {
    issuer: "",
    metadata: {},
    claims: {},
    signs: "rightly",
    tokenAnswer: undefined,
    keys: 1,
    tokenRequests: [],
    client: () => Promise.resolve({ client_id: "forged", client_secret: secret }),
    back: (there, more = {}) => {
      const asked = new URL(there).searchParams;
      nonce = asked.get("nonce") ?? "";
      const url = new URL(asked.get("redirect_uri") ?? "");
      const answer = { code: "a code", state: asked.get("state") ?? "", ...more };
      for (const [name, value] of Object.entries(answer))
        if (value !== "") url.searchParams.set(name, value);
      return url.href;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function token(): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const claims = Object.fromEntries(
      Object.entries({
        iss: provider.issuer,
        sub: "somebody",
        aud: "forged",
        iat: nowSeconds,
        exp: nowSeconds + 300,
        nonce,
        email: "somebody@forged.example",
        email_verified: true,
        ...provider.claims,
      }).filter(([, value]) => value !== undefined),
    );
    if (provider.signs === "not at all") return new UnsecuredJWT(claims).encode();
    const [alg, key]: [string, CryptoKey | Uint8Array] =
      provider.signs === "with the secret"
        ? ["HS256", new TextEncoder().encode(secret)]
        : ["RS256", provider.signs === "rightly" ? right.privateKey : other.privateKey];
    return new SignJWT(claims).setProtectedHeader({ alg, kid: "right" }).sign(key);
  }

  const answerTo = async (path: string, body: string): Promise<[number, unknown]> => {
    if (path === "/.well-known/openid-configuration")
      return [
        200,
        {
          issuer: provider.issuer,
          authorization_endpoint: `${provider.issuer}/authorize`,
          token_endpoint: `${provider.issuer}/token`,
          jwks_uri: `${provider.issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256", "none", "HS256"],
          ...provider.metadata,
        },
      ];
    if (path === "/keys") return [200, { keys: Array.from({ length: provider.keys }, () => jwk) }];
    if (path !== "/token") return [404, {}];
    provider.tokenRequests.push(new URLSearchParams(body));
    if (provider.tokenAnswer !== undefined)
      return [provider.tokenAnswer.status, provider.tokenAnswer.body];
    return [200, { access_token: "a", token_type: "Bearer", id_token: await token() }];
  };

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += String(chunk)));
    request.on("end", () => {
      void reply(response, request.url ?? "", body);
    });
  });
  const reply = async (response: ServerResponse, path: string, body: string) => {
    const [status, value] = await answerTo(path, body);
    const location = (value as { location?: string }).location;
    response.writeHead(status, {
      "content-type": "application/json",
      ...(location !== undefined && { location }),
    });
    response.end(JSON.stringify(value));
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  provider.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return provider;
}
