// Rules USR31, USR32 and KEY17: what somebody may do to others never makes more of themself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openHouse, type House, type Tenant } from "../house.ts";
import { groupsOf } from "./groups-house.ts";
import { addMember, addSignedIn } from "./members-house.ts";
import { makeKey, sentenceOf } from "./support.ts";

let house: House;
let enterprise: Tenant;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ enterprise, platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const users = "/v1/organizations/users";
const api = (cookie: string, method: string, path: string, body?: object) =>
  house.ask(method, path, { cookie, ...(body && { body }) });
const ownerInvite = async (tenant: Tenant, email: string) => {
  const body = { email, role: "owner" };
  const made = await api(tenant.cookie, "POST", "/console/api/invites", body);
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.invite.id as string;
};

test("[USR31] a managed member who looks after members does not lift themself, nor an account of their own", async () => {
  const { managed } = groupsOf(house);
  const person = await managed(enterprise, ["permission_members_write"]);
  const set = (id: string, role: string) => api(person.cookie, "POST", `${users}/${id}`, { role });
  assert.match(sentenceOf(await set(person.id, "managed"), 403), /their own role/);
  assert.match(sentenceOf(await set(person.id, "user"), 400), /cannot be given here/);
  assert.equal((await api(person.cookie, "DELETE", `${users}/${person.id}`)).status, 403);
  for (const path of ["/v1/organizations/invites", "/console/api/invites"]) {
    const invite = (role: string) =>
      api(person.cookie, "POST", path, { email: `${role}@accomplice.example`, role });
    assert.equal((await invite("user")).status, 400, path);
  }
  const other = await addMember(house, enterprise, { role: "user" });
  assert.equal((await set(other.id, "managed")).status, 200);
  assert.equal((await api(person.cookie, "DELETE", `${users}/${other.id}`)).status, 200);
  const invited = await api(person.cookie, "POST", "/console/api/invites", {
    email: "newcomer@members.example",
    role: "managed",
  });
  assert.equal(invited.status, 200, JSON.stringify(invited.body));
});

test("[USR31] nobody but an owner changes their own role", async () => {
  const manager = await addSignedIn(house, enterprise, "membership_admin");
  const self = await api(manager.cookie, "POST", `${users}/${manager.id}`, { role: "user" });
  assert.equal(self.status, 403);
});

test("[USR32] nobody takes an invite to a role above them into their hands", async () => {
  const { managed } = groupsOf(house);
  const cases: [Tenant, { cookie: string }][] = [
    [enterprise, await addSignedIn(house, enterprise, "membership_admin")],
    [enterprise, await managed(enterprise, ["permission_members_write"])],
    [platform, await addSignedIn(house, platform, "admin")],
  ];
  for (const [place, [tenant, { cookie }]] of cases.entries()) {
    const id = await ownerInvite(tenant, `heir-${place}@members.example`);
    const path = `/console/api/invites/${id}`;
    assert.match(sentenceOf(await api(cookie, "POST", `${path}/link`), 403), /stands above/);
    assert.equal((await api(cookie, "DELETE", `/v1/organizations/invites/${id}`)).status, 403);
    assert.equal((await api(tenant.cookie, "POST", `${path}/link`)).status, 200);
  }
});

test("[KEY17] a managed member makes no key that may more than they, and changes no admin key", async () => {
  const { managed } = groupsOf(house);
  const keys = "/console/api/keys";
  const poor = await managed(enterprise, ["permission_api_keys_write"]);
  const make = (cookie: string) => api(cookie, "POST", keys, { name: "Own", kind: "api" });
  assert.match(sentenceOf(await make(poor.cookie), 403), /messages:use/);
  const partly = await managed(enterprise, [
    "permission_api_keys_write",
    "capability_access_all",
    "model_access:sim-small",
  ]);
  assert.match(sentenceOf(await make(partly.cookie), 403), /every model/);
  const whole = await managed(enterprise, [
    "permission_api_keys_write",
    "capability_access_all",
    "model_access_all",
  ]);
  assert.equal((await make(whole.cookie)).status, 200);
  const admin = await makeKey(house, enterprise);
  for (const status of ["inactive", "archived"])
    assert.equal((await api(whole.cookie, "POST", `${keys}/${admin.id}`, { status })).status, 403);
});
