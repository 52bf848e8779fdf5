// Rules FED17 to FED20, FED22 and FED23, and FED12 at work: exchanges.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import * as audit from "../../server/audit/module.ts";
import { pollDue } from "../../server/federation/module.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import {
  createResource,
  openFederationSetup,
  localNetwork,
  sign,
  slug,
  type Claims,
  type FederationSetup,
} from "./federation-house.ts";
import { askAt, eventsOf, minutes, seconds } from "./support.ts";
import { jwtBearer } from "./federation-house.ts";
import { message, refusalOf } from "./tokens-house.ts";

let house: House;
let platform: Tenant;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock, sections: localNetwork });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());
beforeEach(() => clock.advance(minutes(2)));

const ask = (method: string, path: string, body?: unknown) =>
  house.ask(method, path, { cookie: platform.cookie, body });
const ok = async (answer: Promise<Answer>) => {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  return body as { access_token: string; expires_in: number; scope: string };
};
const refused = async (answer: Promise<Answer>) => refusalOf(await answer, 401, "invalid_grant");
const workspaceIn = () => createResource(house, platform, "workspaces", { name: slug("Apart") });
const join = (setting: FederationSetup, workspace_id: string) =>
  createResource(house, platform, `service_accounts/${setting.account.id}/workspaces`, {
    workspace_id,
    workspace_role: "workspace_developer",
  });
const rulePath = ({ rule }: FederationSetup) => `/v1/organizations/federation_rules/${rule.id}`;

test("[FED17] a jti is good once, of eight at once on two processes too", async () => {
  await using neighbour = await house.openSecondServer();
  const setting = await openFederationSetup(house, platform);
  const assertion = await sign(setting.key, setting.claims());
  const body = {
    grant_type: jwtBearer,
    assertion,
    federation_rule_id: setting.rule.id,
    organization_id: platform.organization_id,
  };
  const urls = Array.from({ length: 8 }, (_, i) => (i % 2 ? house.url : neighbour.url));
  const answers = await Promise.all(
    urls.map((url) => askAt(url, "POST", "/v1/oauth/token", { body })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 401, 401, 401, 401, 401, 401, 401],
  );
  assert.match(await refused(setting.exchange(assertion)), /exchanged before/);
});

test("[FED17] it is kept for as long as the token is valid, and per issuer", async () => {
  const setting = await openFederationSetup(house, platform);
  const more = { jti: "the same" };
  await ok(setting.present(more));
  assert.match(await refused(setting.present({ ...more, sub: "workload:two" })), /before/);
  const other = await openFederationSetup(house, platform);
  await ok(other.present(more));
  clock.advance(seconds(600 + 59));
  await pollDue(house.world);
  const count = async () =>
    (await house.world.db.query({ text: "select 1 as one from federation_jtis", values: [] }))
      .length;
  assert.ok((await count()) > 0);
});

test("[FED17] without check_jti, or without a jti, a token is good again", async () => {
  const lax = await openFederationSetup(house, platform, { issuer: { check_jti: false } });
  const assertion = await sign(lax.key, lax.claims());
  await ok(lax.exchange(assertion));
  await ok(lax.exchange(assertion));
  const strict = await openFederationSetup(house, platform);
  const nameless = await sign(strict.key, strict.claims({ jti: undefined }));
  await ok(strict.exchange(nameless));
  await ok(strict.exchange(nameless));
  for (const jti of [7, "", null, ["a"], "x".repeat(1001)])
    assert.match(await refused(strict.present({ jti })), /jti/);
});

test("[FED18] the workspace that is asked for, else the only one; several want to be asked for", async () => {
  const setting = await openFederationSetup(house, platform);
  const [one, two] = [await workspaceIn(), await workspaceIn()];
  const placeOf = async (more: object = {}) => {
    const { access_token: key } = await ok(setting.present({}, {}, more));
    const answer = await house.ask("POST", "/v1/messages", { key, body: message });
    return answer.headers.get("anthropic-workspace-id");
  };
  const { workspace_id: home } = platform;
  assert.equal(await placeOf(), home, "its only one");
  assert.equal(await placeOf({ workspace_id: "default" }), home);
  assert.equal(await placeOf({ workspace_id: home }), home);
  const named = (workspace_id: string) => setting.present({}, {}, { workspace_id });
  assert.match(await refused(named(one.id)), /not enabled/);
  assert.match(await refused(named("wrkspc_none")), /not enabled/);
  await ask("POST", `${rulePath(setting)}/workspaces`, { workspace_id: one.id });
  assert.match(await refused(named(one.id)), /no member/);
  await join(setting, one.id);
  assert.equal(await placeOf({ workspace_id: one.id }), one.id);
  const several = /^workspace_id: .*several workspaces; .*ANTHROPIC_WORKSPACE_ID/;
  assert.match(
    await refused(setting.present()),
    several,
    "also where the default one is among them",
  );
  assert.equal(await placeOf({ workspace_id: "default" }), home);
  await ask("POST", `${rulePath(setting)}/workspaces`, { workspace_id: two.id });
  await ask("DELETE", `${rulePath(setting)}/workspaces/${home}`);
  assert.match(await refused(setting.present()), several);
  await ask("POST", rulePath(setting), { applies_to_all_workspaces: true });
  assert.equal(await placeOf(), home, "of all the default one");
  assert.match(await refused(named("wrkspc_none")), /no such workspace/);
  await ask("POST", `/v1/organizations/workspaces/${one.id}/archive`);
  assert.match(await refused(named(one.id)), /archived/);
  assert.match(await refused(named(house.organizations.other.workspace_id)), /no such workspace/);
});

test("[FED18] scopes of the organization alone stand above workspaces", async () => {
  const setting = await openFederationSetup(house, platform, {
    account: { organization_role: "admin" },
    rule: { oauth_scope: "org:admin" },
  });
  const { access_token: key, scope } = await ok(setting.present());
  assert.equal(scope, "org:admin");
  const answer = await house.ask("GET", "/v1/organizations/service_accounts", { key });
  assert.deepEqual([answer.status, answer.headers.get("anthropic-workspace-id")], [200, null]);
  const named = setting.present({}, {}, { workspace_id: "default" });
  assert.match(await refused(named), /leave it out/);
});

test("[FED19] a token lives max(60, min(rule, 2 x what is left))", async () => {
  const setting = await openFederationSetup(house, platform, {
    rule: { token_lifetime_seconds: 900 },
  });
  const lifetime = async (left: number) => {
    const now = Math.floor(clock.now().getTime() / 1000);
    return (await ok(setting.present({ iat: now - 60, exp: now + left }))).expires_in;
  };
  assert.deepEqual(
    [await lifetime(3000), await lifetime(450), await lifetime(449), await lifetime(31)],
    [900, 900, 898, 62],
  );
  assert.deepEqual([await lifetime(30), await lifetime(29), await lifetime(-30)], [60, 60, 60]);
  const now = Math.floor(clock.now().getTime() / 1000);
  const { access_token: key } = await ok(setting.present({ iat: now, exp: now + 100 }));
  clock.advance(seconds(200) - 1);
  assert.equal((await house.ask("GET", "/v1/models", { key })).status, 200);
  clock.advance(1);
  assert.equal((await house.ask("GET", "/v1/models", { key })).status, 401);
});

test("[FED20] the account is the rule's, and an administrator for org:admin", async () => {
  const setting = await openFederationSetup(house, platform, {
    account: { organization_role: "admin" },
    rule: { oauth_scope: "org:admin workspace:inference" },
  });
  await ok(setting.present({}, {}, { service_account_id: setting.account.id }));
  const other = setting.present({}, {}, { service_account_id: "svac_other" });
  assert.match(await refused(other), /service_account_id/);
  const { access_token: key } = await ok(setting.present());
  const list = "/v1/organizations/service_accounts";
  assert.equal((await house.ask("GET", list, { key })).status, 200);
  await ask("POST", `${list}/${setting.account.id}`, { organization_role: "developer" });
  assert.match(await refused(setting.present()), /no administrator/);
  assert.equal((await house.ask("GET", list, { key })).status, 403, "tokens follow the role");
});

test("[AUD13] what a rule refuses stands in the audit log, with the check that refused it", async () => {
  const setting = await openFederationSetup(house, platform);
  await refused(setting.present({ aud: "https://elsewhere.example" }));
  await refused(setting.present({ aud: "https://elsewhere.example" }));
  await audit.accessRecorderOf(house.world).flush();
  const { cookie } = platform;
  const told = await house.ask("GET", "/console/api/audit?action=request.denied", { cookie });
  const { actor, target, details } = told.body.data[0];
  assert.deepEqual(
    [actor.id, target.id, details.error, details.count],
    [setting.account.id, "oauth.token", "aud", 2],
  );
  assert.ok(actor.name.endsWith(setting.rule.name), actor.name);
});

test("[FED8] each given condition must hold", async () => {
  const match = {
    subject_prefix: "repo:us/*",
    claims: { ref: "refs/heads/main" },
    condition: "claims.run_attempt == 1 && claims.actor in ['a', 'b']",
  };
  const setting = await openFederationSetup(house, platform, { rule: { match } });
  const good = { sub: "repo:us/app", ref: "refs/heads/main", run_attempt: 1, actor: "a" };
  await ok(setting.present(good));
  for (const more of [
    { sub: "repo:usurper/app" },
    { sub: ["repo:us/app"] },
    { sub: undefined },
    { ref: "refs/heads/mainly" },
    { ref: ["refs/heads/main"] },
    { ref: undefined },
    { run_attempt: 2 },
    { run_attempt: "1" },
    { run_attempt: undefined },
    { actor: "c" },
  ] as Claims[])
    assert.match(
      await refused(setting.present({ ...good, ...more })),
      /does not match/,
      JSON.stringify(more),
    );
  const whole = await openFederationSetup(house, platform, {
    rule: { match: { subject_prefix: "one" } },
  });
  await ok(whole.present({ sub: "one" }));
  assert.match(await refused(whole.present({ sub: "ones" })), /does not match/);
  const inherited = await openFederationSetup(house, platform, {
    rule: { match: { claims: { constructor: "x" } } },
  });
  assert.match(await refused(inherited.present()), /does not match/);
});

test("[FED12] an archived rule exchanges nothing; what it gave lives on", async () => {
  const setting = await openFederationSetup(house, platform);
  const { access_token: key } = await ok(setting.present());
  const archived = await ask("POST", `${rulePath(setting)}/archive`);
  assert.deepEqual(archived.body.workspace_ids, []);
  assert.match(await refused(setting.present()), /archived/);
  assert.equal((await house.ask("GET", "/v1/models", { key })).status, 200);
  assert.deepEqual((await ask("POST", `${rulePath(setting)}/archive`)).body, archived.body);
  assert.equal((await ask("POST", rulePath(setting), { description: "x" })).status, 400);
});

test("[FED13] a rule of another organization is as unknown as one that never was", async () => {
  const setting = await openFederationSetup(house, platform);
  const { organization_id } = house.organizations.other;
  const theirs = await refused(setting.present({}, {}, { organization_id }));
  const never = await refused(setting.present({}, {}, { federation_rule_id: "fdrl_none" }));
  assert.equal(theirs, never);
});

test("[FED22] the test box shows every check, makes no token and uses up nothing", async () => {
  const setting = await openFederationSetup(house, platform);
  const path = `/console/api/federation_rules/${setting.rule.id}/test`;
  const assertion = await sign(setting.key, setting.claims());
  const counts = async () => {
    const { rows } = await house.world.db
      .query<{ rows: number[] }>({
        text: `select array[(select count(*) from access_tokens), (select count(*) from federation_jtis),
                 (select count(*) from token_refusals)]::int[] as rows`,
        values: [],
      })
      .then(([row]) => row ?? { rows: [] });
    return rows;
  };
  const before = await counts();
  const good = await ask("POST", path, { assertion });
  assert.deepEqual([good.body.passed, good.body.expires_in], [true, 1200]);
  const states = (answer: Answer) =>
    Object.fromEntries(
      (answer.body.checks as { name: string; state: string }[]).map(({ name, state }) => [
        name,
        state,
      ]),
    );
  assert.deepEqual(new Set(Object.values(states(good))), new Set(["passed"]));
  const claims = setting.claims({ sub: "other", aud: "https://other.example", exp: 1 });
  const bad = await ask("POST", path, { assertion: await sign(setting.key, claims) });
  assert.equal(bad.body.passed, false);
  const { time, aud, sub, signature, workspace } = states(bad);
  assert.deepEqual(
    [time, aud, sub, signature, workspace],
    ["failed", "failed", "failed", "passed", "passed"],
  );
  assert.match(JSON.stringify(bad.body.checks), /the rule expects \\"workload:\*\\"/);
  const none = await ask("POST", path, { assertion: "x" });
  assert.deepEqual([states(none)["form"], states(none)["signature"]], ["failed", "skipped"]);
  assert.deepEqual(await counts(), before);
  await ok(setting.exchange(assertion));
  assert.equal(states(await ask("POST", path, { assertion }))["jti"], "failed");
});

test("[FED23] an exchange stands in the audit log", async () => {
  const setting = await openFederationSetup(house, platform);
  await ok(setting.present());
  const [event] = await eventsOf(house, platform);
  assert.deepEqual(
    [event?.action, event?.actor.type, event?.actor.id, event?.target?.id],
    ["federation_rule.exchanged", "service_account", setting.account.id, setting.rule.id],
  );
});
