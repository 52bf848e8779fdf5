// Rules USR18, USR20, USR21 and USR27: a finite pool of seats, in tiers, on more than one process.
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { operator } from "../../server/audit/module.ts";
import { provisionUser } from "../../server/members/module.ts";
import { initialize } from "../../server/organization-setup.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, errorCodeOf, invitesOf, ownerOf, seatsOf, usersOf } from "./members-house.ts";
import { askAt, hours, sentenceOf } from "./support.ts";

let house: House;
let clock: ManualClock;
/** A new organization for each test: the owner is its only member. */
let tenant: Tenant;
let invites: ReturnType<typeof invitesOf>;
let seats: ReturnType<typeof seatsOf>;
before(async () => {
  clock = makeManualClock(new Date("2026-11-20T12:00:00.000Z"));
  house = await openHouse({ clock });
  invites = invitesOf(house);
  seats = seatsOf(house);
});
after(() => house[Symbol.asyncDispose]());

let organizations = 0;
beforeEach(async () => {
  const number = ++organizations;
  const made = await initialize(house.world, {
    organization: `Seats ${number}`,
    type: "platform",
    email: `owner-${number}@seats.example`,
  });
  tenant = { ...made, cookie: await house.signIn(made) };
});

const twoTiers = [
  { name: "Standard", seats: 2 },
  { name: "Premium", seats: 2 },
];

/** What the counters say is what is held. */
async function expectTrue(): Promise<void> {
  const rows = await house.world.db.query(sql`
    select t.name from seat_tiers t
    where t.taken <> (select count(*) from users u where u.seat_tier_id = t.id)
                   + (select count(*) from invites i
                      where i.seat_tier_id = t.id and i.status = 'pending')`);
  assert.deepEqual(rows, [], "a tier's count is not what is held");
}

test("[USR20] the lowest tier with a free seat gives the next one; without a pool nothing is counted", async () => {
  assert.deepEqual(await seats.held(tenant), []);
  assert.equal((await invites.create(tenant)).status, 200);
  await seats.set(tenant, twoTiers);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 0/2"]);
  const { body: third } = await invites.create(tenant);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 1/2"]);
  const member = await addMember(house, tenant);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 2/2"]);
  const full = await invites.create(tenant);
  assert.deepEqual([full.status, errorCodeOf(full.body)], [400, "no_seat_available"]);
  assert.match(sentenceOf(full, 400), /all 4 are held/);
  await assert.rejects(addMember(house, tenant), /No seat is free/);
  await invites.withdraw(tenant, third.id);
  await usersOf(house).remove(tenant, member.id);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 0/2"]);
  await expectTrue();
});

test("[USR18] an invite that expires gives its seat back at that moment, whoever comes first", async () => {
  await seats.set(tenant, [{ name: "Only", seats: 2 }]);
  await invites.create(tenant);
  clock.advance(hours(21 * 24) - 1);
  assert.equal((await invites.create(tenant)).status, 400);
  const later = async () => ({ ...tenant, cookie: await house.signIn(tenant) });
  assert.deepEqual(await seats.held(await later()), ["Only 2/2"]);
  clock.advance(1);
  const { status, body } = await invites.create(tenant);
  assert.equal(status, 200, "the creation itself finds the seat");
  clock.advance(hours(21 * 24));
  assert.deepEqual(await seats.held(await later()), ["Only 1/2"]);
  assert.equal((await invites.get(tenant, body.id)).body.status, "expired");
  await expectTrue();
});

test("[USR20] who accepts keeps the seat of the invite", async () => {
  await seats.set(tenant, twoTiers);
  const { token } = await invites.withLink(tenant);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 0/2"]);
  const { status, body } = await invites.accept(token);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 0/2"]);
  await usersOf(house).remove(tenant, body.user.id);
  assert.deepEqual(await seats.held(tenant), ["Standard 1/2", "Premium 0/2"]);
  await expectTrue();
});

test("[USR21] 50 invites for the last 5 seats, on two processes: exactly 5", async () => {
  await using neighbour = await house.openSecondServer();
  await seats.set(tenant, [
    { name: "Low", seats: 4 },
    { name: "High", seats: 2 },
  ]);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      askAt(index % 2 === 0 ? house.url : neighbour.url, "POST", "/v1/organizations/invites", {
        key: tenant.admin_api_key,
        body: { email: `race-${index}@usr21.example`, role: "user" },
      }),
    ),
  );
  const counts = Map.groupBy(
    answers,
    ({ status, body }) => `${status} ${errorCodeOf(body.error ? body : { error: {} })}`,
  );
  assert.deepEqual(Object.fromEntries([...counts].map(([kind, group]) => [kind, group.length])), {
    "200 undefined": 5,
    "400 no_seat_available": 45,
  });
  assert.deepEqual(await seats.held(tenant), ["Low 4/4", "High 2/2"]);
  await expectTrue();
});

test("[USR27] a first pool holds everybody who is there or invited, or it is refused", async () => {
  await addMember(house, tenant);
  await invites.create(tenant);
  const small = await seats.set(tenant, [{ name: "Small", seats: 2 }]);
  assert.match(sentenceOf(small, 400), /hold 3 seats together; 2 are not enough/);
  assert.deepEqual(await seats.held(tenant), []);
  await seats.set(tenant, twoTiers);
  assert.deepEqual(await seats.held(tenant), ["Standard 2/2", "Premium 1/2"]);
  await expectTrue();
});

test("[USR27] tiers change their name, order and number, and never below what is held", async () => {
  const { body } = await seats.set(tenant, twoTiers);
  const [standard, premium] = body.tiers as { id: string; name: string; seats: number }[];
  assert.ok(standard && premium);
  const few = await seats.set(tenant, [{ ...pick(standard), seats: 0 }, pick(premium)]);
  assert.match(sentenceOf(few, 400), /1 seats of Standard are held/);
  assert.match(sentenceOf(await seats.set(tenant, [pick(premium)]), 400), /Standard/);
  await seats.set(tenant, [
    pick(premium),
    { ...pick(standard), name: "Basic", seats: 1 },
    { name: "Guest", seats: 7 },
  ]);
  assert.deepEqual(await seats.held(tenant), ["Premium 0/2", "Basic 1/1", "Guest 0/7"]);
  await invites.create(tenant);
  assert.deepEqual(await seats.held(tenant), ["Premium 1/2", "Basic 1/1", "Guest 0/7"]);
  const unknown = await seats.set(tenant, [{ id: "seat_nobodys", name: "X", seats: 100 }]);
  assert.equal(unknown.status, 404);
  const twice = await seats.set(tenant, [
    { name: "One", seats: 100 },
    { name: "one", seats: 100 },
  ]);
  assert.match(sentenceOf(twice, 400), /there twice/);
  await seats.set(tenant, []);
  assert.deepEqual(await seats.held(tenant), []);
  await expectTrue();
});

const pick = ({ id, name, seats: count }: { id: string; name: string; seats: number }) => ({
  id,
  name,
  seats: count,
});

test("[USR27] a member is moved to a tier with a free seat", async () => {
  const { body } = await seats.set(tenant, [
    { name: "Low", seats: 2 },
    { name: "High", seats: 1 },
  ]);
  const high = body.tiers[1].id as string;
  const move = (id: string, tier_id: string) =>
    house.ask("POST", `/console/api/organization_members/${id}/seat`, {
      cookie: tenant.cookie,
      body: { tier_id },
    });
  const one = await ownerOf(house, tenant);
  const two = await addMember(house, tenant);
  assert.equal((await move(one, high)).status, 200);
  assert.deepEqual(await seats.held(tenant), ["Low 1/2", "High 1/1"]);
  assert.equal((await move(one, high)).status, 200, "it is there already");
  const full = await move(two.id, high);
  assert.deepEqual([full.status, errorCodeOf(full.body)], [400, "no_seat_available"]);
  assert.equal((await move(two.id, "seat_nobodys")).status, 404);
  const theirs = await addMember(house, house.organizations.other);
  assert.equal((await move(theirs.id, high)).status, 404);
  await expectTrue();
});

test("[USR26] whom an identity provider brings takes over a pending invite, seat and all", async () => {
  await seats.set(tenant, [{ name: "Only", seats: 2 }]);
  const { body: invite } = await invites.create(tenant, { email: "Ada@usr26.example" });
  const member = { email: "ada@usr26.example", name: "Ada", role: "developer" } as const;
  const provision = (more: { id?: string } = {}) =>
    house.world.db.tx((tx) =>
      provisionUser(tx, house.world, operator, tenant.organization_id, { ...member, ...more }),
    );
  const id = await provision();
  assert.deepEqual(await seats.held(tenant), ["Only 2/2"]);
  assert.equal((await invites.get(tenant, invite.id)).body.status, "accepted");
  assert.equal((await usersOf(house).get(tenant, id)).body.role, "developer");
  await usersOf(house).remove(tenant, id);
  assert.deepEqual(await seats.held(tenant), ["Only 1/2"]);
  assert.equal(await provision({ id }), id, "who comes back keeps their id");
  assert.equal((await usersOf(house).get(tenant, id)).status, 200);
  await assert.rejects(provision({ id: "user_nobody" }), /No seat is free|no former member/);
  await expectTrue();
});
