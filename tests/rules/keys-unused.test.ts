// Rules KEY18 and USR34: which keys nothing uses, and when a member was here last.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addSignedIn, passwordOfAll } from "./members-house.ts";
import { hours, makeKey, me, seconds, sentenceOf, until, untilInTime } from "./support.ts";

let house: House;
let platform: Tenant;
let clock: ManualClock;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00Z"));
  house = await openHouse({ clock });
  ({ platform } = house.organizations);
});
after(() => house?.[Symbol.asyncDispose]());

const days = (count: number) => hours(24 * count);

/** By a program and in the console, which must agree: the names of those that were made here. */
async function unusedFor(count: number, names: readonly string[]): Promise<string[]> {
  const query = `unused_days=${count}&limit=100`;
  const { admin_api_key: key } = platform;
  const cookie = await house.signIn(platform);
  const asked = [
    await house.ask("GET", `/v1/organizations/api_keys?${query}`, { key }),
    await house.ask("GET", `/console/api/keys?${query}`, { cookie }),
  ];
  const [program = [], page = []] = asked.map(({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    const all = (body.data as { name: string }[]).map(({ name }) => name);
    return all.filter((name) => names.includes(name));
  });
  assert.deepEqual(program, page);
  return program.toSorted();
}

test("[KEY18] unused is what was neither made nor used within so many days, and each key tells its last use", async () => {
  const [idle, used] = [
    await makeKey(house, platform, { name: "Idle" }),
    await makeKey(house, platform, { name: "Used" }),
  ];
  const names = ["Idle", "Used", "New"];
  clock.advance(days(30) - seconds(20));
  assert.equal((await house.ask("GET", me, { key: used.secret })).status, 200);
  const usedAt = clock.now().toISOString();
  clock.advance(seconds(10));
  const read = (id: string) =>
    house.ask("GET", `/v1/organizations/api_keys/${id}`, { key: platform.admin_api_key });
  await until(async () => (await read(used.id)).body.last_used_at === usedAt, "the last use");
  assert.equal((await read(idle.id)).body.last_used_at, null);
  const cookie = await house.signIn(platform);
  await makeKey(house, { ...platform, cookie }, { name: "New" });
  // Ten seconds are missing.
  assert.deepEqual(await unusedFor(30, names), []);
  clock.advance(seconds(10));
  assert.deepEqual(await unusedFor(30, names), ["Idle"]);
  assert.deepEqual(await unusedFor(1, names), ["Idle"]);
  clock.advance(days(29));
  assert.deepEqual(await unusedFor(30, names), ["Idle"]);
  assert.deepEqual(await unusedFor(29, names), ["Idle", "New", "Used"]);
});

test("[KEY18] the number of days is a whole one from 1", async () => {
  for (const wrong of ["0", "-1", "1.5", "3651", "many"]) {
    const path = `/v1/organizations/api_keys?unused_days=${wrong}`;
    const refused = await house.ask("GET", path, { key: platform.admin_api_key });
    assert.match(sentenceOf(refused, 400), /^unused_days/);
  }
});

test("[USR34] a member tells when a sign-in of theirs was seen last, and a key that they made was used", async () => {
  const { id, email } = await addSignedIn(house, platform, "developer");
  const viewer = await house.signIn(platform);
  const read = async () => {
    const path = `/console/api/organization_members/${id}`;
    const { status, body } = await house.ask("GET", path, { cookie: viewer });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const first = await read();
  assert.deepEqual(
    [first.email, first.last_seen_at, first.last_key_use_at],
    [email, clock.now().toISOString(), null],
  );
  const cookie = await house.signIn({ owner_email: email, owner_password: passwordOfAll });
  const body = { name: "Theirs", kind: "api" };
  const made = await house.ask("POST", "/console/api/keys", { cookie, body });
  clock.advance(seconds(60));
  await house.ask("GET", "/v1/models", { key: String(made.body.secret) });
  const usedAt = clock.now().toISOString();
  const look = async () => (await read()).last_key_use_at ?? false;
  const seen = await untilInTime({ clock, periodMs: seconds(10) }, look, "the last use");
  assert.equal(seen, usedAt);
});

test("[USR34] a member of another organization is absent", async () => {
  const { id } = await addSignedIn(house, house.organizations.other, "user");
  const path = `/console/api/organization_members/${id}`;
  const refused = await house.ask("GET", path, { cookie: await house.signIn(platform) });
  assert.equal(refused.status, 404);
});
