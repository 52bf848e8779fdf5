// What the tests of single sign-on share: an organization with a provider, and a browser that goes there and back.
import assert from "node:assert/strict";
import { sql } from "../../kernel/sql/statement.ts";
import type { Answer, House, Tenant } from "../house.ts";
import type { IdentityProvider } from "../identity-provider/start.ts";

/** The provider of the tests is on this machine: the operator has allowed that. */
export const localNetwork = { network: { allow_private_addresses: ["127.0.0.0/8"] } };

const own = "/console/api/single_sign_on";

/** Keeps cookies as a browser does, by host and port. */
export function makeBrowser() {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const get = async (url: string): Promise<Response> => {
    const jar = jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) take(jar, line);
    return response;
  };
  const take = (jar: Map<string, string>, line: string) => {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    if (/; *max-age=0/i.test(line)) jar.delete(pair.slice(0, at));
    else jar.set(pair.slice(0, at), pair.slice(at + 1));
  };
  return {
    get,
    /** Takes a cookie that another request was given. */
    take: (url: string, line: string) => take(jarOf(url), line),
    cookieFor: (url: string) => [...jarOf(url)].map((pair) => pair.join("=")).join("; "),
    has: (url: string, name: string) => jarOf(url).has(name),
    /** Follows until `isThere`, or until nothing leads on. */
    async follow(url: string, isThere: (url: string) => boolean = () => false) {
      for (let steps = 0; steps < 12; steps++) {
        if (isThere(url)) return { url, response: undefined };
        const response = await get(url);
        const location = response.headers.get("location");
        if (location === null) return { url, response };
        url = new URL(location, url).href;
      }
      return assert.fail(`goes round in circles at ${url}`);
    },
  };
}
export type Browser = ReturnType<typeof makeBrowser>;

export interface LandingPage {
  /** Where the browser stands in the end. */
  url: string;
  status: number;
  text: string;
  browser: Browser;
}

/** A connection as it stands in the database, on or off, without a provider to test it with. */
export const putConnection = (house: House, { organization_id }: Tenant, isOn: boolean) =>
  house.world.db.tx((tx) =>
    tx.query(sql`
      insert into sign_on_connections
        (organization_id, issuer, client_id, client_secret, scopes, email_claim, name_claim,
         trusts_emails, role_rules, enabled, version, created_at, updated_at)
      values (${organization_id}, 'https://idp.example', 'a', 'sealed', '{openid}', 'email', 'name',
              false, '[]', ${isOn}, 'sov_x', now(), now())
      on conflict (organization_id) do update set enabled = excluded.enabled`),
  );

export function signOnOf(house: House, idp: Pick<IdentityProvider, "issuer" | "client">) {
  const act = (tenant: Tenant, method: string, path = "", body?: unknown): Promise<Answer> =>
    house.ask(method, own + path, {
      cookie: tenant.cookie,
      ...(body !== undefined && { body }),
    });
  const good = async (asked: Promise<Answer>) => {
    const answer = await asked;
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer;
  };
  const startUrl = ({ organization_id }: Tenant) =>
    `${house.url}/sign-in/single-sign-on?organization_id=${organization_id}`;
  const isCallback = (url: string) => url.startsWith(`${house.url}/sign-in/callback/`);
  const endOf = async (browser: Browser, url: string): Promise<LandingPage> => {
    const { url: there, response } = await browser.follow(url);
    const text = (await response?.text()) ?? "";
    return { url: there.replace(house.url, ""), status: response?.status ?? 0, text, browser };
  };
  const sso = {
    act,
    startUrl,
    isCallback,
    endOf,
    async connect(tenant: Tenant, more: Record<string, unknown> = {}) {
      const { body } = await good(act(tenant, "GET"));
      const client = await idp.client(body.redirect_uri as string);
      const settings = { name: "Test Provider", issuer: idp.issuer, ...client, ...more };
      await good(act(tenant, "POST", "", settings));
      return settings;
    },
    /** The owner goes to the provider and back; whoever sits there is seen. */
    async test(tenant: Tenant, browser = makeBrowser()) {
      const started = await good(act(tenant, "POST", "/test"));
      for (const line of started.headers.getSetCookie()) browser.take(house.url, line);
      const there = await browser.follow(started.body.url as string, isCallback);
      const response = await browser.get(there.url);
      assert.equal(response.headers.get("location"), "/console/sign-in-methods?tested=1");
      const { body } = await act(tenant, "GET");
      return body.connection as { tested_at: string; test: Record<string, unknown> };
    },
    /** Set up, tested by whoever sits there, and on. */
    async ready(tenant: Tenant, more: Record<string, unknown> = {}) {
      await sso.connect(tenant, more);
      const { test } = await sso.test(tenant);
      assert.equal(test["passed"], true, JSON.stringify(test));
      await good(act(tenant, "POST", "/switch", { enabled: true }));
    },
    /** The whole way of a person, to where it ends. */
    signIn: (tenant: Tenant, browser = makeBrowser()) => endOf(browser, startUrl(tenant)),
    /** As far as the address that the provider sends the browser back to. */
    async wayBack(tenant: Tenant, browser = makeBrowser()) {
      const { url } = await browser.follow(startUrl(tenant), isCallback);
      return { url, browser };
    },
    me: async ({ browser }: Pick<LandingPage, "browser">) => {
      const cookie = browser.cookieFor(house.url);
      const { status, body } = await house.ask("GET", "/console/api/me", { cookie });
      return status === 200
        ? (body.user as { id: string; email: string; role: string })
        : undefined;
    },
    verifyDomain: async ({ organization_id }: Tenant, domain: string) =>
      await house.world.db.tx((tx) =>
        tx.query(sql`
          insert into email_domains
            (id, organization_id, domain, proof, created_at, verified_at, verified_by)
          values (${`domain_of_${domain}`}, ${organization_id}, ${domain}, 'proof', now(), now(), 'operator')`),
      ),
  };
  return sso;
}
