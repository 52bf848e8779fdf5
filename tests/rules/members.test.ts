// Rules USR1 to USR11, over HTTP: members as programs see and change them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import { removeUser, setRole } from "../../server/members/module.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, addSignedIn, ownerOf, tokenOf, usersOf } from "./members-house.ts";
import {
  askAt,
  eventsOf,
  expectDeathWithinASecond,
  makeKey,
  needsGroupsWrite,
  sentenceOf,
} from "./support.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
let users: ReturnType<typeof usersOf>;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise, other } = house.organizations);
  users = usersOf(house);
});
after(() => house[Symbol.asyncDispose]());

const codeOf = (body: { error: { details?: { error_code?: string } } }) =>
  body.error.details?.error_code;
const emails = (body: { data: { email: string }[] }) => body.data.map(({ email }) => email);

test("[USR1] newest first, in pages both ways, 1000 at most", async () => {
  const people = [];
  for (let i = 0; i < 5; i++) people.push(await addMember(house, other));
  const { body: all } = await users.list(other);
  const ids = all.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(ids, [...people.map(({ id }) => id).toReversed(), await ownerOf(house, other)]);
  assert.deepEqual([all.has_more, all.first_id, all.last_id], [false, ids[0], ids[5]]);
  const { body: second } = await users.list(other, `limit=2&after_id=${ids[1]}`);
  assert.deepEqual(
    second.data.map(({ id }: { id: string }) => id),
    ids.slice(2, 4),
  );
  assert.equal(second.has_more, true);
  const { body: back } = await users.list(other, `limit=2&before_id=${ids[4]}`);
  assert.deepEqual(
    back.data.map(({ id }: { id: string }) => id),
    ids.slice(2, 4),
  );
  assert.equal((await users.list(other, "limit=1000")).status, 200);
  assert.match(sentenceOf(await users.list(other, "limit=1001"), 400), /^limit: /);
});

test("[USR1] a place is a member of the organization, also one who left meanwhile", async () => {
  const people = [await addMember(house, other), await addMember(house, other)];
  const [, gone] = people;
  await users.remove(other, gone?.id ?? "");
  const { status, body } = await users.list(other, `limit=1&after_id=${gone?.id}`);
  assert.equal(status, 200);
  assert.equal(body.data[0].id, people[0]?.id);
  const theirs = await ownerOf(house, platform);
  for (const place of [theirs, "user_nobody"])
    for (const field of ["after_id", "before_id"])
      assert.match(
        sentenceOf(await users.list(other, `${field}=${place}`), 400),
        new RegExp(`^${field}: is not the id of a member`),
      );
});

test("[USR2] e-mail is compared without case and without plus-tags, on both sides", async () => {
  const plain = await addMember(house, enterprise, { email: "ada@USR2.example" });
  const tagged = await addMember(house, enterprise, { email: "Ada+Work@usr2.example" });
  const odd = await addMember(house, enterprise, { email: "+tag@usr2.example" });
  await addMember(house, enterprise, { email: "adam@usr2.example" });
  for (const email of ["ada@usr2.example", "ADA@usr2.EXAMPLE", "ada+x+y@usr2.example"]) {
    const { body } = await users.list(enterprise, `email=${encodeURIComponent(email)}`);
    assert.deepEqual(emails(body), [tagged.email, plain.email], email);
  }
  const { body } = await users.list(enterprise, `email=${encodeURIComponent("+tag@usr2.example")}`);
  assert.deepEqual(emails(body), [odd.email], "a tag of nobody is a name");
  assert.deepEqual((await users.list(enterprise, "email=nobody@usr2.example")).body.data, []);
});

test("[USR2] roles are one or the other, and both filters together", async () => {
  const developer = await addMember(house, platform, { role: "developer" });
  const billing = await addMember(house, platform, { role: "billing" });
  await addMember(house, platform);
  const either = "roles[]=developer&roles[]=billing";
  assert.deepEqual(emails((await users.list(platform, either)).body), [
    billing.email,
    developer.email,
  ]);
  const { body: one } = await users.list(platform, `${either}&limit=1`);
  assert.deepEqual([emails(one), one.has_more], [[billing.email], true]);
  const next = await users.list(platform, `${either}&limit=1&after_id=${one.last_id}`);
  assert.deepEqual(emails(next.body), [developer.email]);
  const back = await users.list(platform, `${either}&before_id=${developer.id}`);
  assert.deepEqual(emails(back.body), [billing.email]);
  const both = await users.list(platform, `roles[]=billing&email=${developer.email}`);
  assert.deepEqual(both.body.data, []);
  assert.match(sentenceOf(await users.list(platform, "roles[]=king"), 400), /^roles/);
});

test("[USR3] a member of another organization is absent", async () => {
  const { id, email } = await addMember(house, other);
  for (const answer of [
    await users.get(platform, id),
    await users.setRole(platform, id, "developer"),
    await users.remove(platform, id),
  ])
    assert.equal(sentenceOf(answer, 404), `There is no member ${id}.`);
  assert.deepEqual((await users.list(platform, `email=${email}`)).body.data, []);
  assert.equal((await users.get(other, id)).body.role, "user");
});

test("[USR4] the coding role has a word in each dialect", async () => {
  const { id } = await addMember(house, platform);
  const old = { headers: { "vendor-version": "2023-06-01" } };
  const now = { headers: { "anthropic-version": "2026-10-21" } };
  assert.equal(
    (await users.setRole(platform, id, "vendor_code_user", now)).body.role,
    "claude_code_user",
  );
  assert.equal((await users.get(platform, id, old)).body.role, "vendor_code_user");
  await users.setRole(platform, id, "user");
  assert.equal(
    (await users.setRole(platform, id, "claude_code_user", old)).body.role,
    "vendor_code_user",
  );
  for (const word of ["vendor_code_user", "claude_code_user"]) {
    const { body } = await users.list(platform, `roles[]=${word}`, old);
    assert.deepEqual(
      body.data.map((user: { id: string; role: string }) => [user.id, user.role]),
      [[id, "vendor_code_user"]],
    );
  }
});

test("[USR4] sentences say the words of the version", async () => {
  const { id } = await addMember(house, platform);
  for (const [version, own, other] of [
    ["2023-06-01", "vendor_code_user", "claude_code_user"],
    ["2026-10-21", "claude_code_user", "vendor_code_user"],
  ] as const) {
    const headers = { "anthropic-version": version };
    const key = platform.admin_api_key;
    const path = "/v1/organizations/users";
    const refusals = [
      await users.setRole(platform, id, "admin", { headers }),
      await users.setRole(platform, id, "nothing", { headers }),
      await house.ask("GET", `${path}?roles[]=nothing`, { key, headers }),
      await house.ask("POST", `${path}/${id}`, { key, headers, body: {} }),
    ];
    for (const refusal of refusals) {
      const sentence = sentenceOf(refusal, 400);
      assert.ok(sentence.includes(own), `${version}: ${sentence}`);
      assert.ok(!sentence.includes(other), `${version}: ${sentence}`);
    }
    const body = { email: `usr4-${version}@members.example`, role: "user" };
    const invites = "/v1/organizations/invites";
    const made = await house.ask("POST", invites, { key, headers, body });
    const invite = `${invites}/${made.body.id}`;
    await house.ask("DELETE", invite, { key, headers });
    const { status } = (await house.ask("GET", invite, { key, headers })).body;
    const again = sentenceOf(await house.ask("DELETE", invite, { key, headers }), 400);
    assert.ok(again.includes(`was ${status}: make a new one`), `${version}: ${again}`);
  }
});

test("[USR5] each type of organization has the roles that the API gives", async () => {
  const given = async (tenant: Tenant) => {
    const { id } = await addMember(house, tenant);
    const taken = [];
    for (const role of [
      "user",
      "claude_code_user",
      "developer",
      "billing",
      "managed",
      "membership_admin",
      "admin",
      "owner",
      "primary_owner",
    ]) {
      const answer = await users.setRole(tenant, id, role);
      if (answer.status === 200) taken.push(answer.body.role);
      else assert.match(sentenceOf(answer, 400), /^role: .* cannot be given here/);
    }
    return taken;
  };
  assert.deepEqual(await given(platform), ["user", "vendor_code_user", "developer", "billing"]);
  assert.deepEqual(await given(enterprise), ["user", "managed"]);
  const { id } = await addMember(house, enterprise);
  const { secret } = await makeKey(house, enterprise, {
    scopes: ["read:members", "write:members"],
  });
  for (const version of ["2026-10-21", "2023-06-01"]) {
    const asking = { key: secret, headers: { "anthropic-version": version } };
    const answer = await users.setRole(enterprise, id, "managed", asking);
    assert.match(sentenceOf(answer, 403), needsGroupsWrite, version);
  }
  assert.equal((await users.get(enterprise, id)).body.role, "user");
});

test("[USR6] whoever holds a protected role is not the API's to change", async () => {
  for (const [tenant, role] of [
    [platform, "admin"],
    [platform, "owner"],
    [enterprise, "membership_admin"],
    [enterprise, "owner"],
  ] as const) {
    const { id } = await addMember(house, tenant, { role });
    assert.match(sentenceOf(await users.setRole(tenant, id, "user"), 400), new RegExp(role));
    assert.match(sentenceOf(await users.remove(tenant, id), 400), new RegExp(role));
    assert.equal((await users.get(tenant, id)).body.role, role);
  }
  const primary = await ownerOf(house, platform);
  assert.match(sentenceOf(await users.setRole(platform, primary, "user"), 400), /primary_owner/);
  assert.match(sentenceOf(await users.remove(platform, primary), 400), /primary_owner/);
});

test("[USR7] removal ends sign-ins and tokens on another process within a second; keys live on", async () => {
  await using neighbour = await house.openSecondServer();
  const person = await addSignedIn(house, platform, "developer");
  const token = await tokenOf(house, platform, person.id, "workspace:developer");
  const { body: made } = await house.ask("POST", "/console/api/keys", {
    cookie: person.cookie,
    body: { name: "Lives on", kind: "api" },
  });
  const signedIn = { cookie: person.cookie };
  assert.equal((await askAt(neighbour.url, "GET", "/v1/models", signedIn)).status, 200);
  assert.equal((await askAt(neighbour.url, "GET", "/v1/models", { key: token })).status, 200);
  const answer = await users.remove(platform, person.id);
  const since = performance.now();
  assert.deepEqual([answer.status, answer.body], [200, { id: person.id, type: "user_deleted" }]);
  assert.equal((await house.ask("GET", "/console/api/me", signedIn)).status, 401);
  await expectDeathWithinASecond(neighbour.url, "/v1/models", signedIn, since);
  await expectDeathWithinASecond(neighbour.url, "/v1/models", { key: token }, since);
  assert.equal((await askAt(neighbour.url, "GET", "/v1/models", { key: made.secret })).status, 200);
  assert.equal((await users.get(platform, person.id)).status, 404);
  const [event] = await eventsOf(house, platform, 1);
  assert.deepEqual([event?.action, event?.target?.id], ["user.removed", person.id]);
});

test("[USR7] the last member stays", async () => {
  const { cloud } = house.organizations;
  const only = await ownerOf(house, cloud);
  const { organization_id } = cloud;
  await assert.rejects(
    house.world.db.tx((tx) => removeUser(tx, house.world, operator, organization_id, only)),
    /is the only member/,
  );
  const lonely = await ownerOf(house, enterprise);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      delete from users where organization_id = ${enterprise.organization_id} and id <> ${lonely}`),
  );
  const { status, body } = await users.remove(enterprise, lonely);
  assert.deepEqual([status, codeOf(body)], [400, "cannot_remove_last_member"]);
});

test("[USR8] the primary owner is removed by nobody, and has the role until it is handed on", async () => {
  const { world } = house;
  const { organization_id } = platform;
  const primary = await ownerOf(house, platform);
  const { id } = await addMember(house, platform);
  await assert.rejects(
    world.db.tx((tx) => removeUser(tx, world, operator, organization_id, primary)),
    /primary owner, who cannot be removed/,
  );
  for (const change of [
    { userId: primary, role: "user" },
    { userId: id, role: "primary_owner" },
  ] as const)
    await assert.rejects(
      world.db.tx((tx) => setRole(tx, world, operator, organization_id, change)),
      /exactly one primary owner/,
    );
});

test("[USR9] a change of role holds on another process within a second", async () => {
  await using neighbour = await house.openSecondServer();
  const { id, cookie } = await addSignedIn(house, platform, "developer");
  const keys = () => askAt(neighbour.url, "GET", "/console/api/keys", { cookie });
  assert.equal((await keys()).status, 200);
  assert.equal((await users.setRole(platform, id, "user")).status, 200);
  const since = performance.now();
  for (;;) {
    const askedMs = performance.now() - since;
    if ((await keys()).status === 403) break;
    assert.ok(askedMs < 1_000, `still let in ${Math.round(askedMs)} ms after`);
  }
});

test("[USR10] who changes what another changes meanwhile is told so", async () => {
  const { world } = house;
  const { organization_id } = platform;
  const one = await addMember(house, platform);
  const two = await addMember(house, platform);
  let answers: Promise<{ status: number; body: Parameters<typeof codeOf>[0] }[]> | undefined;
  await world.db.tx(async (tx) => {
    await setRole(tx, world, operator, organization_id, { userId: one.id, role: "billing" });
    await removeUser(tx, world, operator, organization_id, two.id);
    answers = Promise.all([
      users.setRole(platform, one.id, "developer"),
      users.remove(platform, two.id),
    ]);
    for (let waiting = 0; waiting < 2;) {
      const [row] = await tx.query<{ waiting: number }>(sql`
        select count(*) as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`);
      waiting = row?.waiting ?? 0;
    }
  });
  for (const { status, body } of (await answers) ?? assert.fail())
    assert.deepEqual([status, codeOf(body)], [409, "concurrent_membership_change"]);
  assert.equal((await users.setRole(platform, one.id, "developer")).status, 200);
});

test("[USR11] what the identity provider controls is closed, and can be read", async () => {
  const { id } = await addMember(house, enterprise);
  await addMember(house, enterprise);
  const { organization_id } = enterprise;
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into identity_providers
        (organization_id, name, provisioning, controls_roles, controls_groups, updated_at)
      values (${organization_id}, 'Example Directory', 'scim', true, false, now())`),
  );
  for (const answer of [
    await users.setRole(enterprise, id, "managed"),
    await users.remove(enterprise, id),
  ])
    assert.match(sentenceOf(answer, 400), /Example Directory/);
  assert.equal((await users.get(enterprise, id)).status, 200);
  assert.equal((await users.list(enterprise)).status, 200);
});
