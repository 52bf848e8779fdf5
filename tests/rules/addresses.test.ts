// Rules IDN16, USR2, USR13, SCM21: an address with a mark in one character or in two is one address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House, type Tenant } from "../house.ts";
import { addMember, addSignedIn, passwordOfAll, usersOf } from "./members-house.ts";
import { providerOf } from "./scim-house.ts";
import { makePerson, workspacesOf } from "./workspaces-house.ts";

let house: House;
let platform: Tenant;
before(async () => {
  house = await openHouse();
  ({ platform } = house.organizations);
});
after(() => house[Symbol.asyncDispose]());

const composed = (name: string) => `${name}\u00e9@addresses.example`;
const taken = (name: string) => `${name}e\u0301@addresses.example`;
const query = (email: string) => `email=${encodeURIComponent(email)}`;
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);

test("[USR2] members are found by either spelling", async () => {
  const users = usersOf(house);
  for (const [stored, asked] of [
    [composed("ada"), taken("ADA")],
    [taken("grace"), composed("grace")],
  ] as const) {
    const { id } = await addMember(house, platform, { email: stored });
    assert.deepEqual(ids((await users.list(platform, query(asked))).body.data), [id]);
    const begin = encodeURIComponent(asked.slice(0, asked.indexOf("@")));
    const { body } = await house.ask(
      "GET",
      `/console/api/organization_members?q=${begin}`,
      platform,
    );
    assert.deepEqual(ids(body.data), [id]);
  }
});

test("[USR13] members and pending invites are named, whichever way they are spelled", async () => {
  const invite = async (email: string) => {
    const { status, body } = await house.ask("POST", "/v1/organizations/invites", {
      key: platform.admin_api_key,
      body: { email, role: "user" },
    });
    return status === 200 ? "made" : body.error.details?.error_code;
  };
  await addMember(house, platform, { email: taken("edsger") });
  assert.equal(await invite(composed("edsger")), "already_member");
  assert.equal(await invite(composed("barbara")), "made");
  assert.equal(await invite(taken("barbara")), "invite_already_exists");
});

test("[IDN16] a sign-in takes either spelling, also of one that was kept as it came", async () => {
  const person = await addSignedIn(house, platform, "developer");
  const signIn = (email: string) =>
    house.signIn({ owner_email: email, owner_password: passwordOfAll });
  const [email, other] = [taken("annie"), composed("annie")];
  await house.world.db.tx((tx) =>
    tx.query(sql`update users set email = ${email}, email_key = ${email} where id = ${person.id}`),
  );
  const file = join(import.meta.dirname, "../../migrations/0020_addresses.sql");
  const text = readFileSync(file, "utf8");
  await house.world.db.tx((tx) => tx.query({ text, values: [] }));
  for (const spelled of [email, other]) assert.ok(await signIn(spelled));
});

test("[WSP11] who is added to a workspace is found by either spelling", async () => {
  const workspaces = workspacesOf(house);
  const id = await workspaces.make(platform);
  const person = await makePerson(house, platform);
  const { id: userId } = await addMember(house, platform, { email: composed("jean") });
  assert.notEqual(userId, person.id);
  const asked = query(taken("Jean"));
  const { body } = await workspaces.inConsole(platform, "GET", `/${id}/candidates?${asked}`);
  assert.deepEqual(
    body.data.map(({ user_id }: { user_id: string }) => user_id),
    [userId],
  );
});

test("[SCM21] the provider finds people by either spelling, and makes nobody twice", async () => {
  const provider = await providerOf(house);
  const create = (body: object) => provider.scim("POST", "/Users", body);
  const { body } = await create({ userName: taken("mary") });
  assert.equal((await create({ userName: composed("Mary") })).status, 409);
  for (const filter of [`userName eq "${composed("mary")}"`, `emails eq "${taken("MARY")}"`]) {
    const found = await provider.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);
    assert.deepEqual(ids(found.body.Resources), [body.id], filter);
  }
});
