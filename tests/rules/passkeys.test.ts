// Rules PKY1 to PKY8, over HTTP with an authenticator in software.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { relyingPartyOf } from "../../server/passkeys/relying-party.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { auditTenant } from "./audit-house.ts";
import { passkeysOf } from "./passkeys-house.ts";
import { cookieFrom, eventsOf, minutes, sentenceOf, tokenOf } from "./support.ts";

let house: House;
let clock: ManualClock;
let passkeys: ReturnType<typeof passkeysOf>;
const warnings: string[] = [];
const onWarning = (warning: Error) => void warnings.push(String(warning));
before(async () => {
  process.on("warning", onWarning);
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  passkeys = passkeysOf(house);
});
after(async () => {
  await house[Symbol.asyncDispose]();
  process.off("warning", onWarning);
});

let count = 0;
const somebody = () => auditTenant(house, `passkeys ${++count}`);
const me = (cookie: string) => house.ask("GET", "/console/api/me", { cookie });
const passwordOf = ({ owner_email: email, owner_password: password }: Tenant) =>
  house.ask("POST", "/console/api/sign_in", { body: { email, password } });
const actionsOf = async (tenant: Tenant) =>
  (await eventsOf(house, tenant)).map(({ action }) => action);
const refusal = async (answer: ReturnType<typeof passkeys.signIn>, status = 401) =>
  sentenceOf(await answer, status);

test("[PKY3] a passkey alone signs in: whose it is, it says itself", async () => {
  const tenant = await somebody();
  const { credential, id } = await passkeys.passkey(tenant);
  const { allowCredentials } = await passkeys.optionsFor();
  assert.deepEqual(allowCredentials, [], "a stranger learns of somebody's passkeys");
  const answer = await passkeys.signIn(credential);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.user.email, tenant.owner_email);
  const cookie = cookieFrom(answer);
  assert.equal((await me(cookie)).status, 200);
  const { body } = await house.ask("GET", "/console/api/sign_ins", { cookie });
  const [newest] = body.data as { method: string; current: boolean }[];
  assert.deepEqual([newest?.method, newest?.current], ["passkey", true]);
  const [seen] = (await passkeys.list(tenant)).data;
  assert.deepEqual([seen?.id, seen?.name], [id, "Laptop"]);
  assert.ok(seen?.last_used_at);
  assert.deepEqual(warnings, [], "the library warns of experiments");
});

test("[PKY1] a challenge works once, for five minutes, and for what it was asked for", async () => {
  const tenant = await somebody();
  const { credential } = await passkeys.passkey(tenant);
  const options = await passkeys.optionsFor();
  const answer = passkeys.authenticator.answer(options, credential);
  const send = (body: unknown) => passkeys.post("passkey_sign_in", { credential: body });
  assert.equal((await send(answer)).status, 200);
  assert.ok([400, 401].includes((await send(answer)).status), "the same answer works twice");
  // The same question again, with a counter that has moved on: the challenge itself is spent.
  const again = passkeys.authenticator.answer(options, credential);
  assert.match(await refusal(send(again), 400), /used already/);
  const late = passkeys.authenticator.answer(await passkeys.optionsFor(), credential);
  clock.advance(minutes(5));
  assert.match(await refusal(send(late), 400), /expired/);
  const cookie = await house.signIn(tenant);
  const asked = await passkeys.post("proof_options", undefined, cookie);
  const proof = passkeys.authenticator.answer(asked.body.options, credential);
  assert.match(await refusal(send(proof), 400), /expired/, "a proof signs in");
  const forged = passkeys.authenticator.answer(await passkeys.optionsFor(), credential, {
    challenge: Buffer.from("made up").toString("base64url"),
  });
  assert.match(await refusal(send(forged), 400), /expired/);
});

test("[PKY1] of five answers to one challenge at once, one signs in", async () => {
  const { credential } = await passkeys.passkey(await somebody());
  const options = await passkeys.optionsFor();
  const answers = Array.from({ length: 5 }, () =>
    passkeys.authenticator.answer(options, credential),
  );
  const statuses = await Promise.all(
    answers.map(
      async (answer) => (await passkeys.post("passkey_sign_in", { credential: answer })).status,
    ),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
});

test("[PKY2] another origin, another name, another key, no person: refused, counted, written down", async () => {
  const tenant = await somebody();
  const { credential } = await passkeys.passkey(tenant);
  const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const wrong = [
    { origin: "https://evil.example" },
    { origin: house.url },
    { rpId: "evil.example" },
    { key: stranger },
    { type: "webauthn.create" },
    { flags: 0 },
    { flags: 1 },
    { userHandle: null },
    { userHandle: Buffer.from("user_somebody_else").toString("base64url") },
  ];
  for (const deviation of wrong)
    assert.match(
      await refusal(passkeys.signIn(credential, deviation)),
      /not known here/,
      JSON.stringify(deviation),
    );
  const refused = (await actionsOf(tenant)).filter((action) => action === "user.sign_in_refused");
  assert.equal(refused.length, wrong.length);
  assert.match(await refusal(passkeys.signIn(credential, { key: stranger })), /not known here/);
  assert.match(await refusal(passkeys.signIn(credential), 429), /Too many/);
  clock.advance(minutes(16));
  assert.equal((await passkeys.signIn(credential)).status, 200);
});

test("[PKY2] a registration for another origin, name or challenge, or without a check of the person", async () => {
  const { cookie } = await somebody();
  const wrong = [
    { origin: "https://evil.example" },
    { rpId: "evil.example" },
    { type: "webauthn.get" },
    { flags: 1 },
  ];
  for (const deviation of wrong) {
    const { created } = await passkeys.register(cookie, "Wrong", deviation);
    assert.match(sentenceOf(created, 400), /^credential: is no passkey for localhost/);
  }
  const { answer, created } = await passkeys.register(cookie, "Right");
  assert.equal(created.status, 200);
  const twice = await passkeys.post("passkeys", { name: "Twice", credential: answer }, cookie);
  assert.match(sentenceOf(twice, 400), /used already/);
  const other = await somebody();
  const options = await passkeys.post("passkey_options", undefined, other.cookie);
  const theirs = passkeys.authenticator.register(options.body.options).answer;
  const elsewhere = await passkeys.post("passkeys", { name: "Mine", credential: theirs }, cookie);
  assert.match(sentenceOf(elsewhere, 400), /another sign-in/);
});

test("[PKY2] a credential id of somebody else is registered by nobody twice, and proves nothing for others", async () => {
  const [one, two] = [await somebody(), await somebody()];
  const mine = await passkeys.passkey(one);
  await passkeys.passkey(two);
  const asked = await passkeys.post("proof_options", undefined, two.cookie);
  const foreign = passkeys.authenticator.answer(asked.body.options, mine.credential);
  const proof = await passkeys.post("proof", { credential: foreign }, two.cookie);
  assert.match(sentenceOf(proof, 400), /^credential: .*not known here/);
  const isMine = (path: string, method: string) =>
    house.ask(method, `/console/api/passkeys/${path}`, { cookie: two.cookie });
  assert.equal((await isMine(mine.id, "DELETE")).status, 404);
  assert.equal((await passkeys.list(two)).data.length, 1);
});

test("[PKY4] a counter that runs backwards is refused and told; one that stays at 0 is no counter", async () => {
  const tenant = await somebody();
  const { credential } = await passkeys.passkey(tenant);
  assert.equal((await passkeys.signIn(credential, { counter: 7 })).status, 200);
  assert.match(await refusal(passkeys.signIn(credential, { counter: 7 })), /copied/);
  assert.match(await refusal(passkeys.signIn(credential, { counter: 0 })), /copied/);
  assert.equal((await passkeys.signIn(credential, { counter: 8 })).status, 200);
  const quiet = await passkeys.passkey(tenant, "Phone");
  for (let times = 0; times < 2; times++)
    assert.equal((await passkeys.signIn(quiet.credential, { counter: 0 })).status, 200);
});

test("[IDN14] registering and removing ask who sits there, renaming does not", async () => {
  const tenant = await somebody();
  const { credential, id } = await passkeys.passkey(tenant, "Old name");
  const { cookie } = tenant;
  clock.advance(minutes(10) + 1);
  const refused = await passkeys.post("passkey_options", undefined, cookie);
  assert.match(sentenceOf(refused, 403), /confirm with your password or a passkey/);
  assert.equal(refused.body.error.details.error_code, "proof_needed");
  const remove = () => house.ask("DELETE", `/console/api/passkeys/${id}`, { cookie });
  assert.equal((await remove()).status, 403);
  assert.equal((await passkeys.post("second_step", { required: true }, cookie)).status, 403);
  const renamed = await passkeys.post(`passkeys/${id}`, { name: " New name " }, cookie);
  assert.equal(renamed.body.name, "New name");
  const wrong = await passkeys.post("proof", { current_password: "certainly wrong" }, cookie);
  assert.match(sentenceOf(wrong, 400), /^current_password: /);
  assert.equal((await remove()).status, 403);
  const right = { current_password: tenant.owner_password };
  assert.equal((await passkeys.post("proof", right, cookie)).status, 204);
  assert.equal((await passkeys.post("passkey_options", undefined, cookie)).status, 200);
  clock.advance(minutes(10) + 1);
  const asked = await passkeys.post("proof_options", undefined, cookie);
  const answer = passkeys.authenticator.answer(asked.body.options, credential);
  assert.equal((await passkeys.post("proof", { credential: answer }, cookie)).status, 204);
  assert.match(sentenceOf(await passkeys.post("proof", { credential: answer }, cookie), 400), /./);
  assert.equal((await remove()).status, 200);
  assert.equal((await passkeys.signIn(credential)).status, 401);
  for (const body of [{}, { ...right, credential: answer }])
    assert.match(sentenceOf(await passkeys.post("proof", body, cookie), 400), /one of both/);
});

test("[PKY6] the name is that of the public address, and passkeys of another name say so", async () => {
  const at = (publicUrl: string) => relyingPartyOf(publicUrl).id;
  assert.equal(at("https://plinth.example/base"), "plinth.example");
  assert.equal(at("http://127.0.0.1:8321"), "localhost");
  assert.equal(at("http://[::1]:8321"), "localhost");
  assert.equal(at("https://10.1.2.3"), null);
  assert.match(relyingPartyOf("https://10.1.2.3").unavailable ?? "", /PLINTH_PUBLIC_URL/);
  const tenant = await somebody();
  const { credential } = await passkeys.passkey(tenant);
  await passkeys.post("second_step", { required: true }, tenant.cookie);
  const before = house.world.publicUrl;
  try {
    house.world.publicUrl = "https://elsewhere.example";
    assert.deepEqual(
      (await passkeys.list(tenant)).data.map(({ usable }) => usable),
      [false],
    );
    assert.equal((await passkeys.signIn(credential)).status, 401);
    // A new name takes no second step away.
    const { ticket } = (await passwordOf(tenant)).body.error.details as { ticket: string };
    const asked = await passkeys.post("passkey_sign_in_options", { ticket });
    assert.match(
      sentenceOf(asked, 400),
      /made for localhost, and this server is elsewhere.example/,
    );
  } finally {
    house.world.publicUrl = before;
  }
});

test("[PKY7] who chose so is asked for a passkey after the password", async () => {
  const tenant = await somebody();
  const { cookie } = tenant;
  const on = (required: boolean) => passkeys.post("second_step", { required }, cookie);
  assert.match(sentenceOf(await on(true), 400), /register one first/);
  const { credential, id } = await passkeys.passkey(tenant);
  const other = await passkeys.passkey(await somebody());
  assert.deepEqual((await on(true)).body, { second_step: true });
  const answer = await passwordOf(tenant);
  assert.match(sentenceOf(answer, 401), /Now use your passkey/);
  assert.equal(answer.headers.get("set-cookie"), null);
  const { error_code, ticket } = answer.body.error.details as Record<string, string>;
  assert.equal(error_code, "passkey_needed");
  const { allowCredentials } = await passkeys.optionsFor(ticket);
  assert.deepEqual(
    allowCredentials.map((each) => each.id),
    [credential.id],
  );
  // Somebody else's passkey is none, a question without the ticket is another, and presence is enough here.
  assert.equal((await passkeys.signIn(other.credential, {}, ticket)).status, 401);
  const alone = passkeys.authenticator.answer(await passkeys.optionsFor(), credential);
  assert.equal((await passkeys.post("passkey_sign_in", { credential: alone, ticket })).status, 400);
  const done = await passkeys.signIn(credential, { flags: 1, userHandle: null }, ticket);
  assert.equal(done.status, 200, JSON.stringify(done.body));
  assert.match(await refusal(passkeys.signIn(credential, {}, ticket), 400), /used already/);
  const late = (await passwordOf(tenant)).body.error.details.ticket as string;
  clock.advance(minutes(5));
  const expired = await passkeys.post("passkey_sign_in_options", { ticket: late });
  assert.match(sentenceOf(expired, 401), /too long ago/);
  // A wrong password says nothing of the second step.
  const wrong = await passwordOf({ ...tenant, owner_password: "certainly wrong" });
  assert.match(sentenceOf(wrong, 401), /e-mail or the password is wrong/);
  // The last passkey takes the second step with it.
  const removed = await house.ask("DELETE", `/console/api/passkeys/${id}`, { cookie });
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  assert.equal((await passwordOf(tenant)).status, 200);
});

test("[PKY8] a set-up link gives the account back: password anew, passkeys and second step gone", async () => {
  const tenant = await somebody();
  const { credential } = await passkeys.passkey(tenant);
  await passkeys.post("second_step", { required: true }, tenant.cookie);
  const body = { token: tokenOf(tenant.setup_url), password: "another good password" };
  const answer = await house.ask("POST", "/console/api/setup", { body });
  assert.equal(answer.status, 200);
  assert.equal((await passkeys.signIn(credential)).status, 401);
  const mine = await passkeys.list({ cookie: cookieFrom(answer) });
  assert.deepEqual([mine.data, mine.second_step, mine.has_password], [[], false, true]);
});

test("[PKY5] a person has at most 20 passkeys", async () => {
  const tenant = await somebody();
  for (let times = 0; times < 20; times++) await passkeys.passkey(tenant, `Key ${times}`);
  const more = await passkeys.post("passkey_options", undefined, tenant.cookie);
  assert.match(sentenceOf(more, 400), /20 passkeys/);
});
