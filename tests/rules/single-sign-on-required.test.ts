// Rules SSO10 to SSO12 and IDN15: single sign-on required, the owners who keep a way past it, and the way back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { ownerSetupLink } from "../../server/organization-setup.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { startIdentityProvider, type IdentityProvider } from "../identity-provider/start.ts";
import { auditTenant } from "./audit-house.ts";
import { addSignedIn } from "./members-house.ts";
import { passkeysOf } from "./passkeys-house.ts";
import { localNetwork, signOnOf } from "./single-sign-on-house.ts";
import { cookieFrom, eventsOf, expectDeathWithinASecond, sentenceOf, tokenOf } from "./support.ts";

let house: House;
let idp: IdentityProvider;
let sso: ReturnType<typeof signOnOf>;
before(async () => {
  [house, idp] = await Promise.all([
    openHouse({ sections: localNetwork }),
    startIdentityProvider(),
  ]);
  sso = signOnOf(house, idp);
  await idp.account({ sub: "tester", email: "tester@tests.example", email_verified: true });
  await idp.sits("tester");
});
after(async () => {
  await house?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
});

let count = 0;
async function company() {
  const tenant = await auditTenant(house, `required ${++count}`);
  await sso.ready(tenant, { provisioning: "jit" });
  return tenant;
}
const turn = (tenant: Tenant, body: object) => sso.act(tenant, "POST", "/switch", body);
const require = async (tenant: Tenant) => {
  const answer = await turn(tenant, { required: true });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};
const me = (cookie: string) => house.ask("GET", "/console/api/me", { cookie });
const password = "a password of the tests";
const passwordOf = (email: string, word = password) =>
  house.ask("POST", "/console/api/sign_in", { body: { email, password: word } });

test("[SSO11] required: passwords, passkeys and sign-ins of members end; the provider lets them in", async () => {
  const tenant = await company();
  await using neighbour = await house.openSecondServer();
  const member = await addSignedIn(house, tenant, "developer");
  const { credential } = await passkeysOf(house).passkey(member);
  assert.equal((await me(member.cookie)).status, 200);
  const through = await sso.signIn(tenant);
  assert.equal((await turn(tenant, { enabled: false, required: true })).status, 400);
  const since = performance.now();
  await require(tenant);
  for (const url of [house.url, neighbour.url])
    await expectDeathWithinASecond(url, "/console/api/me", { cookie: member.cookie }, since);
  assert.ok(await sso.me(through), "a sign-in by the provider has ended");
  const refused = await passwordOf(member.email);
  assert.match(sentenceOf(refused, 403), /single sign-on only/);
  assert.equal(refused.body.error.details.error_code, "single_sign_on_required");
  // Whoever guesses learns nothing of it.
  const wrong = sentenceOf(await passwordOf(member.email, "certainly wrong"), 401);
  assert.equal(wrong, sentenceOf(await passwordOf("nobody@tests.example", "x"), 401));
  assert.equal((await passkeysOf(house).signIn(credential)).status, 403);
  assert.ok(await sso.me(await sso.signIn(tenant)));
  assert.match(sentenceOf(await turn(tenant, { enabled: false }), 400), /Stop requiring it/);
  assert.match(sentenceOf(await sso.act(tenant, "DELETE"), 400), /Stop requiring it/);
  assert.equal((await turn(tenant, { required: false })).status, 200);
  assert.equal((await passwordOf(member.email)).status, 200);
});

test("[IDN15] the primary owner and marked owners keep password and passkeys, and it shows", async () => {
  const tenant = await company();
  const [owner, other] = [
    await addSignedIn(house, tenant, "owner"),
    await addSignedIn(house, tenant, "owner"),
  ];
  const mark = (id: string, break_glass: boolean, cookie = tenant.cookie) =>
    house.ask("POST", `/console/api/break_glass/${id}`, { cookie, body: { break_glass } });
  assert.equal((await mark(owner.id, true)).status, 200);
  const { credential } = await passkeysOf(house).passkey(owner);
  await require(tenant);
  assert.equal((await me(owner.cookie)).status, 200, "a marked owner is signed out");
  assert.equal((await me(other.cookie)).status, 401);
  assert.equal((await passwordOf(other.email)).status, 403);
  const admitted = [
    await passwordOf(owner.email),
    await passkeysOf(house).signIn(credential),
    await passwordOf(tenant.owner_email, tenant.owner_password),
  ];
  assert.deepEqual(
    admitted.map(({ status }) => status),
    [200, 200, 200],
  );
  const actions = (await eventsOf(house, tenant)).slice(0, 3).map(({ action }) => action);
  assert.deepEqual(
    actions,
    Array.from({ length: 3 }, () => "user.break_glass_signed_in"),
  );
  const { cookie } = tenant;
  const { body } = await house.ask("GET", "/console/api/sign_in_methods", { cookie });
  const shown = body.break_glass as { user: { email: string }; [field: string]: unknown }[];
  const line = shown.find(({ user }) => user.email === owner.email);
  assert.deepEqual([line?.["marked"], line?.["passkeys"], line?.["has_password"]], [true, 1, true]);
  assert.ok(line?.["last_break_glass_at"]);
  // A mark is for owners, and not to be taken from the primary one.
  const [primary] = shown.filter(({ user }) => user.email === tenant.owner_email);
  const id = (primary?.user as { id?: string } | undefined)?.id ?? "";
  assert.match(sentenceOf(await mark(id, false), 400), /always keeps a way in/);
  const admin = await addSignedIn(house, await company(), "admin");
  assert.equal((await mark(admin.id, true)).status, 404);
  await house.world.db.tx((tx) =>
    tx.query(sql`update users set role = 'admin' where id = ${owner.id}`),
  );
  assert.equal((await passwordOf(owner.email)).status, 403, "a mark outlives the role");
});

test("[SCM1] what is set for the first sign-in closes invitations and roles only while single sign-on is on", async () => {
  const tenant = await auditTenant(house, "saved and waiting");
  const member = await addSignedIn(house, tenant, "developer");
  let count = 0;
  const { cookie } = tenant;
  const invite = () =>
    house.ask("POST", "/console/api/invites", {
      cookie,
      body: { email: `guest${++count}@tests.example`, role: "user" },
    });
  const setRole = () =>
    house.ask("POST", `/console/api/organization_members/${member.id}/role`, {
      cookie,
      body: { role: "developer" },
    });
  const settings = { provisioning: "jit", controls_roles: true, default_role: "developer" };
  const expectOpen = async (when: string) => {
    for (const { status, body } of [await invite(), await setRole()])
      assert.equal(status, 200, `${when}: ${JSON.stringify(body)}`);
    const { connection } = (await sso.act(tenant, "GET")).body;
    assert.deepEqual([connection.provisioning, connection.controls_roles], ["jit", true], when);
  };
  await sso.connect(tenant, { ...settings, issuer: "https://login.dead.example" });
  await expectOpen("saved only");
  await sso.connect(tenant, settings);
  const { test: report } = await sso.test(tenant);
  assert.equal(report["role"], "developer", "the test says no role that would follow");
  await expectOpen("tested only");
  await turn(tenant, { enabled: true });
  assert.match(sentenceOf(await invite(), 400), /^Who joins .* identity provider Test Provider/);
  assert.match(sentenceOf(await setRole(), 400), /^The role of members is managed/);
  await turn(tenant, { enabled: false });
  await expectOpen("switched off again");
  await turn(tenant, { enabled: true });
  await sso.connect(tenant, { ...settings, issuer: "https://login.dead.example" });
  await expectOpen("another provider, not tested");
});

test("[SSO11] nobody requires it who could not come back", async () => {
  const tenant = await company();
  const owner = await addSignedIn(house, tenant, "owner");
  const asOwner = { ...tenant, cookie: owner.cookie };
  assert.match(sentenceOf(await turn(asOwner, { required: true }), 400), /lock yourself out/);
  const off = await auditTenant(house, "not on");
  await sso.connect(off);
  assert.match(sentenceOf(await turn(off, { required: true }), 400), /switch single sign-on on/);
});

test("[SSO11] plinth setup-link lets the primary owner in again, whatever the provider does", async () => {
  const tenant = await company();
  await require(tenant);
  const link = await ownerSetupLink(house.world, tenant.organization_id);
  const body = { token: tokenOf(link), password: "a new password of the owner" };
  const answer = await house.ask("POST", "/console/api/setup", { body });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const cookie = cookieFrom(answer);
  assert.equal((await turn({ ...tenant, cookie }, { required: false })).status, 200);
});

test("[SSO12] an owner gives a member's account back with a set-up link, but not the primary owner's", async () => {
  const tenant = await company();
  const member = await addSignedIn(house, tenant, "developer");
  const owner = await addSignedIn(house, tenant, "owner");
  const ask = (id: string, cookie = owner.cookie) =>
    house.ask("POST", `/console/api/setup_links/${id}`, { cookie });
  const { body } = await ask(member.id);
  const use = { token: tokenOf(body.url as string), password: "another good password" };
  const answer = await house.ask("POST", "/console/api/setup", { body: use });
  assert.equal(answer.body.user.id, member.id);
  assert.equal((await me(member.cookie)).status, 401);
  const { body: primary } = await me(tenant.cookie);
  assert.match(sentenceOf(await ask(primary.user.id), 400), /plinth setup-link/);
  const stranger = await addSignedIn(house, await company(), "user");
  assert.equal((await ask(stranger.id)).status, 404);
  assert.equal((await ask(member.id, member.cookie)).status, 401);
  assert.equal((await ask(owner.id, cookieFrom(answer))).status, 403);
});

test("[SSO12] while single sign-on is required, a set-up link is no way round it", async () => {
  const tenant = await company();
  const member = await addSignedIn(house, tenant, "developer");
  const { cookie } = tenant;
  const { body } = await house.ask("POST", `/console/api/setup_links/${member.id}`, { cookie });
  await require(tenant);
  const use = { token: tokenOf(body.url as string), password: "another good password" };
  const answer = await house.ask("POST", "/console/api/setup", { body: use });
  assert.match(sentenceOf(answer, 403), /single sign-on only/);
  const made = await house.ask("POST", `/console/api/setup_links/${member.id}`, { cookie });
  assert.match(sentenceOf(made, 400), /single sign-on/);
});

test("[SSO10] a test that fails says why, and a test signs nobody in", async () => {
  const tenant = await auditTenant(house, "tests");
  await sso.connect(tenant);
  await idp.deny();
  const { test: denied } = await sso.test(tenant);
  assert.equal(denied["passed"], false);
  assert.match(String(denied["message"]), /not assigned/);
  assert.match(sentenceOf(await turn(tenant, { enabled: true }), 400), /test the connection/);
  const { test: good } = await sso.test(tenant);
  assert.deepEqual([good["passed"], good["email"]], [true, "tester@tests.example"]);
  const people = await house.world.db.query(sql`
    select id from users where organization_id = ${tenant.organization_id}`);
  assert.equal(people.length, 1);
  const [event] = await eventsOf(house, tenant);
  assert.equal(event?.action, "single_sign_on.tested");
});
