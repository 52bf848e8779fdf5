// Rules USR8, USR12 and USR28 to USR30, over HTTP: what administrators and owners do in the console.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import {
  addMember,
  addSignedIn,
  errorCodeOf,
  invitesOf,
  ownerOf,
  usersOf,
} from "./members-house.ts";
import { askAt, makeKey, sentenceOf } from "./support.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
let other: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise, other } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const setRole = (cookie: string, id: string, role: string) =>
  house.ask("POST", `/console/api/organization_members/${id}/role`, { cookie, body: { role } });
const remove = (cookie: string, id: string) =>
  house.ask("DELETE", `/console/api/organization_members/${id}`, { cookie });
const roleOf = async (tenant: Tenant, id: string) =>
  (await usersOf(house).get(tenant, id)).body.role as string;

test("[USR12] administrators give ordinary roles, owners every one but the first", async () => {
  const admin = await addSignedIn(house, platform, "admin");
  const owner = await addSignedIn(house, platform, "owner");
  const { id } = await addMember(house, platform);
  for (const role of ["developer", "billing", "claude_code_user", "user"])
    assert.equal((await setRole(admin.cookie, id, role)).status, 200, role);
  for (const role of ["admin", "owner", "primary_owner", "managed"])
    assert.equal((await setRole(admin.cookie, id, role)).status, 400, role);
  for (const role of ["admin", "owner", "user"])
    assert.equal((await setRole(owner.cookie, id, role)).status, 200, role);
  assert.equal((await setRole(owner.cookie, id, "primary_owner")).status, 400);
  const inEnterprise = await addMember(house, enterprise);
  for (const role of ["managed", "membership_admin", "owner"])
    assert.equal((await setRole(enterprise.cookie, inEnterprise.id, role)).status, 200, role);
});

test("[USR12] an invite gives the roles that the inviter may give", async () => {
  const admin = await addSignedIn(house, platform, "admin");
  const invite = (cookie: string, role: string, email: string) =>
    house.ask("POST", "/console/api/invites", { cookie, body: { email, role } });
  assert.equal((await invite(admin.cookie, "admin", "a@usr12.example")).status, 400);
  assert.equal((await invite(admin.cookie, "developer", "b@usr12.example")).status, 200);
  assert.equal((await invite(platform.cookie, "admin", "c@usr12.example")).status, 200);
  assert.equal((await invite(platform.cookie, "primary_owner", "d@usr12.example")).status, 400);
});

test("[USR28] nobody reaches who stands beside or above them, and nobody removes themself", async () => {
  const admin = await addSignedIn(house, platform, "admin");
  const peer = await addMember(house, platform, { role: "admin" });
  const owner = await addMember(house, platform, { role: "owner" });
  const primary = await ownerOf(house, platform);
  for (const id of [peer.id, owner.id, primary, admin.id]) {
    assert.equal((await setRole(admin.cookie, id, "user")).status, 403);
    const { status } = await remove(admin.cookie, id);
    assert.equal(status, id === admin.id ? 400 : 403);
  }
  assert.match(sentenceOf(await setRole(platform.cookie, primary, "user"), 403), /primary_owner/);
  assert.match(sentenceOf(await remove(platform.cookie, primary), 400), /remove yourself/);
  assert.equal((await remove(platform.cookie, peer.id)).status, 200);
  assert.equal((await usersOf(house).get(platform, peer.id)).status, 404);
});

test("[USR28] a member of another organization is absent", async () => {
  const { id } = await addMember(house, other);
  assert.equal((await setRole(platform.cookie, id, "developer")).status, 404);
  assert.equal((await remove(platform.cookie, id)).status, 404);
});

test("[USR28] two owners who demote each other: exactly one is demoted", async () => {
  await using neighbour = await house.openSecondServer();
  for (let round = 0; round < 5; round++) {
    const one = await addSignedIn(house, platform, "owner");
    const two = await addSignedIn(house, platform, "owner");
    const demote = (url: string, cookie: string, id: string) =>
      askAt(url, "POST", `/console/api/organization_members/${id}/role`, {
        cookie,
        body: { role: "user" },
      });
    const answers = await Promise.all([
      demote(house.url, one.cookie, two.id),
      demote(neighbour.url, two.cookie, one.id),
    ]);
    const roles = [await roleOf(platform, one.id), await roleOf(platform, two.id)];
    assert.deepEqual(roles.toSorted(), ["owner", "user"]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const loser = answers.find(({ status }) => status !== 200);
    assert.ok(loser?.status === 403 || loser?.status === 409, JSON.stringify(loser?.body));
  }
});

test("[USR29] the ownership is handed on at once, and only to whose e-mail is repeated", async () => {
  const tenant = other;
  const first = await ownerOf(house, tenant);
  const heir = await addSignedIn(house, tenant, "user");
  const transfer = (cookie: string, user_id: string, email: string) =>
    house.ask("POST", "/console/api/ownership", { cookie, body: { user_id, email } });
  assert.match(sentenceOf(await transfer(tenant.cookie, heir.id, "x@y.example"), 400), /^email: /);
  assert.equal((await transfer(heir.cookie, heir.id, heir.email)).status, 403);
  const theirs = await addMember(house, platform);
  assert.equal((await transfer(tenant.cookie, theirs.id, theirs.email)).status, 404);
  assert.equal((await transfer(tenant.cookie, first, "owner@other.example")).status, 400);
  const { status, body } = await transfer(tenant.cookie, heir.id, heir.email.toUpperCase());
  assert.deepEqual([status, body.role], [200, "primary_owner"]);
  assert.equal(await roleOf(tenant, first), "owner");
  assert.equal((await transfer(tenant.cookie, heir.id, heir.email)).status, 403);
});

test("[USR29] two transfers at once leave one primary owner", async () => {
  await using neighbour = await house.openSecondServer();
  const tenant = house.organizations.cloud;
  const heirs = [await addMember(house, tenant), await addMember(house, tenant)];
  const answers = await Promise.all(
    heirs.map(({ id, email }, index) =>
      askAt(index === 0 ? house.url : neighbour.url, "POST", "/console/api/ownership", {
        cookie: tenant.cookie,
        body: { user_id: id, email },
      }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const loser = answers.find(({ status }) => status !== 200);
  if (loser?.status === 409) assert.equal(errorCodeOf(loser.body), "concurrent_membership_change");
  else assert.equal(loser?.status, 403);
  const rows = await house.world.db.query(sql`
    select id from users
    where organization_id = ${tenant.organization_id} and role = 'primary_owner'`);
  assert.equal(rows.length, 1);
});

test("[USR8] who left is still named where they did something", async () => {
  const gone = await addSignedIn(house, platform, "developer");
  const here = await addMember(house, platform);
  const theirs = await addMember(house, other);
  const key = await makeKey(house, { ...platform, cookie: gone.cookie }, { kind: "api" });
  await remove(platform.cookie, gone.id);
  const ids = [gone.id, here.id, theirs.id, "user_nobody"].map((id) => `ids[]=${id}`).join("&");
  const { body } = await house.ask("GET", `/console/api/people?${ids}`, {
    cookie: platform.cookie,
  });
  type Named = { id: string; name: string; removed_at: string | null };
  const byId = new Map((body.data as Named[]).map((person) => [person.id, person]));
  assert.equal(byId.size, 2);
  assert.equal(byId.get(gone.id)?.name, gone.name);
  assert.ok(byId.get(gone.id)?.removed_at);
  assert.equal(byId.get(here.id)?.removed_at, null);
  const { body: keys } = await house.ask("GET", "/console/api/keys?limit=100", {
    cookie: platform.cookie,
  });
  const made = (keys.data as { id: string; created_by: { id: string; name: string } }[]).find(
    ({ id }) => id === key.id,
  );
  assert.deepEqual(made?.created_by.id, gone.id);
  assert.deepEqual(made?.created_by.name, gone.name);
});

test("[USR28] the list says what the viewer may do, and finds by how an e-mail or a name begins", async () => {
  const admin = await addSignedIn(house, platform, "admin");
  const found = await addMember(house, platform, { name: "Zaphod B", email: "zb@usr28.example" });
  const search = async (cookie: string, q: string) => {
    const { body } = await house.ask("GET", `/console/api/organization_members?q=${q}`, { cookie });
    return body.data as { id: string; may: { roles: string[]; remove: boolean } }[];
  };
  for (const q of ["zaph", "ZB@usr28", "Zaphod%20b"]) {
    const [one, ...rest] = await search(admin.cookie, q);
    assert.deepEqual([one?.id, rest], [found.id, []], q);
    assert.ok(one?.may.remove);
    assert.ok(!one?.may.roles.includes("admin"));
  }
  assert.deepEqual(await search(admin.cookie, "aphod"), []);
  const [self] = await search(admin.cookie, admin.email);
  assert.deepEqual(self?.may.remove, false);
  assert.deepEqual(await search(other.cookie, "zaph"), []);
});

test("[USR30] a person changes their own name", async () => {
  const { id, cookie } = await addSignedIn(house, platform, "user");
  const rename = (name: string) =>
    house.ask("POST", "/console/api/name", { cookie, body: { name } });
  assert.deepEqual((await rename("  New  name ")).body, { id, name: "New  name" });
  const { body } = await house.ask("GET", "/console/api/me", { cookie });
  assert.equal(body.user.name, "New  name");
  assert.equal((await rename("\u200b")).status, 400);
});

test("[USR28] what the viewer may invite is said beforehand", async () => {
  const admin = await addSignedIn(house, platform, "admin");
  const acts = async (cookie: string) =>
    (await house.ask("GET", "/console/api/member_acts", { cookie })).body;
  assert.deepEqual((await acts(admin.cookie)).invite_roles, [
    "user",
    "vendor_code_user",
    "developer",
    "billing",
  ]);
  assert.ok((await acts(platform.cookie)).invite_roles.includes("owner"));
  assert.equal((await acts(platform.cookie)).invites_closed, null);
  assert.equal((await invitesOf(house).create(platform)).status, 200);
});
