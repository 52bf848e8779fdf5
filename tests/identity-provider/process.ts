// A real identity provider for tests, as its own process on loopback: a certified library, people who sign in at once.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import type { Provider as ProviderType, ClientMetadata } from "oidc-provider";

// Its warnings say that it is not set up for production, which is so.
console.warn = console.info = () => {};
const { Provider } = await import("oidc-provider");

export interface Account {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

/** What the tests may tell it, as JSON to /control. */
export type Order =
  | { order: "account"; account: Account }
  /** Who is at the browser: signs in without being asked. Null: a page with a form asks. */
  | { order: "sits"; sub: string | null }
  /** The next sign-in is denied. */
  | { order: "deny" }
  | { order: "client"; redirect_uris: string[] }
  | { order: "rotate" }
  | { order: "mint"; claims: Record<string, unknown> };

const accounts = new Map<string, Account>();
let sitting: string | null = null;
let denies = false;
let keyCount = 0;
let key: { jwk: JWK; sign: CryptoKey };
let provider: ProviderType;
let callback: (request: IncomingMessage, response: ServerResponse) => unknown;
let issuer = "";
const clients: ClientMetadata[] = [];

async function newKey(): Promise<void> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const kid = `key-${++keyCount}`;
  key = {
    jwk: { ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" },
    sign: privateKey,
  };
}

/** Made anew with each key and each client: what it remembers stays in memory, beside it. */
function open(): void {
  provider = new Provider(issuer, {
    clients,
    jwks: { keys: [key.jwk] },
    cookies: { keys: ["a key of the tests"] },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    features: {
      devInteractions: { enabled: false },
      // Tokens for whichever server a client names.
      resourceIndicators: {
        getResourceServerInfo: (_, audience) => ({
          audience,
          scope: "read",
          accessTokenFormat: "opaque",
        }),
        useGrantedResource: () => true,
      },
    },
    pkce: { required: () => true },
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Session: 3600, Grant: 3600, Interaction: 3600, IdToken: 3600, AccessToken: 3600 },
    findAccount: (_, sub) => {
      const account = accounts.get(sub);
      return account && { accountId: sub, claims: () => Promise.resolve({ ...account }) };
    },
    // Everybody has agreed to everything.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile groups offline_access");
      const resource = oidc.params?.["resource"];
      if (typeof resource === "string") grant.addResourceScope(resource, "read");
      await grant.save();
      return grant;
    },
    renderError: (context, { error, error_description }) => {
      context.type = "text";
      context.body = `${error}: ${error_description ?? ""}`;
    },
  });
  callback = provider.callback();
}

const form = (uid: string) => `<!doctype html><html lang="en"><title>Identity provider</title>
<body><h1>Identity provider of the tests</h1><form method="post" action="/interaction/${uid}">
<label>Account <input name="account" autofocus></label> <button>Sign in</button></form></body></html>`;

async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const finish = (result: Parameters<ProviderType["interactionFinished"]>[2]) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  if (denies) {
    denies = false;
    return finish({
      error: "access_denied",
      error_description: "You are not assigned to this app",
    });
  }
  const typed = request.method === "POST" ? new URLSearchParams(await textOf(request)) : undefined;
  const sub = typed?.get("account") ?? sitting;
  if (sub !== null && accounts.has(sub)) return finish({ login: { accountId: sub }, consent: {} });
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(form(request.url?.split("/").at(-1) ?? ""));
}

async function obey(order: Order): Promise<unknown> {
  switch (order.order) {
    case "account":
      accounts.set(order.account.sub, order.account);
      return {};
    case "sits":
      sitting = order.sub;
      return {};
    case "deny":
      denies = true;
      return {};
    case "client": {
      const count = clients.length + 1;
      const client = { client_id: `client-${count}`, client_secret: `secret-of-client-${count}` };
      const grant_types = ["authorization_code", "refresh_token"];
      clients.push({ ...client, grant_types, redirect_uris: order.redirect_uris });
      open();
      return client;
    }
    case "rotate":
      await newKey();
      open();
      return { kid: key.jwk.kid };
    case "mint":
      break;
  }
  const { kid = "" } = key.jwk;
  const token = new SignJWT({ iss: issuer, ...order.claims });
  return { token: await token.setProtectedHeader({ alg: "RS256", kid }).sign(key.sign) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

const server = createServer((request, response) => {
  const answer = async () => {
    if (request.url?.startsWith("/interaction/") === true) return interact(request, response);
    if (request.url !== "/control") return void callback(request, response);
    const reply = await obey(JSON.parse(await textOf(request)) as Order);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(reply));
  };
  answer().catch((error: unknown) => {
    if (!response.headersSent) response.writeHead(500);
    response.end(String(error));
  });
});

await newKey();
server.listen(0, "127.0.0.1", () => {
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  open();
  process.send?.({ issuer });
});
process.on("disconnect", () => process.exit(0));
