// Rules AUD1 to AUD4, over HTTP: what events say, who sees them, and what they never hold.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hashSecret } from "../../kernel/secret/token.ts";
import { makePasswords } from "../../kernel/secret/passwords.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant, eventsIn, newPassword } from "./audit-house.ts";
import { eventsOf, makeKey, sentenceOf, tokenOf, type Event } from "./support.ts";
import { allText } from "./text.ts";

let house: House;
let platform: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse({ passwords: makePasswords() });
  ({ platform, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const tenant = (name: string) => auditTenant(house, name);
const opensWith = async ({ owner_email: email }: Tenant, password: string) =>
  (await house.ask("POST", "/console/api/sign_in", { body: { email, password } })).status;

test("[AUD1] a change that changes nothing leaves no event, and neither does a refused one", async () => {
  const { id, name } = await makeKey(house, platform);
  const path = `/console/api/keys/${id}`;
  const { cookie } = platform;
  const before = await eventsIn(house, platform);
  for (const body of [{}, { name }, { status: "active" }, { name: "" }, { status: "expired" }])
    await house.ask("POST", path, { cookie, body });
  await house.ask("POST", "/console/api/keys", { cookie, body: { name: "x", kind: "oauth" } });
  assert.deepEqual(await eventsIn(house, platform), before);
});

test("[AUD1] the event says who, what, when and from where", async () => {
  const { id } = await makeKey(house, platform);
  const path = `/v1/organizations/api_keys/${id}`;
  const { headers } = await house.ask("POST", path, {
    key: platform.admin_api_key,
    body: { name: "By a key" },
  });
  const [byKey, byUser] = await eventsOf(house, platform, 2);
  assert.equal(byKey?.actor.type, "admin_key");
  assert.equal(byKey.actor.name, "First admin key");
  assert.equal(byKey.request_id, headers.get("request-id"));
  assert.deepEqual(byKey.target, { type: "key", id });
  assert.equal(byUser?.actor.type, "user");
  assert.match(String(byUser.actor.id), /^user_/);
});

test("[AUD2] a sign-in and a refused one of a known account leave an event; an unknown one leaves none", async () => {
  const somebody = await tenant("somebody signs in");
  const before = await eventsIn(house, somebody);
  assert.equal(await opensWith(somebody, "not the password"), 401);
  assert.equal(await opensWith(somebody, somebody.owner_password), 200);
  const added = (await eventsIn(house, somebody)).slice(before.length);
  assert.deepEqual(
    added.map(({ action }) => action),
    ["user.sign_in_refused", "user.signed_in"],
  );
  const all = await house.world.db.query({ text: "select id from audit_events", values: [] });
  assert.equal(await opensWith({ ...somebody, owner_email: "nobody@at.all" }, "whatever"), 401);
  const afterwards = await house.world.db.query({
    text: "select id from audit_events",
    values: [],
  });
  assert.equal(afterwards.length, all.length);
});

test("[AUD3] pages run newest first through all of the organization's events", async () => {
  for (let count = 0; count < 7; count++) await makeKey(house, other);
  const whole = await eventsOf(house, other, 100);
  assert.deepEqual(
    whole.map(({ id }) => id),
    whole.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1)),
  );
  const paged: Event[] = [];
  let page = "";
  do {
    const { status, body } = await house.ask("GET", `/console/api/audit?limit=3${page}`, {
      cookie: other.cookie,
    });
    assert.equal(status, 200);
    assert.ok(body.data.length <= 3);
    paged.push(...(body.data as Event[]));
    page = body.next_page === null ? "" : `&page=${encodeURIComponent(body.next_page)}`;
  } while (page !== "");
  assert.deepEqual(paged, whole);
});

test("[AUD3] another organization's events are absent, and its cursors are none", async () => {
  const theirs = await eventsOf(house, other);
  const mine = await eventsOf(house, platform);
  assert.ok(theirs.every(({ id }) => !mine.some((event) => event.id === id)));
  const pageOf = async (path: string, { cookie }: Tenant) =>
    String((await house.ask("GET", path, { cookie })).body.next_page);
  const askWith = async (page: string) =>
    sentenceOf(
      await house.ask("GET", `/console/api/audit?page=${encodeURIComponent(page)}`, {
        cookie: platform.cookie,
      }),
      400,
    );
  const good = await pageOf("/console/api/audit?limit=1", platform);
  const forged = good.slice(0, -2) + (good.endsWith("A") ? "BB" : "AA");
  await makeKey(house, platform);
  await makeKey(house, platform);
  for (const page of [
    await pageOf("/console/api/audit?limit=1", other),
    await pageOf("/console/api/keys?limit=1", platform),
    forged,
    theirs[0]?.id ?? "",
  ])
    assert.match(await askWith(page), /^page: is not a cursor of this list/);
});

test("[AUD4] no event, and no other text in the database, holds a secret, a password or a token", async () => {
  const somebody = await tenant("somebody with secrets");
  const { cookie, owner_password } = somebody;
  const key = await makeKey(house, somebody);
  const body = { current_password: owner_password, new_password: newPassword };
  await house.ask("POST", "/console/api/password", { cookie, body });
  await opensWith(somebody, "a wrong password that nobody has");
  const token = tokenOf(somebody.setup_url);
  await house.ask("POST", "/console/api/setup", { body: { token, password: newPassword } });
  const secrets = [
    key.secret,
    somebody.api_key,
    somebody.admin_api_key,
    somebody.oauth_access_token,
    token,
    cookie.slice(cookie.indexOf("=") + 1),
    owner_password,
    newPassword,
    "a wrong password that nobody has",
  ];
  const kept = await allText(house.world.db);
  const logged = JSON.stringify(house.log);
  for (const secret of secrets) {
    const hash = hashSecret(secret);
    for (const trace of [secret, hash.toString("hex"), hash.toString("base64")]) {
      assert.ok(!kept.includes(trace), "the database holds it in plain text");
      assert.ok(!logged.includes(trace), "the log holds it");
    }
  }
  assert.match(kept, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});
