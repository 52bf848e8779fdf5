// Rules SSO2 to SSO4 where somebody lies: providers, other people's pages, and browsers that try twice.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { startForgedProvider, type ForgedProvider } from "./forged-provider.ts";
import { localNetwork, makeBrowser, signOnOf } from "./single-sign-on-house.ts";
import { eventsOf, minutes, sentenceOf } from "./support.ts";

let house: House;
let forged: ForgedProvider;
let sso: ReturnType<typeof signOnOf>;
let tenant: Tenant;
let clock: ManualClock;
before(async () => {
  // Tokens are held against the machine's own clock.
  clock = makeManualClock(new Date());
  [house, forged] = await Promise.all([
    openHouse({ clock, sections: localNetwork }),
    startForgedProvider(),
  ]);
  sso = signOnOf(house, forged);
  tenant = await connected("Forged");
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await forged?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  Object.assign(forged, { metadata: {}, claims: {}, signs: "rightly", keys: 1 });
  forged.tokenAnswer = undefined;
});

/** Switched on without the way of the test, which needs an honest provider. */
async function connected(name: string): Promise<Tenant> {
  const made = await auditTenant(house, name);
  await sso.connect(made, { provisioning: "jit" });
  await house.world.db.tx((tx) =>
    tx.query(sql`
      update sign_on_connections set enabled = true
      where organization_id = ${made.organization_id}`),
  );
  return made;
}

/** The browser leaves; the address that it would go to. */
async function leave(browser = makeBrowser(), from = tenant) {
  const response = await browser.get(sso.startUrl(from));
  const there = response.headers.get("location") ?? assert.fail(await response.text());
  return { browser, there };
}

async function signIn(more: Record<string, string> = {}) {
  const { browser, there } = await leave();
  return sso.endOf(browser, forged.back(there, more));
}

async function expectRefused(what: string, more: Record<string, string> = {}, sentence = /./) {
  const end = await signIn(more);
  assert.notEqual(end.url, "/console/", `${what} signs in`);
  assert.ok([400, 403].includes(end.status), `${what}: ${end.status}`);
  assert.equal(await sso.me(end), undefined, what);
  assert.match(end.text, sentence, what);
  return end;
}

test("[SSO3] an honest answer signs in, with PKCE and the secret on the way", async () => {
  const { browser, there } = await leave();
  const asked = new URL(there).searchParams;
  assert.equal(asked.get("code_challenge_method"), "S256");
  assert.ok((asked.get("nonce") ?? "").length >= 32 && (asked.get("state") ?? "").length >= 32);
  const end = await sso.endOf(browser, forged.back(there));
  assert.equal(end.url, "/console/", end.text);
  const sent = forged.tokenRequests.at(-1);
  assert.ok((sent?.get("code_verifier") ?? "").length >= 43);
});

test("[SSO3] no token but one of this provider, for us, for this attempt, in time, and signed", async () => {
  const second = Math.floor(clock.now().getTime() / 1000);
  const wrong: Record<string, Record<string, unknown>> = {
    "another audience": { aud: "somebody else" },
    "more audiences, for another": { aud: ["forged", "other"], azp: "other" },
    "another issuer": { iss: "https://login.example" },
    "no issuer": { iss: undefined },
    "another nonce": { nonce: "another" },
    "no nonce": { nonce: undefined },
    "an expired token": { exp: second - 3600, iat: second - 7200 },
    "a token without an end": { exp: undefined },
    "a token of the future": { nbf: second + 3600 },
    "no subject": { sub: undefined },
    "an empty subject": { sub: "" },
  };
  for (const [what, claims] of Object.entries(wrong)) {
    forged.claims = claims;
    await expectRefused(what, {}, /answer is not good/);
  }
  forged.claims = {};
  for (const signs of ["with an unknown key", "not at all", "with the secret"] as const) {
    forged.signs = signs;
    await expectRefused(`a token signed ${signs}`, {}, /answer is not good/);
  }
  const [event] = await eventsOf(house, tenant);
  assert.equal(event?.action, "single_sign_on.refused");
});

test("[SSO3] another issuer in the answer, or none where one was promised, is a mix-up", async () => {
  await expectRefused("another iss", { iss: "https://login.example" }, /answer is not good/);
  forged.metadata = { authorization_response_iss_parameter_supported: true };
  await expectRefused("a missing iss", {}, /answer is not good/);
  assert.equal((await signIn({ iss: forged.issuer })).url, "/console/");
});

test("[SSO4] an answer for one organization is none for another", async () => {
  const other = await connected("Another forged");
  const { browser, there } = await leave();
  const back = forged.back(there).replace(tenant.organization_id, other.organization_id);
  const requests = forged.tokenRequests.length;
  const end = await sso.endOf(browser, back);
  assert.match(end.text, /belongs to another sign-in/);
  assert.equal(forged.tokenRequests.length, requests, "the code went to the other provider");
  assert.equal((await sso.endOf(browser, forged.back(there))).url, "/console/");
});

test("[SSO4] login CSRF: an answer that this browser did not ask for signs nobody in, and ends nothing", async () => {
  const attacker = await leave();
  const bait = forged.back(attacker.there);
  const stranger = makeBrowser();
  const cold = await sso.endOf(stranger, bait);
  assert.match(cold.text, /has expired/);
  assert.equal(await sso.me(cold), undefined);
  const victim = await leave();
  const lured = await sso.endOf(victim.browser, bait);
  assert.match(lured.text, /belongs to another sign-in/);
  assert.equal(await sso.me(lured), undefined);
  for (const state of ["", "made up"]) {
    const end = await sso.endOf(victim.browser, forged.back(victim.there, { state }));
    assert.match(end.text, /belongs to another sign-in/);
  }
});

test("[SSO4] an answer works once, also for the browser that holds the cookie still", async () => {
  const { browser, there } = await leave();
  const back = forged.back(there);
  const held = browser.cookieFor(house.url);
  assert.equal((await sso.endOf(browser, back)).url, "/console/");
  const requests = forged.tokenRequests.length;
  const again = await fetch(back, { redirect: "manual", headers: { cookie: held } });
  assert.equal(again.status, 400);
  assert.match(await again.text(), /was used already/);
  assert.equal(forged.tokenRequests.length, requests, "the code was redeemed twice");
  assert.equal(
    again.headers.getSetCookie().some((line) => line.includes("__Host-plinth=")),
    false,
  );
  // Of five at once, one.
  const race = await leave();
  const way = forged.back(race.there);
  const cookie = race.browser.cookieFor(house.url);
  const five = await Promise.all(
    Array.from({ length: 5 }, () => fetch(way, { redirect: "manual", headers: { cookie } })),
  );
  const statuses = five.map(({ status }) => status).toSorted((one, other) => one - other);
  assert.deepEqual(statuses, [303, 400, 400, 400, 400]);
});

test("[SSO4] the way back is open for ten minutes, and for the settings that it began with", async () => {
  const slow = await leave();
  clock.advance(minutes(10));
  assert.match((await sso.endOf(slow.browser, forged.back(slow.there))).text, /has expired/);
  const old = await leave();
  await sso.connect(tenant, { provisioning: "jit" });
  const changed = await sso.endOf(old.browser, forged.back(old.there));
  assert.match(changed.text, /settings have changed/);
  assert.equal((await signIn()).url, "/console/");
});

test("[SSO4] the cookie is encrypted, and nobody's page is gone on to but the console's", async () => {
  const { browser, there } = await leave();
  const held = browser.cookieFor(house.url);
  const state = new URL(there).searchParams.get("state") ?? "";
  assert.ok(!held.includes(state) && !Buffer.from(held, "base64url").includes(state));
  for (const next of ["https://evil.example/console/", "//evil.example/console/", "/sign-in"]) {
    const fresh = makeBrowser();
    const start = `${sso.startUrl(tenant)}&next=${encodeURIComponent(next)}`;
    const away = (await fresh.get(start)).headers.get("location") ?? "";
    const answer = await fresh.get(forged.back(away));
    assert.equal(answer.headers.get("location"), "/console/", next);
  }
  for (const next of ["/mcp-connected?state=a", "/console/keys?q=a"]) {
    const start = `${sso.startUrl(tenant)}&next=${encodeURIComponent(next)}`;
    const away = (await browser.get(start)).headers.get("location") ?? "";
    const answer = await browser.get(forged.back(away));
    assert.equal(answer.headers.get("location"), next);
  }
});

test("[SSO13] an e-mail with what cannot be shown is unusable: a page says so, and an event", async () => {
  const unusable = [
    "a\0b@c.example",
    "a@c.exa\nmple",
    "\ud800@c.example",
    "a\u202eb@c.example",
    "no",
  ];
  for (const email of unusable) {
    forged.claims = { sub: "unusable", email };
    const what = JSON.stringify(email);
    const end = await expectRefused(what, {}, /Your e-mail cannot be used/);
    assert.equal(end.status, 403, what);
    const [event] = await eventsOf(house, tenant);
    assert.equal(event?.action, "single_sign_on.refused", what);
    const { details } = event as { details?: Record<string, unknown> };
    assert.equal(details?.["reason"], "email_unusable", what);
  }
  const { data } = (await sso.act(tenant, "GET", "/strangers")).body;
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one["subject"], one["email"], one["reason"]]),
    [["unusable", null, "email_unusable"]],
  );
  for (const sub of ["a\0b", "a\ud800", "a\nb"]) {
    forged.claims = { sub };
    await expectRefused(JSON.stringify(sub), {}, /it names nobody/);
  }
});

test("[SSO13] names lose what cannot be shown, groups with it count for nobody, the provider's words hold none", async () => {
  const of = async (n: number, name: unknown) => {
    const email = `named${n}@forged.example`;
    forged.claims = { sub: `named ${n}`, email, name, groups: ["a\0b", "makers\ud800"] };
    const end = await signIn();
    assert.equal(end.url, "/console/", end.text);
    const [row] = await house.world.db.query<{ name: string }>(
      sql`select name from users where email_key = ${email}`,
    );
    return row?.name;
  };
  assert.equal(await of(1, "Ada\0\nLove\ud800lace\u202e"), "Ada Love lace");
  assert.equal(await of(2, "\0\u200b"), "named2");
  assert.equal(await of(3, { first: "Ada" }), "named3");
  assert.equal(await of(4, "Ada 👩🏽\u200d🚀"), "Ada 👩🏽\u200d🚀");
  forged.claims = {};
  const words = [`Used\0up`, `${"x".repeat(299)}👩`];
  for (const error_description of words) {
    forged.tokenAnswer = { status: 400, body: { error: "invalid_grant", error_description } };
    await expectRefused(JSON.stringify(error_description), {}, /it says (Used up|xxx)/);
  }
});

test("[SSO10] a test of a connection reports an e-mail that cannot be used, and groups that can", async () => {
  const tested = await auditTenant(house, "Tested and forged");
  await sso.connect(tested, { groups_claim: "groups" });
  forged.claims = { email: "a\0b@c.example", name: "A\0", groups: ["a\0b", "makers"] };
  const browser = makeBrowser();
  const started = await sso.act(tested, "POST", "/test");
  for (const line of started.headers.getSetCookie()) browser.take(house.url, line);
  const answer = await browser.get(forged.back(started.body.url as string));
  assert.equal(answer.headers.get("location"), "/console/sign-in-methods?tested=1");
  const { test: report } = (await sso.act(tested, "GET")).body.connection;
  assert.match(report.message, /no e-mail that can be used/);
  assert.deepEqual(
    [report.passed, report.email, report.name, report.groups],
    [false, null, "A", ["makers"]],
  );
});

test("[SSO2] a provider that names another issuer, redirects, floods or lies inward is not followed", async () => {
  const start = async () => {
    const { url, response } = await makeBrowser().follow(sso.startUrl(tenant));
    assert.equal(url, sso.startUrl(tenant));
    return (await response?.text()) ?? "";
  };
  forged.metadata = { issuer: "https://login.example" };
  assert.match(await start(), /cannot be asked who it is/);
  forged.metadata = { filler: "x".repeat(600_000) };
  assert.match(await start(), /more than 524288 bytes/);
  forged.metadata = { token_endpoint: "http://169.254.169.254/latest/meta-data" };
  await expectRefused("an inward token endpoint", {}, /not an address of the public internet/);
  forged.metadata = { jwks_uri: "https://10.0.0.1/keys" };
  await expectRefused("inward keys", {}, /not an address of the public internet/);
  forged.metadata = {};
  forged.keys = 2_000;
  await expectRefused("a huge key set", {}, /more than 524288 bytes/);
  forged.keys = 1;
  forged.tokenAnswer = { status: 302, body: { location: `${forged.issuer}/elsewhere` } };
  await expectRefused("a redirect", {}, /redirect/);
  forged.tokenAnswer = {
    status: 400,
    body: { error: "invalid_grant", error_description: "Used\n<b>" },
  };
  const end = await expectRefused("a used code", {}, /it says Used &lt;b&gt;/);
  assert.ok(!end.text.includes("<b>"));
  forged.tokenAnswer = { status: 200, body: { access_token: "a", token_type: "Bearer" } };
  await expectRefused("no ID token", {}, /answer is not good/);
});

test("[SSO2] without the operator's leave no provider has a private address", async () => {
  await using strict = await openHouse();
  const { cookie } = strict.organizations.platform;
  const body = { name: "P", issuer: forged.issuer, client_id: "a", client_secret: "b" };
  const answer = await strict.ask("POST", "/console/api/single_sign_on", { cookie, body });
  assert.match(sentenceOf(answer, 400), /^issuer: .*network\.allow_private_addresses/);
});
