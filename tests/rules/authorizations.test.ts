// Rules AUT1 to AUT11, over HTTP and with a set clock.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type Answer, type House, type Tenant } from "../house.ts";
import { tenantsOf } from "../routes/callers.ts";
import { workerIn } from "../routes/worker.ts";
import { codeRequest, codeIn, personOf, programOf, refused } from "./authorizations-house.ts";
import { askAt, eventsOf, minutes, nearly, seconds, sentenceOf } from "./support.ts";

let house: House;
let clock: ManualClock;
let platform: Tenant;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const program = programOf(() => house);
const owner = () => personOf(() => house, platform);

const granted = ({ status, body }: Answer) => {
  assert.equal(status, 200, JSON.stringify(body));
  return body as { access_token: string; refresh_token: string; scope: string };
};

async function approvedDevice(more: object = {}) {
  const codes = await program.device(more);
  assert.equal((await owner().look(codes.user_code)).status, 200);
  assert.equal((await owner().approve(codes.user_code)).status, 200);
  return codes;
}

test("[AUT1] a device gets codes that live ten minutes, and no user code is a word", async () => {
  const codes = await program.device();
  assert.match(codes.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  assert.ok(codes.verification_uri_complete.endsWith(`/device#user_code=${codes.user_code}`));
  assert.deepEqual([codes.expires_in, codes.interval], [600, 5]);
  const rows = await house.world.db.query<{ count: number }>({
    text: "select count(*) as count from authorizations where encode(device_sha256, 'escape') = $1",
    values: [codes.device_code],
  });
  assert.equal(Number(rows[0]?.count), 0, "the device code is not kept");
  clock.advance(minutes(10) - 1);
  assert.equal((await owner().look(codes.user_code)).status, 200);
  refused(await program.poll(codes.device_code), "authorization_pending");
  clock.advance(1);
  assert.equal((await owner().look(codes.user_code)).status, 400);
  refused(await program.poll(codes.device_code), "expired_token");
});

test("[AUT1] an unknown client or scope is refused in the words of OAuth", async () => {
  const ask = (body: object) => program.post("/v1/oauth/device_authorization", body);
  refused(await ask({ client_id: "somebody" }), "invalid_client");
  refused(await ask({ client_id: "plinth-cli", scope: "org:everything" }), "invalid_scope");
});

test("[AUT2] who asks too soon is told to slow down, and waits longer from then on", async () => {
  const { device_code, user_code } = await program.device();
  refused(await program.poll(device_code), "authorization_pending");
  clock.advance(seconds(5) - 1);
  refused(await program.poll(device_code), "slow_down");
  clock.advance(seconds(5));
  refused(await program.poll(device_code), "slow_down");
  clock.advance(seconds(15));
  refused(await program.poll(device_code), "authorization_pending");
  refused(await program.poll(nearly(device_code)), "invalid_grant");
  await owner().look(user_code);
  assert.equal((await owner().deny(user_code)).status, 200);
  refused(await program.poll(device_code), "access_denied");
});

test("[AUT3] of eight polls at the same time, on two processes, one gets tokens", async () => {
  await using neighbour = await house.openSecondServer();
  const { device_code } = await approvedDevice();
  const body = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code,
    client_id: "plinth-cli",
  };
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, place) =>
      askAt([house.url, neighbour.url][place % 2] ?? "", "POST", "/v1/oauth/token", { body }),
    ),
  );
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [200, ...Array<number>(7).fill(400)]);
  for (const answer of answers.filter(({ status }) => status === 400))
    refused(answer, "invalid_grant");
});

test("[AUT4] the page tells who asks for what; the sign-in that looked decides, once", async () => {
  const { user_code, device_code } = await program.device();
  const { body } = await owner().look(user_code.toLowerCase().replace("-", " "));
  assert.equal(body.client, "The plinth command line");
  assert.deepEqual(
    body.scopes.map(({ scope }: { scope: string }) => scope),
    ["org:admin", "workspace:developer"],
  );
  assert.equal(body.organization, "platform of the house");
  assert.equal(body.address, "127.0.0.1");
  // Another browser of the same person has not looked.
  const elsewhere = personOf(() => house, { cookie: await house.signIn(platform) });
  assert.equal((await elsewhere.approve(user_code)).status, 400);
  refused(await program.poll(device_code), "authorization_pending");
  assert.equal((await owner().approve(user_code)).status, 200);
  assert.equal((await owner().deny(user_code)).status, 400);
  clock.advance(seconds(5));
  granted(await program.poll(device_code));
});

test("[AUT5] guessing user codes is stopped for the person", async () => {
  const { other } = house.organizations;
  const guesser = personOf(() => house, other);
  const { user_code } = await program.device();
  for (let tries = 0; tries < 10; tries++)
    assert.equal((await guesser.look("BBBB-BBBB")).status, 400);
  const answer = await guesser.look(user_code);
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);
  assert.equal((await owner().look(user_code)).status, 200);
  clock.advance(minutes(15));
  assert.equal((await guesser.look("BBBB-BBBB")).status, 400);
});

test("[AUT6] a code goes to a loopback address alone, with S256", async () => {
  const wrong: [object, number][] = [
    [{ redirect_uri: "http://127.0.0.1.example/callback" }, 403],
    [{ redirect_uri: "https://127.0.0.1:1/callback" }, 403],
    [{ redirect_uri: "http://127.0.0.1:1/other" }, 403],
    [{ redirect_uri: "http://127.0.0.1:1/callback?x=1" }, 403],
    [{ redirect_uri: "http://user@127.0.0.1:1/callback" }, 403],
    [{ redirect_uri: "http://127.0.0.1:99999/callback" }, 403],
    [{ code_challenge_method: "plain" }, 400],
    [{ code_challenge: "short" }, 400],
    [{ response_type: "token" }, 400],
  ];
  for (const [more, status] of wrong)
    for (const act of ["", "/approve", "/deny"] as const) {
      const answer = await owner().authorize(act, codeRequest(more).ask);
      assert.equal(answer.status, status, `${JSON.stringify(more)} ${act}`);
    }
  for (const host of ["[::1]:8080", "localhost:1"]) {
    const { ask } = codeRequest({ redirect_uri: `http://${host}/callback` });
    assert.equal((await owner().authorize("", ask)).status, 200, host);
  }
});

test("[AUT6] a code works once, for the one who began; a second use ends what it granted", async () => {
  const { ask, redemption } = codeRequest();
  const answer = await owner().authorize("/approve", ask);
  const url = new URL(answer.body.redirect_to);
  assert.equal(url.searchParams.get("state"), "st");
  assert.equal(url.origin + url.pathname, "http://127.0.0.1:49152/callback");
  const code = codeIn(answer);
  const wrong = [
    { code_verifier: codeRequest().redemption("").code_verifier },
    { redirect_uri: "http://127.0.0.1:49153/callback" },
    { client_id: "another" },
    { code: `${code}x` },
  ];
  for (const more of wrong)
    refused(await program.token({ ...redemption(code), ...more }), "invalid_grant");
  const tokens = granted(await program.token(redemption(code)));
  assert.equal((await program.userinfo(tokens.access_token)).status, 200);
  refused(await program.token(redemption(code)), "invalid_grant");
  assert.equal((await program.userinfo(tokens.access_token)).status, 401);
  refused(await program.refresh(tokens.refresh_token), "invalid_grant");
});

test("[AUT6] a code lives one minute", async () => {
  const [early, late] = [codeRequest(), codeRequest()];
  const codes = [
    codeIn(await owner().authorize("/approve", early.ask)),
    codeIn(await owner().authorize("/approve", late.ask)),
  ] as const;
  clock.advance(minutes(1) - 1);
  granted(await program.token(early.redemption(codes[0])));
  clock.advance(1);
  refused(await program.token(late.redemption(codes[1])), "invalid_grant");
});

test("[AUT6] a refusal goes back with the state and no code", async () => {
  const { body } = await owner().authorize("/deny", codeRequest().ask);
  const { searchParams } = new URL(body.redirect_to);
  assert.deepEqual(Object.fromEntries(searchParams), {
    error: "access_denied",
    iss: house.url,
    state: "st",
  });
});

test("[AUT7] nobody grants what their role has not", async () => {
  const { other } = house.organizations;
  const ids = [other.organization_id];
  const setRole = (role: string) =>
    house.world.db.tx((tx) =>
      tx.query({
        text: `update users set role = '${role}' where organization_id = $1`,
        values: ids,
      }),
    );
  await setRole("developer");
  const cookie = await house.signIn(other);
  const developer = personOf(() => house, { cookie });
  const { ask, redemption } = codeRequest({ scope: "org:admin workspace:developer" });
  const { body } = await developer.authorize("", ask);
  assert.deepEqual(body.refused, ["org:admin"]);
  const tokens = granted(
    await program.token(redemption(codeIn(await developer.authorize("/approve", ask)))),
  );
  assert.equal(tokens.scope, "workspace:developer");
  const nothing = codeRequest({ scope: "org:admin" }).ask;
  assert.match(
    sentenceOf(await developer.authorize("/approve", nothing), 403),
    /^scope: your role gives nothing of org:admin; ask an administrator or owner of the organization/,
  );
  await setRole("primary_owner");
});

for (const role of ["membership_admin", "managed"])
  test(`[AUT7] a ${role} is no administrator: no org:admin, by device or by code`, async () => {
    const { enterprise } = house.organizations;
    const set = (text: string) =>
      house.world.db.tx((tx) => tx.query({ text, values: [enterprise.organization_id] }));
    await set(`update users set role = '${role}' where organization_id = $1`);
    const person = personOf(() => house, { cookie: await house.signIn(enterprise) });
    const { ask } = codeRequest({ scope: "org:admin" });
    assert.deepEqual((await person.authorize("", ask)).body.refused, ["org:admin"]);
    assert.equal((await person.authorize("/approve", ask)).status, 403);
    const codes = await program.device({ scope: "org:admin" });
    assert.deepEqual((await person.look(codes.user_code)).body.refused, ["org:admin"]);
    assert.equal((await person.approve(codes.user_code)).status, 403);
    refused(await program.poll(codes.device_code), "authorization_pending");
    await set("update users set role = 'primary_owner' where organization_id = $1");
  });

test("[AUT8] access may be to one workspace; another organization's is absent", async () => {
  const { body: me } = await house.ask("GET", "/console/api/me", { cookie: platform.cookie });
  const { body: theirs } = await house.ask("GET", "/console/api/me", {
    cookie: house.organizations.enterprise.cookie,
  });
  const own = codeRequest({ scope: "workspace:developer", workspace_id: me.workspaces[0].id });
  const answer = await owner().authorize("", own.ask);
  assert.equal(answer.body.workspace, me.workspaces[0].name);
  const code = codeIn(await owner().authorize("/approve", own.ask));
  const { access_token } = granted(await program.token(own.redemption(code)));
  assert.equal((await program.userinfo(access_token)).body.workspace_id, me.workspaces[0].id);
  const foreign = codeRequest({ workspace_id: theirs.workspaces[0].id });
  assert.equal((await owner().authorize("", foreign.ask)).status, 404);
  assert.equal((await owner().authorize("/approve", foreign.ask)).status, 404);
});

test("[AUT9] revoke ends the whole family, and says nothing of what it was given", async () => {
  for (const which of ["access_token", "refresh_token"] as const) {
    const { device_code } = await approvedDevice();
    const first = granted(await program.poll(device_code));
    const second = granted(await program.refresh(first.refresh_token));
    assert.equal((await program.revoke(second[which])).status, 200);
    for (const { access_token } of [first, second])
      assert.equal((await program.userinfo(access_token)).status, 401);
    refused(await program.refresh(second.refresh_token), "invalid_grant");
  }
  assert.equal((await program.revoke("sk-plinth-ort-nothing")).status, 200);
});

test("[AUT10] userinfo says whose the token is", async () => {
  const { device_code } = await approvedDevice();
  const { access_token } = granted(await program.poll(device_code));
  const { body } = await program.userinfo(access_token);
  assert.equal(body.email, platform.owner_email);
  assert.equal(body.organization.id, platform.organization_id);
  assert.equal(body.scope, "org:admin workspace:developer");
  const admin = await house.ask("GET", "/v1/oauth/userinfo", { key: platform.admin_api_key });
  assert.equal(admin.status, 403);
});

test("[AUT24] any key or token of a program is told what it is and may", async () => {
  const { enterprise, cloud } = house.organizations;
  const told = async (key: string) => {
    const { status, body } = await house.ask("GET", "/v1/credential", { key });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const api = await told(platform.api_key);
  assert.deepEqual([api.kind, api.organization.type, api.user], ["api_key", "platform", null]);
  assert.equal(api.workspace.name, "Default");
  assert.ok(api.permissions.includes("messages:use") && !api.permissions.includes("keys:read"));
  const admin = await told(cloud.admin_api_key);
  assert.deepEqual([admin.kind, admin.workspace], ["admin_key", null]);
  assert.equal(admin.organization.type, "platform_cloud");
  const { scopes } = await told(enterprise.admin_api_key);
  assert.ok(scopes.includes("read:members"), String(scopes));
  const { access_token } = granted(await program.poll((await approvedDevice()).device_code));
  const token = await told(access_token);
  assert.deepEqual(token.scopes, ["org:admin", "workspace:developer"]);
  assert.deepEqual([token.kind, token.user.email], ["oauth_token", platform.owner_email]);
  const worker = await workerIn(tenantsOf(house)[0] ?? assert.fail("no tenant"));
  const ofEnvironment = await told(worker.secret);
  assert.deepEqual(ofEnvironment.kind, "environment_key");
  assert.match(ofEnvironment.environment_id, /^env_/);
  const { status } = await house.ask("GET", "/v1/credential", { cookie: platform.cookie });
  assert.equal(status, 403);
});

test("[AUT11] granting and refusing leave an event each", async () => {
  const { user_code } = await approvedDevice();
  const [event] = await eventsOf(house, platform, 1);
  assert.equal(event?.action, "authorization.granted");
  assert.ok(!JSON.stringify(event).includes(user_code.replace("-", "")));
  const next = await program.device();
  await owner().look(next.user_code);
  await owner().deny(next.user_code);
  assert.equal((await eventsOf(house, platform, 1))[0]?.action, "authorization.denied");
});

test("[AUT12] people see and end the programs that act in their name, and nobody else's", async () => {
  const { ask, redemption } = codeRequest({ scope: "workspace:inference" });
  const code = codeIn(await owner().authorize("/approve", ask));
  const { access_token } = granted(await program.token(redemption(code)));
  const path = "/console/api/program_sign_ins";
  const list = async ({ cookie }: Tenant) =>
    (await house.ask("GET", path, { cookie })).body.data as { id: string; client: string }[];
  const [newest] = await list(platform);
  assert.equal(newest?.client, "The plinth command line");
  const { other } = house.organizations;
  assert.ok(!(await list(other)).some(({ id }) => id === newest.id));
  const end = ({ cookie }: Tenant) => house.ask("DELETE", `${path}/${newest.id}`, { cookie });
  assert.equal((await end(other)).status, 404);
  assert.equal((await program.userinfo(access_token)).status, 200);
  assert.equal((await end(platform)).status, 200);
  assert.equal((await program.userinfo(access_token)).status, 401);
  assert.ok(!(await list(platform)).some(({ id }) => id === newest.id));
  assert.equal((await end(platform)).status, 404);
});
