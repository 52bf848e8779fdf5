// Rules SSO1 to SSO9, over HTTP and against a certified identity provider in a process of its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { startIdentityProvider, type IdentityProvider } from "../identity-provider/start.ts";
import { auditTenant } from "./audit-house.ts";
import { addMember } from "./members-house.ts";
import { localNetwork, makeBrowser, signOnOf } from "./single-sign-on-house.ts";
import { eventsOf, sentenceOf } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let idp: IdentityProvider;
let sso: ReturnType<typeof signOnOf>;
before(async () => {
  [house, idp] = await Promise.all([
    openHouse({ sections: localNetwork }),
    startIdentityProvider(),
  ]);
  sso = signOnOf(house, idp);
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

let count = 0;
/** An organization with a verified domain of its own, and somebody at the provider with an e-mail there. */
async function company(more: Record<string, unknown> = {}) {
  const name = `company${++count}`;
  const tenant = await auditTenant(house, name);
  const domain = `${name}.example`;
  await sso.verifyDomain(tenant, domain);
  const ada = {
    sub: `ada of ${name}`,
    email: `ada@${domain}`,
    email_verified: true,
    name: "Ada Lovelace",
    groups: ["engineers", "makers"],
  };
  await idp.account(ada);
  await idp.sits(ada.sub);
  await sso.ready(tenant, more);
  return { tenant, domain, ada };
}
const jit = { provisioning: "jit" };
const actionsOf = async (tenant: Tenant) =>
  (await eventsOf(house, tenant)).map(({ action }) => action);
const peopleOf = ({ organization_id }: Tenant) =>
  house.world.db.query<{ id: string; email: string; role: string; name: string }>(sql`
    select id, email, role, name from users where organization_id = ${organization_id} order by id`);

test("[SSO1] a connection is set by owners, tested, then switched on; its secret is never shown", async () => {
  const tenant = await auditTenant(house, "sets up");
  await idp.account({ sub: "owner", email: "owner@up.example", name: "Owner" });
  await idp.sits("owner");
  const { client_secret } = await sso.connect(tenant);
  const early = await sso.act(tenant, "POST", "/switch", { enabled: true });
  assert.match(sentenceOf(early, 400), /^enabled: test the connection first/);
  const { test: report } = await sso.test(tenant);
  assert.equal(report["passed"], true);
  assert.equal(report["email"], "owner@up.example");
  assert.match(String(report["message"]), /does not say whether/);
  const on = await sso.act(tenant, "POST", "/switch", { enabled: true });
  assert.equal(on.status, 200, JSON.stringify(on.body));
  assert.equal(on.body.connection.enabled, true);
  assert.ok(!JSON.stringify(on.body).includes(client_secret));
  assert.ok(!(await allText(house.world.db)).includes(client_secret), "the secret lies open");
  assert.ok(!JSON.stringify(house.log).includes(client_secret));
  // Another secret has not been tested, and goes on to be used; another provider switches it off.
  const again = { name: "Again", issuer: idp.issuer, client_id: "client-1", client_secret: "x" };
  const changed = (await sso.act(tenant, "POST", "", again)).body;
  assert.deepEqual([changed.enabled, changed.test], [true, null]);
  const moved = { ...again, issuer: `${idp.issuer}/other` };
  assert.equal((await sso.act(tenant, "POST", "", moved)).body.enabled, false);
});

test("[SSO1] what cannot be right is refused with its field", async () => {
  const tenant = await auditTenant(house, "wrong settings");
  const set = (more: Record<string, unknown>) =>
    sso.act(tenant, "POST", "", {
      name: "Provider",
      issuer: idp.issuer,
      client_id: "a",
      client_secret: "b",
      ...more,
    });
  const wrong: [Record<string, unknown>, RegExp][] = [
    [{ issuer: "nonsense" }, /^issuer: must be an address/],
    [{ issuer: "https://10.0.0.1" }, /^issuer: leads to 10\.0\.0\.1/],
    [{ issuer: `${idp.issuer}?a=b` }, /^issuer: must have no query/],
    [{ client_secret: undefined }, /^client_secret: is needed/],
    [{ default_role: "owner" }, /^default_role: a provider may give/],
    [{ role_rules: [{ group: "a", role: "primary_owner" }] }, /^role_rules\.0\.role: /],
    [{ name: "\u200b" }, /^name: /],
  ];
  for (const [more, sentence] of wrong)
    assert.match(sentenceOf(await set(more), 400), sentence, JSON.stringify(more));
  // The document's address is taken for its issuer's.
  const whole = await set({ issuer: `${idp.issuer}/.well-known/openid-configuration` });
  assert.equal(whole.body.issuer, idp.issuer);
  const absent = await set({ issuer: "http://127.0.0.1:9" });
  assert.equal(absent.status, 200);
  const tested = await sso.act(tenant, "POST", "/test");
  assert.match(sentenceOf(tested, 400), /^issuer: .*cannot be reached/);
});

test("[SSO5] a member who comes with a verified e-mail of a verified domain is linked, by the subject from then on", async () => {
  const { tenant, domain, ada } = await company();
  const member = await addMember(house, tenant, { email: `Ada@${domain}`, name: "Ada" });
  const first = await sso.signIn(tenant);
  assert.equal(first.url, "/console/", first.text);
  assert.equal((await sso.me(first))?.id, member.id);
  assert.ok(!first.browser.has(house.url, "__Host-plinth-sso"));
  assert.deepEqual((await actionsOf(tenant)).slice(0, 2), ["user.signed_in", "user.linked"]);
  // Another e-mail there, or none: it is the same person.
  await idp.account({ sub: ada.sub, email: "somebody@else.example", email_verified: false });
  const second = await sso.signIn(tenant);
  assert.equal((await sso.me(second))?.id, member.id);
  // Somebody else who takes the e-mail over is not.
  await idp.account({ ...ada, sub: `mallory of ${domain}` });
  await idp.sits(`mallory of ${domain}`);
  const third = await sso.signIn(tenant);
  assert.equal(third.status, 403);
  assert.match(third.text, /belongs to another account/);
  assert.equal(await sso.me(third), undefined);
});

test("[SSO6] no e-mail alone makes somebody a member who is here already", async () => {
  const { tenant, domain, ada } = await company(jit);
  const member = await addMember(house, tenant, { email: ada.email, role: "developer" });
  await addMember(house, tenant, { email: "eve@unverified.example" });
  const refused = async (claims: object, title: RegExp) => {
    await idp.account({ sub: ada.sub, ...claims });
    const end = await sso.signIn(tenant);
    assert.equal(end.status, 403, end.text);
    assert.match(end.text, title);
    assert.equal(await sso.me(end), undefined);
  };
  await refused({ email: ada.email, email_verified: false }, /is not verified/);
  await refused({ email: ada.email }, /is not verified/);
  await refused({ email_verified: true }, /e-mail is missing/);
  await refused({ email: "eve@unverified.example", email_verified: true }, /has to be confirmed/);
  await sso.act(tenant, "POST", "", { ...(await settingsOf(tenant)), trusts_emails: true });
  await refused({ email: "eve@unverified.example" }, /is not verified/);
  await refused({ email: ada.email, email_verified: false }, /is not verified/);
  // Of a verified domain, where the provider says nothing and the owners trust it.
  await idp.account({ sub: ada.sub, email: ada.email });
  assert.equal((await sso.me(await sso.signIn(tenant)))?.id, member.id);
  assert.equal((await peopleOf(tenant)).filter(({ email }) => email.endsWith(domain)).length, 1);
});

const settingsOf = async (tenant: Tenant) => {
  const { issuer, client_id, name } = (await sso.act(tenant, "GET")).body.connection;
  return { issuer, client_id, name };
};

test("[SSO6] an owner says who somebody is that was not let in", async () => {
  const { tenant } = await company();
  const { id, email } = await addMember(house, tenant, { email: "bob@private.example" });
  await idp.account({ sub: "bob of elsewhere", email: "bob@work.example", name: "Bob" });
  await idp.sits("bob of elsewhere");
  assert.match((await sso.signIn(tenant)).text, /is not verified|not a member yet/);
  const { data } = (await sso.act(tenant, "GET", "/strangers")).body;
  assert.deepEqual(
    data.map((one: Record<string, string>) => [one["email"], one["name"], one["subject"]]),
    [["bob@work.example", "Bob", "bob of elsewhere"]],
  );
  const stranger_id = data[0].id as string;
  const other = await auditTenant(house, "another company");
  const foreign = await sso.act(other, "POST", "/links", { stranger_id, email });
  assert.match(sentenceOf(foreign, 400), /^stranger_id: /);
  const unknown = await sso.act(tenant, "POST", "/links", {
    stranger_id,
    email: "nobody@private.example",
  });
  assert.match(sentenceOf(unknown, 400), /^email: there is no member/);
  const linked = await sso.act(tenant, "POST", "/links", { stranger_id, email });
  assert.equal(linked.status, 200, JSON.stringify(linked.body));
  assert.equal((await sso.me(await sso.signIn(tenant)))?.id, id);
  assert.equal((await sso.act(tenant, "DELETE", `/links/${id}`)).status, 200);
  assert.equal((await sso.signIn(tenant)).status, 403);
});

test("[SSO7] nobody joins by signing in unless the owners say so; then with the default role", async () => {
  const { tenant, ada } = await company();
  const refused = await sso.signIn(tenant);
  assert.equal(refused.status, 403);
  assert.match(refused.text, /You are not a member yet/);
  const [event] = await eventsOf(house, tenant);
  assert.equal(event?.action, "single_sign_on.refused");
  const settings = { ...(await settingsOf(tenant)), ...jit, default_role: "developer" };
  await sso.act(tenant, "POST", "", settings);
  const end = await sso.signIn(tenant);
  const me = await sso.me(end);
  assert.deepEqual([me?.email, me?.role], [ada.email, "developer"]);
  assert.ok((await peopleOf(tenant)).some(({ name }) => name === "Ada Lovelace"));
  assert.deepEqual((await sso.act(tenant, "GET", "/strangers")).body.data, []);
});

test("[SSO7] whoever joins takes a seat; without one nobody joins", async () => {
  const { tenant } = await company(jit);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into seat_tiers (id, organization_id, name, position, seats, taken)
      values (${`tier_${count}`}, ${tenant.organization_id}, 'Standard', 0, 0, 0)`),
  );
  const full = await sso.signIn(tenant);
  assert.equal(full.status, 403);
  assert.match(full.text, /No seat is free/);
  assert.equal((await peopleOf(tenant)).length, 1);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      update seat_tiers set seats = 1 where organization_id = ${tenant.organization_id}`),
  );
  assert.equal((await sso.signIn(tenant)).url, "/console/");
  const [tier] = await house.world.db.query<{ taken: number }>(sql`
    select taken from seat_tiers where organization_id = ${tenant.organization_id}`);
  assert.equal(tier?.taken, 1);
});

test("[SSO7] six first sign-ins of one person at once make one member", async () => {
  const { tenant, ada } = await company(jit);
  const ways = await Promise.all(Array.from({ length: 6 }, () => sso.wayBack(tenant)));
  const ends = await Promise.all(ways.map(({ url, browser }) => sso.endOf(browser, url)));
  assert.deepEqual(
    ends.map(({ url }) => url),
    ends.map(() => "/console/"),
  );
  assert.equal((await peopleOf(tenant)).filter(({ email }) => email === ada.email).length, 1);
});

test("[SSO8] where the provider says the roles, the first rule that fits counts, at each sign-in", async () => {
  const rules = [
    { group: "admins", role: "admin" },
    { group: "engineers", role: "developer" },
  ];
  const more = { controls_roles: true, groups_claim: "groups", role_rules: rules };
  const { tenant, ada } = await company({
    ...jit,
    ...more,
    scopes: ["openid", "email", "profile", "groups"],
  });
  const roleNow = async () => (await sso.me(await sso.signIn(tenant)))?.role;
  assert.equal(await roleNow(), "developer");
  await idp.account({ ...ada, groups: ["makers", "engineers", "admins"] });
  assert.equal(await roleNow(), "admin");
  await idp.account({ ...ada, groups: [] });
  assert.equal(await roleNow(), "user");
  // Owners are made by owners.
  await house.world.db.tx((tx) =>
    tx.query(sql`
      update users set role = 'owner'
      where organization_id = ${tenant.organization_id} and email = ${ada.email}`),
  );
  assert.equal(await roleNow(), "owner");
});

test("[SSO9] an e-mail's domain and the organization's own address lead to its provider, if it is on", async () => {
  const { tenant, domain } = await company();
  const find = (body: object) => house.ask("POST", "/console/api/single_sign_on/find", { body });
  for (const body of [
    { email: `anybody@${domain.toUpperCase()}` },
    { organization_id: tenant.organization_id },
  ]) {
    const found = await find(body);
    assert.equal(found.status, 200, JSON.stringify(found.body));
    assert.equal(found.body.provider, "Test Provider");
    assert.equal(found.body.url, sso.startUrl(tenant).replace(house.url, ""));
  }
  assert.equal((await find({ email: "a@nowhere.example" })).status, 404);
  assert.equal((await find({ organization_id: "org_x" })).status, 404);
  assert.match(sentenceOf(await find({}), 400), /one of both/);
  await sso.act(tenant, "POST", "/switch", { enabled: false });
  assert.equal((await find({ email: `anybody@${domain}` })).status, 404);
  const end = await sso.signIn(tenant);
  assert.deepEqual([end.status, /Single sign-on is off/.test(end.text)], [404, true]);
});

test("[SSO9] whom the provider denies reads why, and keys that were changed there go on to work", async () => {
  const { tenant, ada } = await company(jit);
  await idp.deny();
  const denied = await sso.signIn(tenant, makeBrowser());
  assert.match(denied.text, /You are not assigned to this app/);
  const { details } = ((await eventsOf(house, tenant))[0] ?? {}) as {
    details?: Record<string, unknown>;
  };
  assert.deepEqual([details?.["reason"], details?.["code"]], ["provider", "access_denied"]);
  await idp.rotate();
  assert.equal((await sso.me(await sso.signIn(tenant)))?.email, ada.email);
});
