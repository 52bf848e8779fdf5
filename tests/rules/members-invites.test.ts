// Rules USR11 and USR13 to USR19, over HTTP: invites as programs make, read and withdraw them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { makeManualClock, type ManualClock } from "../../kernel/base/clock.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, errorCodeOf, invitesOf, type InviteBody } from "./members-house.ts";
import { putConnection } from "./single-sign-on-house.ts";
import { eventsOf, hours, makeKey, needsGroupsWrite, sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
let clock: ManualClock;
let invites: ReturnType<typeof invitesOf>;
const start = new Date("2026-11-20T12:00:00.000Z");
const lifeMs = hours(21 * 24);
before(async () => {
  clock = makeManualClock(start);
  house = await openHouse({ clock, sections: { members: { organization_members_max: 40 } } });
  ({ platform, enterprise, other } = house.organizations);
  invites = invitesOf(house);
});
after(() => house[Symbol.asyncDispose]());

const made = async (...args: Parameters<typeof invites.create>): Promise<InviteBody> => {
  const { status, body } = await invites.create(...args);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const idsOf = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id);
const old = { headers: { "vendor-version": "2023-06-01" } };
const now = { headers: { "vendor-version": "2026-10-21" } };

test("[USR15] an invite has what the contract says, for 21 days", async () => {
  const invite = await made(platform, { email: "Ada@usr15.example", role: "developer" });
  assert.deepEqual(invite, {
    id: invite.id,
    type: "invite",
    email: "Ada@usr15.example",
    role: "developer",
    status: "pending",
    invited_at: clock.now().toISOString(),
    expires_at: new Date(clock.now().getTime() + lifeMs).toISOString(),
    accepted_at: null,
    rbac_group_ids: [],
  });
  assert.deepEqual((await invites.get(platform, invite.id)).body, invite);
  const [event] = await eventsOf(house, platform, 1);
  assert.deepEqual([event?.action, event?.target?.id], ["invite.created", invite.id]);
});

test("[IDN17] an address without a whole domain is no e-mail address", async () => {
  for (const email of [
    "x@y",
    "ada@usr15",
    "ada@.example",
    "ada@usr15.",
    "@usr15.example",
    "a b@c.d",
  ])
    assert.match(sentenceOf(await invites.create(platform, { email }), 400), /^email: /, email);
  await made(platform, { email: "ada@localhost" });
});

test("[USR15] lists are newest first, with filters, and without the withdrawn", async () => {
  const made3: InviteBody[] = [];
  for (const role of ["user", "developer", "user"]) made3.push(await made(other, { role }));
  const [first, second, third] = made3.map(({ id }) => id);
  assert.deepEqual(idsOf((await invites.list(other)).body), [third, second, first]);
  const page = (await invites.list(other, "limit=1&roles[]=user")).body;
  assert.deepEqual([idsOf(page), page.has_more], [[third], true]);
  const next = await invites.list(other, `limit=1&roles[]=user&after_id=${page.last_id}`);
  assert.deepEqual(idsOf(next.body), [first]);
  const back = await invites.list(other, `before_id=${first}`);
  assert.deepEqual(idsOf(back.body), [third, second]);
  const email = made3[1]?.email.replace("@", "+x@").toUpperCase() ?? "";
  const found = await invites.list(other, `email=${encodeURIComponent(email)}`);
  assert.deepEqual(idsOf(found.body), [second]);
  await invites.withdraw(other, second ?? "");
  assert.deepEqual(idsOf((await invites.list(other)).body), [third, first]);
  assert.deepEqual(
    (await invites.list(other, "statuses[]=accepted&statuses[]=expired")).body.data,
    [],
  );
  for (const query of ["statuses[]=deleted", "statuses[]=withdrawn", "limit=1001"])
    assert.equal((await invites.list(other, query)).status, 400, query);
  assert.equal((await invites.list(platform, `after_id=${third}`)).status, 400);
});

test("[USR15] an invite of another organization is absent", async () => {
  const { id } = await made(other);
  assert.equal(sentenceOf(await invites.get(platform, id), 404), `There is no invite ${id}.`);
  assert.equal((await invites.withdraw(platform, id)).status, 404);
  assert.equal((await invites.get(other, id)).body.status, "pending");
});

test("[USR13] members and pending invites are named, compared without case and plus-tags", async () => {
  const member = await addMember(house, platform, { email: "grace@usr13.example" });
  const again = await invites.create(platform, { email: "GRACE+2@usr13.example" });
  assert.deepEqual([again.status, errorCodeOf(again.body)], [400, "already_member"]);
  assert.ok(sentenceOf(again, 400).includes(member.id));
  const { id } = await made(platform, { email: "edsger@usr13.example" });
  const twice = await invites.create(platform, { email: "Edsger+w@usr13.example" });
  assert.deepEqual([twice.status, errorCodeOf(twice.body)], [400, "invite_already_exists"]);
  assert.ok(sentenceOf(twice, 400).includes(id));
  await invites.withdraw(platform, id);
  await made(platform, { email: "Edsger+w@usr13.example" });
  // Another organization knows nothing of it.
  await made(other, { email: "grace@usr13.example" });
});

test("[USR13] domains that the organization does not invite are refused", async () => {
  const { organization_id } = enterprise;
  await house.world.db.tx((tx) =>
    tx.query(
      sql`update organizations set invites_own_domains = true where id = ${organization_id}`,
    ),
  );
  const answer = await invites.create(enterprise, { email: "ada@elsewhere.example" });
  assert.deepEqual([answer.status, errorCodeOf(answer.body)], [400, "email_domain_not_allowed"]);
  await house.world.db.tx((tx) =>
    tx.query(
      sql`update organizations set invites_own_domains = false where id = ${organization_id}`,
    ),
  );
});

test("[USR14] groups are for enterprise organizations and for who may change groups", async () => {
  const rbac_group_ids = ["rbac_group_nobodys"];
  const onPlatform = await invites.create(platform, { rbac_group_ids });
  assert.match(sentenceOf(onPlatform, 400), /^rbac_group_ids: only enterprise/);
  const scopes = ["write:members", "read:members"];
  const { secret: key } = await makeKey(house, enterprise, { scopes });
  assert.match(
    sentenceOf(await invites.create(enterprise, { rbac_group_ids }, { key }), 403),
    needsGroupsWrite,
  );
  const managed = (headers: Record<string, string>) =>
    invites.create(enterprise, { role: "managed" }, { key, headers });
  for (const headers of [{ "anthropic-version": "2026-10-21" }, {}])
    assert.match(sentenceOf(await managed(headers), 403), needsGroupsWrite);
  const unknown = await invites.create(enterprise, { rbac_group_ids });
  assert.deepEqual([unknown.status, errorCodeOf(unknown.body)], [404, "rbac_group_not_found"]);
  assert.equal((await invites.create(enterprise, { rbac_group_ids: [] }, { key })).status, 200);
  assert.equal((await invites.create(enterprise, { role: "admin" })).status, 400);
});

test("[USR16] only a pending invite is withdrawn, and is shown in the words of its dialect", async () => {
  const { id } = await made(platform);
  const answer = await invites.withdraw(platform, id);
  assert.deepEqual([answer.status, answer.body], [200, { id, type: "invite_deleted" }]);
  assert.equal((await invites.get(platform, id, old)).body.status, "withdrawn");
  assert.equal((await invites.get(platform, id, now)).body.status, "deleted");
  assert.match(sentenceOf(await invites.withdraw(platform, id), 400), /was withdrawn/);
});

test("[USR17] an invite is pending for 21 days to the millisecond, whoever asks", async () => {
  const { id, email } = await made(platform);
  clock.advance(lifeMs - 1);
  assert.equal((await invites.get(platform, id)).body.status, "pending");
  const still = await invites.create(platform, { email });
  assert.equal(errorCodeOf(still.body), "invite_already_exists");
  clock.advance(1);
  assert.ok(!idsOf((await invites.list(platform, "statuses[]=pending")).body).includes(id));
  assert.ok(idsOf((await invites.list(platform, "statuses[]=expired")).body).includes(id));
  assert.equal((await invites.get(platform, id)).body.status, "expired");
  assert.match(sentenceOf(await invites.withdraw(platform, id), 400), /has expired/);
  // Nothing is in the way of a new one.
  assert.equal((await made(platform, { email })).status, "pending");
});

test("[USR17] a creation is the first to notice", async () => {
  const { email } = await made(platform);
  clock.advance(lifeMs);
  assert.equal((await invites.create(platform, { email })).status, 200);
});

test("[USR19] members and pending invites together have an end", async () => {
  const { cloud } = house.organizations;
  const cookie = await house.signIn(cloud);
  const create = (n: number) =>
    house.ask("POST", "/console/api/invites", {
      cookie,
      body: { email: `many-${n}@usr19.example`, role: "user" },
    });
  for (let n = 1; n < 40; n++) assert.equal((await create(n)).status, 200);
  const answer = await create(40);
  assert.deepEqual([answer.status, errorCodeOf(answer.body)], [400, "org_member_limit_exceeded"]);
});

test("[USR11] with provisioning the identity provider invites; what is there can be read", async () => {
  const { id } = await made(enterprise);
  await putConnection(house, enterprise, true);
  for (const provisioning of ["jit", "scim"]) {
    await house.world.db.tx((tx) =>
      tx.query(sql`
        insert into identity_providers
          (organization_id, name, provisioning, controls_roles, controls_groups, updated_at)
        values (${enterprise.organization_id}, 'Example Directory', ${provisioning}, false, false, now())
        on conflict (organization_id) do update set provisioning = excluded.provisioning`),
    );
    assert.match(sentenceOf(await invites.create(enterprise), 400), /Example Directory/);
    assert.equal((await invites.get(enterprise, id)).status, 200);
    assert.equal((await invites.list(enterprise)).status, 200);
  }
});
