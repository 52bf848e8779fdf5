// Rules IDN3, IDN5 and IDN6 where time passes, over HTTP and with a set clock.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { initialize } from "../../server/organization-setup.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { askAt, cookieFrom, hours, me, minutes, seconds, sentenceOf, tokenOf } from "./support.ts";

let house: House;
let clock: ManualClock;
let platform: Tenant;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const console = "/console/api";
const signIn = (email: string, password: string) =>
  house.ask("POST", `${console}/sign_in`, { body: { email, password } });

let count = 0;
const link = async () => {
  const name = `Linked ${++count}`;
  const email = `${count}@time.example`;
  const made = await initialize(house.world, { organization: name, type: "platform", email });
  return { ...made, token: tokenOf(made.setup_url) };
};
const setUp = (token: string) =>
  house.ask("POST", `${console}/setup`, { body: { token, password: "a good long password" } });

test("[IDN3] a set-up link works for one hour", async () => {
  const [early, late] = [await link(), await link()];
  clock.advance(hours(1) - 1);
  assert.equal((await setUp(early.token)).status, 200);
  clock.advance(1);
  assert.match(sentenceOf(await setUp(late.token), 401), /expired/);
  // What was not used has changed nothing.
  assert.equal((await signIn(late.owner_email, late.owner_password)).status, 200);
});

test("[IDN5] after 10 wrong passwords in 15 minutes for one e-mail, 429, on every process", async () => {
  await using neighbour = await house.openSecondServer();
  const { owner_email: email, owner_password } = await link();
  const places = [house.url, neighbour.url];
  const tryAt = (place: number, password: string) =>
    askAt(places[place % 2] ?? "", "POST", `${console}/sign_in`, { body: { email, password } });
  for (let tries = 0; tries < 10; tries++) {
    assert.equal((await tryAt(tries, "certainly wrong")).status, 401, `try ${tries + 1}`);
    clock.advance(seconds(1));
  }
  for (const place of [0, 1]) {
    assert.match(sentenceOf(await tryAt(place, "certainly wrong"), 429), /Wait some minutes/);
    assert.equal((await tryAt(place, owner_password)).status, 429, "the right one is let in");
  }
  // Other people are not kept out.
  assert.equal((await signIn(platform.owner_email, platform.owner_password)).status, 200);
  const refused = await signIn(email, owner_password);
  const retryAfter = Number(refused.headers.get("retry-after"));
  assert.equal(retryAfter, 15 * 60 - 10);
  clock.advance(seconds(retryAfter) - 1);
  assert.equal((await signIn(email, owner_password)).status, 429);
  clock.advance(1);
  assert.equal((await signIn(email, owner_password)).status, 200);
});

test("[IDN5] right passwords are not counted, and do not take the wrong ones off the count", async () => {
  const { owner_email: email, owner_password } = await link();
  // The same e-mail elsewhere, whose password somebody knows who tries to learn this one.
  const organization = "Known elsewhere";
  const elsewhere = await initialize(house.world, { organization, type: "platform", email });
  for (let tries = 0; tries < 9; tries++)
    assert.equal((await signIn(email, "certainly wrong")).status, 401);
  for (const known of [elsewhere.owner_password, owner_password, elsewhere.owner_password])
    assert.equal((await signIn(email, known)).status, 200);
  assert.equal((await signIn(email, "certainly wrong")).status, 401);
  assert.equal((await signIn(email, "certainly wrong")).status, 429);
  clock.advance(minutes(15));
});

test("[IDN5] wrong passwords that come all at once count as many", async () => {
  clock.advance(minutes(15));
  const { owner_email: email } = await link();
  const tries = Array.from({ length: 25 }, () => signIn(email, "certainly wrong"));
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length <= 10, statuses.join(" "));
  assert.ok(
    statuses.every((status) => status === 401 || status === 429),
    statuses.join(" "),
  );
});

test("[IDN5] after 50 wrong passwords from one address, 429 for whatever e-mail", async () => {
  clock.advance(minutes(15));
  for (let tries = 0; tries < 50; tries += 10) {
    const answers = Array.from({ length: 10 }, (_, each) =>
      signIn(`${tries + each}@nobody.example`, "certainly wrong"),
    );
    for (const { status } of await Promise.all(answers)) assert.equal(status, 401);
  }
  const refused = await signIn(platform.owner_email, platform.owner_password);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("retry-after"), String(15 * 60));
  clock.advance(minutes(15));
  assert.equal((await signIn(platform.owner_email, platform.owner_password)).status, 200);
});

test("[IDN5] a wrong present password counts as well", async () => {
  const made = await link();
  const cookie = cookieFrom(await signIn(made.owner_email, made.owner_password));
  const change = () =>
    house.ask("POST", `${console}/password`, {
      cookie,
      body: { current_password: "certainly wrong", new_password: "a good long password" },
    });
  for (let tries = 0; tries < 10; tries++) assert.equal((await change()).status, 400);
  assert.equal((await change()).status, 429);
  clock.advance(minutes(15));
});

test("[IDN6] the cookie is out of the reach of scripts, other hosts and other sites", async () => {
  const answer = await signIn(platform.owner_email, platform.owner_password);
  const [cookie = "", ...more] = answer.headers.getSetCookie();
  assert.deepEqual(more, []);
  const [pair = "", ...attributes] = cookie.split("; ");
  assert.match(pair, /^__Host-plinth=sk-plinth-con-\w+$/);
  const expected = ["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Lax", "Secure"];
  assert.deepEqual(attributes.sort(), expected);
  assert.ok(!JSON.stringify(answer.body).includes(pair.slice(-20)));
});

test("[IDN6] a sign-in ends after 12 hours without use", async () => {
  const cookie = await house.signIn(platform);
  const ask = async () => (await house.ask("GET", me, { cookie })).status;
  clock.advance(hours(12));
  assert.equal(await ask(), 200);
  clock.advance(hours(12));
  assert.equal(await ask(), 200, "the last use did not count");
  clock.advance(hours(12) + 1);
  assert.equal(await ask(), 401);
  assert.equal(await ask(), 401, "a refused use counts as one");
});

test("[IDN6] use on another process keeps a sign-in alive here", async () => {
  await using neighbour = await house.openSecondServer();
  const cookie = await house.signIn(platform);
  assert.equal((await house.ask("GET", me, { cookie })).status, 200);
  clock.advance(hours(8));
  assert.equal((await askAt(neighbour.url, "GET", me, { cookie })).status, 200);
  clock.advance(hours(8));
  assert.equal((await house.ask("GET", me, { cookie })).status, 200);
});

test("[IDN6] what has ended is not on the list of sign-ins", async () => {
  const { owner_email, owner_password } = await link();
  await house.signIn({ owner_email, owner_password });
  clock.advance(hours(12) + 1);
  const cookie = await house.signIn({ owner_email, owner_password });
  const { body } = await house.ask("GET", `${console}/sign_ins`, { cookie });
  assert.deepEqual(
    (body.data as { current: boolean }[]).map(({ current }) => current),
    [true],
  );
});

test("[IDN6] a sign-in ends after 30 days, however often it is used", async () => {
  const cookie = await house.signIn(platform);
  const ask = async () => (await house.ask("GET", me, { cookie })).status;
  for (let half = 1; half < 60; half++) {
    clock.advance(hours(12));
    assert.equal(await ask(), 200, `after ${half / 2} days`);
  }
  clock.advance(hours(12) - 1);
  assert.equal(await ask(), 200);
  clock.advance(1);
  assert.equal(await ask(), 401);
});
