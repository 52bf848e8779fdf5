// Rule USR25, over HTTP: signing a member out, and whom nobody signs out.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, addSignedIn, errorCodeOf, ownerOf, tokenOf, usersOf } from "./members-house.ts";
import {
  askAt,
  eventsOf,
  expectDeathWithinASecond,
  makeKey,
  me,
  needsGroupsWrite,
  sentenceOf,
} from "./support.ts";

let house: House;
let platform: Tenant;
let enterprise: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform, enterprise } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const beta = { "anthropic-beta": "admin-user-sign-out-2026-10-08" };
const signOut = (id: string, key: string) =>
  house.ask("POST", `/v1/organizations/users/${id}/sign_out`, { key, headers: beta });
const inConsole = (id: string, cookie: string) =>
  house.ask("POST", `/console/api/organization_members/${id}/end_sign_ins`, { cookie });
const refusal = async (answer: ReturnType<typeof signOut>) => {
  const { status, body } = await answer;
  return `${status} ${errorCodeOf(body)}`;
};

test("[USR25] it ends sign-ins and tokens everywhere, and nothing else", async () => {
  await using neighbour = await house.openSecondServer();
  const person = await addSignedIn(house, enterprise, "owner");
  const token = await tokenOf(house, enterprise, person.id);
  const key = await makeKey(house, { ...enterprise, cookie: person.cookie }, { kind: "api" });
  const credentials = [
    ["/console/api/me", { cookie: person.cookie }],
    [me, { key: token }],
  ] as const;
  for (const [path, credential] of credentials)
    assert.equal((await askAt(neighbour.url, "GET", path, credential)).status, 200);
  const { status, body } = await signOut(person.id, enterprise.admin_api_key);
  const since = performance.now();
  assert.deepEqual([status, body.id, body.role], [200, person.id, "owner"]);
  for (const [path, credential] of credentials)
    await expectDeathWithinASecond(neighbour.url, path, credential, since);
  assert.equal((await house.ask("GET", "/v1/models", { key: key.secret })).status, 200);
  assert.equal((await usersOf(house).get(enterprise, person.id)).status, 200);
  const again = { owner_email: person.email, owner_password: "a password of the tests" };
  assert.match(await house.signIn(again), /^__Host/);
  const [, event] = await eventsOf(house, enterprise, 2);
  assert.equal(event?.action, "user.signed_out_by_administrator");
});

test("[USR25] without its beta it is 400", async () => {
  const { id } = await addMember(house, platform);
  const path = `/v1/organizations/users/${id}/sign_out`;
  const answer = await house.ask("POST", path, { key: platform.admin_api_key });
  assert.match(sentenceOf(answer, 400), /admin-user-sign-out-2026-10-08/);
  assert.equal((await signOut(id, platform.admin_api_key)).status, 200);
});

test("[USR25] nobody signs out the primary owner, or themself", async () => {
  for (const tenant of [platform, enterprise]) {
    const primary = await ownerOf(house, tenant);
    const byKey = signOut(primary, tenant.admin_api_key);
    assert.equal(await refusal(byKey), "400 cannot_sign_out_primary_owner");
    assert.equal(await refusal(inConsole(primary, tenant.cookie)), "400 cannot_sign_out_self");
  }
  assert.equal((await signOut("user_nobody", platform.admin_api_key)).status, 404);
  const theirs = await addMember(house, platform);
  assert.equal((await signOut(theirs.id, enterprise.admin_api_key)).status, 404);
});

test("[USR25] owners, administrators and managed members want somebody who reaches them", async () => {
  const owner = await addMember(house, platform, { role: "owner" });
  const admin = await addMember(house, platform, { role: "admin" });
  const viewer = await addSignedIn(house, platform, "admin");
  assert.equal(
    await refusal(signOut(owner.id, platform.admin_api_key)),
    "403 cannot_sign_out_owner",
  );
  assert.equal(await refusal(inConsole(owner.id, viewer.cookie)), "403 cannot_sign_out_owner");
  assert.equal((await inConsole(owner.id, platform.cookie)).status, 200);
  assert.equal((await signOut(admin.id, platform.admin_api_key)).status, 200);
  assert.equal(
    await refusal(inConsole(admin.id, viewer.cookie)),
    "403 cannot_sign_out_privileged_member",
  );
  const token = await tokenOf(house, platform, viewer.id);
  assert.equal(await refusal(signOut(admin.id, token)), "403 cannot_sign_out_privileged_member");
  assert.equal(await refusal(signOut(viewer.id, token)), "400 cannot_sign_out_self");

  const managed = await addMember(house, enterprise, { role: "managed" });
  const membership = await addMember(house, enterprise, { role: "membership_admin" });
  const peer = await addSignedIn(house, enterprise, "membership_admin");
  const { secret } = await makeKey(house, enterprise, { scopes: ["write:members"] });
  assert.equal(await refusal(signOut(managed.id, secret)), "403 cannot_sign_out_managed_member");
  assert.match(sentenceOf(await signOut(managed.id, secret), 403), needsGroupsWrite);
  assert.equal((await signOut(managed.id, enterprise.admin_api_key)).status, 200);
  assert.equal(
    await refusal(inConsole(membership.id, peer.cookie)),
    "403 cannot_sign_out_membership_admin",
  );
  assert.equal((await signOut(membership.id, enterprise.admin_api_key)).status, 200);
});
