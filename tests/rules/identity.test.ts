// Rules IDN1 to IDN12 but IDN10, over HTTP.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret, newSecret } from "../../kernel/secret/token.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { makePasswords } from "../../kernel/secret/passwords.ts";
import { expectSameOriginRequest } from "../../server/identity/access/authentication.ts";
import { usersWithPassword } from "../../server/identity/sign_in/password-owner.ts";
import { initialize } from "../../server/organization-setup.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  askAt,
  cookieFrom,
  eventsOf,
  expectDeathWithinASecond,
  makeKey,
  me,
  sentenceOf,
  tokenOf,
} from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const console = "/console/api";
const password = "correct horse battery staple";
const signIn = (body: Record<string, unknown>) => house.ask("POST", `${console}/sign_in`, { body });
const setUp = (body: Record<string, unknown>) => house.ask("POST", `${console}/setup`, { body });

/** An owner of a new organization, whom a test may lock out or rename. */
async function somebody(name: string, email = `${name}@identity.example`): Promise<Tenant> {
  const organization = `Organization of ${name}`;
  const made = await initialize(house.world, { organization, type: "platform", email });
  const cookie = cookieFrom(await setUp({ token: tokenOf(made.setup_url), password }));
  return { ...made, owner_password: password, cookie };
}

test("[IDN1] both headers carry each kind, and the secret says which it is", async () => {
  const kinds = [
    ["api_key", 403],
    ["admin_api_key", 200],
    ["oauth_access_token", 200],
  ] as const;
  for (const [name, status] of kinds) {
    const secret = platform[name];
    for (const headers of [
      { "x-api-key": secret },
      { authorization: `Bearer ${secret}` },
      { authorization: `bearer  ${secret}` },
    ] as Record<string, string>[]) {
      const answer = await house.ask("GET", me, { headers });
      assert.equal(answer.status, status, `${name} in ${Object.keys(headers)[0]}`);
    }
  }
});

test("[IDN2] without a credential, or with a strange one, 401 with a sentence", async () => {
  const strange = newSecret("sk-plinth-admin-", systemRandom);
  const refused = async (headers: Record<string, string>) =>
    sentenceOf(await house.ask("GET", me, { headers }), 401);
  assert.match(await refused({}), /no credential/);
  assert.match(await refused({ "x-api-key": strange }), /not known to this server/);
  assert.match(await refused({ "x-api-key": `${strange}x` }), /damaged/);
  assert.match(await refused({ "x-api-key": "sk-of-somebody-else" }), /not known/);
  assert.match(await refused({ authorization: "Basic YTpi" }), /Bearer/);
  assert.match(await refused({ cookie: "__Host-plinth=nothing" }), /sign-in has ended/i);
});

test("[IDN2] what a credential may not do is 403, naming what may", async () => {
  const refused = async (path: string, key: string) =>
    sentenceOf(await house.ask("GET", path, { key }), 403);
  assert.match(await refused(me, platform.api_key), /admin key/);
  assert.match(await refused(`${console}/me`, platform.admin_api_key), /signed in as a person\.$/);
  assert.match(await refused(`${console}/audit`, platform.oauth_access_token), /console/);
});

test("[IDN3] a set-up link works once", async () => {
  const made = await initialize(house.world, {
    organization: "Works once",
    type: "platform",
    email: "once@identity.example",
  });
  assert.match(made.setup_url, /\/setup#token=sk-plinth-set-\w+$/);
  const token = tokenOf(made.setup_url);
  const peek = () => house.ask("POST", `${console}/setup_link`, { body: { token } });
  assert.deepEqual((await peek()).body, {
    organization_name: "Works once",
    email: "once@identity.example",
  });
  const first = await setUp({ token, password, name: "Once" });
  assert.equal(first.status, 200);
  assert.equal(first.body.user.name, "Once");
  assert.equal((await house.ask("GET", me, { cookie: cookieFrom(first) })).status, 200);
  assert.equal((await signIn({ email: "once@identity.example", password })).status, 200);
  assert.match(sentenceOf(await setUp({ token, password }), 401), /plinth setup-link/);
  assert.match(sentenceOf(await peek(), 401), /used or has expired/);
  const kept = await allText(house.world.db);
  for (const trace of [token, hashSecret(token).toString("hex")]) assert.ok(!kept.includes(trace));
});

test("[IDN3] of ten who use a link at once, one wins", async () => {
  const made = await initialize(house.world, {
    organization: "Ten at once",
    type: "platform",
    email: "ten@identity.example",
  });
  const token = tokenOf(made.setup_url);
  const tries = Array.from({ length: 10 }, (_, index) =>
    setUp({ token, password: password + index }),
  );
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.deepEqual(
    statuses.sort((a, b) => a - b),
    [200, ...Array.from({ length: 9 }, () => 401)],
  );
});

test("[IDN3] a link does not open another organization", async () => {
  const made = await somebody("mallory");
  const wrong = newSecret("sk-plinth-set-", systemRandom);
  assert.equal((await setUp({ token: wrong, password })).status, 401);
  assert.equal((await setUp({ token: made.api_key, password })).status, 401);
});

test("[IDN4] a password has 12 to 256 characters", async () => {
  const { cookie } = await somebody("length");
  let current_password = password;
  const change = async (new_password: string) => {
    const body = { current_password, new_password };
    const answer = await house.ask("POST", `${console}/password`, { cookie, body });
    if (answer.status === 204) current_password = new_password;
    return answer;
  };
  for (const wrong of ["p".repeat(11), "p".repeat(257), "🔑".repeat(11)])
    assert.match(sentenceOf(await change(wrong), 400), /^new_password/);
  for (const right of ["p".repeat(12), "p".repeat(256), "🔑".repeat(12), "🔑".repeat(256)])
    assert.equal((await change(right)).status, 204, right);
  const token = "sk-plinth-set-none";
  assert.match(sentenceOf(await setUp({ token, password: "p".repeat(11) }), 400), /^password/);
  assert.equal((await setUp({ token, password: "p".repeat(12) })).status, 401);
});

test("[IDN4] blanks are no password, and a new one is another one", async () => {
  const { cookie } = await somebody("blanks");
  const change = (new_password: string) =>
    house.ask("POST", `${console}/password`, {
      cookie,
      body: { current_password: password, new_password },
    });
  assert.match(sentenceOf(await change(" ".repeat(12)), 400), /^new_password: is nothing but/);
  assert.match(sentenceOf(await change(password), 400), /^new_password: is the present one/);
  assert.equal((await change("another good password")).status, 204);
  const token = "sk-plinth-set-none";
  assert.match(sentenceOf(await setUp({ token, password: "\t".repeat(12) }), 400), /^password/);
});

test("[IDN4] as many argon2 for a stranger as for somebody in several organizations", async () => {
  const { hash: hashOf, verify } = makePasswords({ memoryKiB: 64, passes: 1 });
  const hash = await hashOf(password, systemRandom);
  const runs = async (count: number) => {
    const ran: boolean[] = [];
    const users = Array.from({ length: count }, (_, id) => ({ id, password_hash: hash }));
    const fitting = await usersWithPassword(users, password, 3, async (stored, given) => {
      const verdict = await verify(stored, given);
      ran.push(verdict.ok);
      return verdict;
    });
    return [ran, fitting?.map(({ id }) => id)];
  };
  assert.deepEqual(await runs(0), [[false, false, false], undefined]);
  assert.deepEqual(await runs(1), [[true, false, false], [0]]);
  assert.deepEqual(await runs(3), [
    [true, true, true],
    [0, 1, 2],
  ]);
  assert.deepEqual(await runs(4), [
    [true, true, true],
    [0, 1, 2],
  ]);
});

test("[IDN4] a wrong password and an unknown e-mail get the same answer", async () => {
  const known = await signIn({ email: platform.owner_email, password: "certainly wrong" });
  const unknown = await signIn({ email: "nobody@identity.example", password: "certainly wrong" });
  assert.equal(sentenceOf(known, 401), sentenceOf(unknown, 401));
  const bare = ({ body, headers }: typeof known) => [
    { ...body, request_id: "" },
    [...headers.keys()],
  ];
  assert.deepEqual(bare(known), bare(unknown));
});

test("[IDN7] a changing request with the cookie comes from this server's own pages", async () => {
  const { cookie } = platform;
  const body = { name: "From a page", kind: "api" };
  const from = (origin: string | undefined) =>
    house.ask("POST", `${console}/keys`, {
      body,
      headers: { cookie, ...(origin !== undefined && { origin }) },
    });
  const host = new URL(house.url);
  for (const origin of [
    undefined,
    house.url.replace("http:", "https:"),
    "https://evil.example",
    "null",
    `http://${host.hostname}`,
    `http://${host.hostname}:1`,
    `${house.url}.evil.example`,
    "",
  ])
    assert.match(sentenceOf(await from(origin), 403), /own pages/, String(origin));
  assert.equal((await from(house.url)).status, 200);
  // Reading needs none, and neither does a key.
  assert.equal((await house.ask("GET", `${console}/me`, { headers: { cookie } })).status, 200);
  const { id } = await makeKey(house, platform);
  const withKey = await house.ask("POST", `/v1/organizations/api_keys/${id}`, {
    key: platform.admin_api_key,
    body: { name: "By a program" },
    headers: { origin: "https://evil.example" },
  });
  assert.equal(withKey.status, 200);
});

test("[IDN7] behind proxies the scheme that they saw counts, and without word of it the host alone", () => {
  const from = (origin: string, host: string, proxies = 0, proto?: string) => {
    const headers = { origin, host, ...(proto !== undefined && { "x-forwarded-proto": proto }) };
    const server = { ...house.world.server, proxies };
    const own = { publicUrl: "http://127.0.0.1:8787", server };
    try {
      expectSameOriginRequest({ method: "POST", headers }, own);
      return true;
    } catch {
      return false;
    }
  };
  const host = "plinth.example";
  assert.equal(from("http://127.0.0.1:8787", "127.0.0.1:8787"), true);
  assert.equal(from("https://127.0.0.1:8787", "127.0.0.1:8787"), false);
  assert.equal(from(`https://${host}`, host), true, "a proxy that speaks TLS, and nobody told us");
  assert.equal(from(`https://${host}`, host, 0, "http"), true, "what anybody may have written");
  assert.equal(from(`https://${host}`, host, 1, "https"), true);
  assert.equal(from(`http://${host}`, host, 1, "https"), false);
  assert.equal(from(`https://${host}`, host, 1, "https, http"), false);
  assert.equal(from(`https://${host}`, host, 2, "https, http"), true);
  assert.equal(from("https://evil.example", host, 1, "https"), false);
});

test("[IDN7] another site can sign nobody in or up here", async () => {
  const headers = { origin: "https://evil.example" };
  const { owner_email: email, owner_password } = platform;
  const ways: [string, unknown][] = [
    ["sign_in", { email, password: owner_password }],
    ["setup", { token: tokenOf(platform.setup_url), password }],
  ];
  for (const [path, body] of ways)
    assert.equal((await house.ask("POST", `${console}/${path}`, { body, headers })).status, 403);
});

test("[IDN8] sign-out ends the sign-in on every process within a second, and only that one", async () => {
  await using neighbour = await house.openSecondServer();
  const [cookie, kept] = [await house.signIn(platform), await house.signIn(platform)];
  const path = `${console}/me`;
  assert.equal((await askAt(neighbour.url, "GET", path, { cookie })).status, 200);
  const answer = await house.ask("POST", `${console}/sign_out`, { cookie });
  assert.equal(answer.status, 204);
  assert.match(answer.headers.getSetCookie()[0] ?? "", /^__Host-plinth=; .*Max-Age=0/);
  const since = performance.now();
  assert.equal((await house.ask("GET", path, { cookie })).status, 401);
  await expectDeathWithinASecond(neighbour.url, path, { cookie }, since);
  assert.equal((await house.ask("GET", path, { cookie: kept })).status, 200);
});

test("[IDN8] sign-out everywhere ends all of the person's, and nobody else's", async () => {
  await using neighbour = await house.openSecondServer();
  const { cookie, ...person } = await somebody("everywhere");
  const second = await house.signIn(person);
  const path = `${console}/me`;
  for (const each of [cookie, second])
    assert.equal((await askAt(neighbour.url, "GET", path, { cookie: each })).status, 200);
  const answer = await house.ask("POST", `${console}/sign_out_everywhere`, { cookie });
  assert.deepEqual(answer.body, { signed_out: 2 });
  const since = performance.now();
  for (const each of [cookie, second]) {
    assert.equal((await house.ask("GET", path, { cookie: each })).status, 401);
    await expectDeathWithinASecond(neighbour.url, path, { cookie: each }, since);
  }
  assert.equal((await house.ask("GET", path, { cookie: platform.cookie })).status, 200);
});

test("[IDN9] changing the password asks for the old one and ends every other sign-in", async () => {
  const { cookie, owner_email: email } = await somebody("changes");
  const elsewhere = await house.signIn({ owner_email: email, owner_password: password });
  const change = (current_password: string) =>
    house.ask("POST", `${console}/password`, {
      cookie,
      body: { current_password, new_password: "another good password" },
    });
  assert.match(sentenceOf(await change("not the old one"), 400), /^current_password/);
  assert.equal((await house.ask("GET", me, { cookie: elsewhere })).status, 200);
  assert.equal((await change(password)).status, 204);
  assert.equal((await house.ask("GET", me, { cookie: elsewhere })).status, 401);
  assert.equal((await house.ask("GET", me, { cookie })).status, 200);
  assert.equal((await signIn({ email, password })).status, 401);
  assert.equal((await signIn({ email, password: "another good password" })).status, 200);
});

test("[IDN11] a password that fits several organizations asks which one", async () => {
  const email = "Both@identity.example";
  const first = await somebody("first of two", email);
  const second = await somebody("second of two", email.toLowerCase());
  const asked = await signIn({ email: "BOTH@identity.example", password });
  assert.match(sentenceOf(asked, 409), /^organization_id/);
  assert.equal(asked.headers.get("x-should-retry"), "false");
  assert.deepEqual(asked.headers.getSetCookie(), []);
  const choices = asked.body.error.details.organizations as { id: string; name: string }[];
  assert.deepEqual(
    choices.map(({ id }) => id).sort(),
    [first.organization_id, second.organization_id].sort(),
  );
  for (const { organization_id } of [first, second]) {
    const answer = await signIn({ email, password, organization_id });
    assert.equal(answer.body.organization.id, organization_id);
  }
  // Which other organizations there are is nobody's business.
  const elsewhere = await signIn({ email, password, organization_id: other.organization_id });
  const wrong = await signIn({ email, password: "certainly wrong" });
  assert.equal(sentenceOf(elsewhere, 401), sentenceOf(wrong, 401));
  // As soon as the passwords differ there is no choice to make.
  await house.ask("POST", `${console}/password`, {
    cookie: second.cookie,
    body: { current_password: password, new_password: "a password of its own" },
  });
  const answer = await signIn({ email, password: "a password of its own" });
  assert.equal(answer.body.organization.id, second.organization_id);
});

test("[IDN12] a sign-in of another person is absent", async () => {
  const { cookie, ...person } = await somebody("twelve");
  await house.signIn(person);
  const idsOf = async (as: string) => {
    const { body } = await house.ask("GET", `${console}/sign_ins`, { cookie: as });
    return (body.data as { id: string; current: boolean }[]).filter(({ current }) => !current);
  };
  await house.signIn(platform);
  const [theirs] = await idsOf(platform.cookie);
  const [mine] = await idsOf(cookie);
  assert.ok(theirs && mine);
  const end = (id: string) => house.ask("DELETE", `${console}/sign_ins/${id}`, { cookie });
  const sentence = sentenceOf(await end(theirs.id), 404).replace(theirs.id, "…");
  assert.equal(sentence, sentenceOf(await end("signin_none"), 404).replace("signin_none", "…"));
  assert.ok(
    (await idsOf(platform.cookie)).some(({ id }) => id === theirs.id),
    "it was ended",
  );
  assert.ok(!(await idsOf(cookie)).some(({ id }) => id === theirs.id));
  assert.deepEqual((await end(mine.id)).body, { id: mine.id, type: "sign_in_deleted" });
  assert.equal((await end(mine.id)).status, 404);
  assert.ok((await eventsOf(house, enterprise)).length > 0);
});

test("[IDN1] a key is no sign-in, nor a sign-in a key, also where both are remembered", async () => {
  const { platform } = house.organizations;
  const key = platform.admin_api_key;
  const token = platform.cookie.slice(platform.cookie.indexOf("=") + 1);
  for (let round = 0; round < 2; round++) {
    assert.equal((await house.ask("GET", me, { key })).status, 200);
    assert.equal((await house.ask("GET", me, { cookie: platform.cookie })).status, 200);
    assert.equal((await house.ask("GET", me, { cookie: `__Host-plinth=${key}` })).status, 401);
    assert.equal((await house.ask("GET", me, { key: token })).status, 401);
  }
});
