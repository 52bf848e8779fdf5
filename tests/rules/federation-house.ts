// What the tests of federation share: an issuer with keys, its tokens, and what an organization says of it.
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from "jose";
import type { Answer, House, Tenant } from "../house.ts";
import { askToken } from "./tokens-house.ts";

export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

let made = 0;

export async function newKey(alg = "ES256", kid = `key-${++made}`): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } };
}

export interface Claims {
  [name: string]: unknown;
}

/** A token of that key; `header` adds to its header, undefined claims are left out. */
export function sign(
  key: SigningKey,
  claims: Claims,
  header: Record<string, unknown> = {},
): Promise<string> {
  const given = Object.fromEntries(
    Object.entries(claims).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(given)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "JWT", ...header })
    .sign(key.privateKey);
}

/** A server of key sets, that answers as it is told. */
export async function serveKeys(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A test that fails before it has the server must not wait for it.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const localNetwork = { network: { allow_private_addresses: ["127.0.0.0/8"] } };

export interface CreatedResource {
  id: string;
  name: string;
  // What tests claim of it is what they check.
  // oxlint-disable-next-line typescript/no-explicit-any
  [field: string]: any;
}

/** Asks as the owner in the console, or with a key; what is not 200 fails. */
export const createResource = async (
  house: House,
  { cookie }: Pick<Tenant, "cookie">,
  noun: string,
  body: object,
): Promise<CreatedResource> => {
  const answer = await house.ask("POST", `/v1/organizations/${noun}`, { cookie, body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as CreatedResource;
};

export const slug = (text: string) => `${text}-${++made}`;

export const makeAccount = (house: House, tenant: Tenant, more: object = {}) =>
  createResource(house, tenant, "service_accounts", { name: slug("account"), ...more });

export const makeIssuer = (house: House, tenant: Tenant, more: object) =>
  createResource(house, tenant, "federation_issuers", {
    name: slug("issuer"),
    issuer_url: "https://issuer.example",
    ...more,
  });

export interface FederationSetup {
  tenant: Tenant;
  key: SigningKey;
  account: CreatedResource;
  issuer: CreatedResource;
  rule: CreatedResource;
  /** Claims that the rule lets through. */
  claims(more?: Claims): Claims;
  /** Exchanges that text, with what more is sent. */
  exchange(assertion: string, more?: object): Promise<Answer>;
  /** Signs these claims with the issuer's key and exchanges that. */
  present(more?: Claims, header?: Record<string, unknown>, body?: object): Promise<Answer>;
}

/** An issuer with an inline key, an account, and a rule for the default workspace. */
export async function openFederationSetup(
  house: House,
  tenant: Tenant,
  { issuer: issuerMore = {}, rule: ruleMore = {}, account: accountMore = {} } = {},
  key?: SigningKey,
): Promise<FederationSetup> {
  const signing = key ?? (await newKey());
  const account = await makeAccount(house, tenant, accountMore);
  const issuer = await makeIssuer(house, tenant, {
    jwks: { type: "inline", keys: [signing.jwk] },
    ...issuerMore,
  });
  const rule = await createResource(house, tenant, "federation_rules", {
    name: slug("rule"),
    issuer_id: issuer.id,
    match: { subject_prefix: "workload:*" },
    target: { type: "service_account", service_account_id: account.id },
    oauth_scope: "workspace:developer",
    workspace_id: tenant.workspace_id,
    ...ruleMore,
  });
  const { world } = house;
  const claims = (more: Claims = {}): Claims => {
    const now = Math.floor(world.clock.now().getTime() / 1000);
    return {
      iss: issuer["issuer_url"] as string,
      sub: "workload:one",
      aud: world.publicUrl,
      iat: now,
      exp: now + 600,
      jti: `jti-${++made}`,
      ...more,
    };
  };
  const exchange = (assertion: string, more: object = {}) =>
    askToken(house, {
      grant_type: jwtBearer,
      assertion,
      federation_rule_id: rule.id,
      organization_id: tenant.organization_id,
      ...more,
    });
  return {
    tenant,
    key: signing,
    account,
    issuer,
    rule,
    claims,
    exchange,
    present: async (more, header, body) =>
      exchange(await sign(signing, claims(more), header), body),
  };
}
