// Rules SCM21 to SCM28, over HTTP: people whom the provider pushes, and what they are in the house.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { addSignedIn } from "./members-house.ts";
import { isInGroup, memberRow, patchOf, providerOf, refused, type Provider } from "./scim-house.ts";
import { until } from "./support.ts";
import { programIn } from "./tokens-house.ts";

let house: House;
let provider: Provider;
before(async () => {
  house = await openHouse();
  provider = await providerOf(house);
});
after(() => house[Symbol.asyncDispose]());

const patch = (id: string, ...operations: unknown[]) =>
  provider.scim("PATCH", `/Users/${id}`, patchOf(...operations));
const replace = (path: string, value: unknown) => ({ op: "replace", path, value });
const find = (filter: string) =>
  provider.scim("GET", `/Users?filter=${encodeURIComponent(filter)}`);

test("[SCM21] unknown attributes are kept and given back; a password is not, anywhere", async () => {
  const { id } = await provider.user("kept", {
    password: "a secret of the person",
    costume: { hat: "red" },
    "urn:example:2.0:User": { desk: 4 },
  });
  const { body } = await provider.scim("GET", `/Users/${id}`);
  assert.deepEqual(body.costume, { hat: "red" });
  assert.deepEqual(body["urn:example:2.0:User"], { desk: 4 });
  assert.ok(body.schemas.includes("urn:example:2.0:User"));
  const rows = await house.world.db.query<{ row: string }>(
    sql`select to_jsonb(s)::text as row from scim_users s where id = ${id}`,
  );
  assert.equal(rows[0]?.row.includes("a secret of the person"), false);
  const big = patchOf(replace("costume", "x".repeat(70_000)));
  refused(await provider.scim("PATCH", `/Users/${id}`, big), 400, "tooMany");
});

test("[SCM21] the address is the primary one, that of work, the first, the userName; else refused", async () => {
  const create = (body: object) => provider.scim("POST", "/Users", body);
  const addressOf = async (userName: string, emails: unknown) => {
    const { body } = await create({ userName, emails });
    return (await memberRow(house, body.id))?.email;
  };
  const [a, b] = [{ value: "a1@a.example" }, { value: "b1@a.example", type: "work" }];
  assert.equal(await addressOf("one", [a, b]), "b1@a.example");
  assert.equal(
    await addressOf("two", [{ value: "a2@a.example", primary: "True" }, b]),
    "a2@a.example",
  );
  assert.equal(await addressOf("three", [{ value: "a3@a.example" }]), "a3@a.example");
  assert.equal(await addressOf("four@a.example", undefined), "four@a.example");
  assert.match(refused(await create({ userName: "five" }), 400, "invalidValue"), /^emails: /);
  assert.match(
    refused(await create({ userName: "six", emails: [{ value: "no" }] }), 400, "invalidValue"),
    /^emails: /,
  );
  assert.match(refused(await create({ displayName: "x" }), 400, "invalidValue"), /^userName: /);
  refused(await create({ userName: "seven", emails: [b] }), 409, "uniqueness");
});

test("[SCM21] of many that are created under one name, one is", async () => {
  const asked = Array.from({ length: 5 }, (_, at) =>
    provider.scim("POST", "/Users", {
      userName: "Race",
      emails: [{ value: `race${at}@r.example` }],
    }),
  );
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409],
  );
});

test("[SCM22] what is not understood is refused by name, and nothing of the request holds", async () => {
  const { id } = await provider.user("strict", { displayName: "Before" });
  const bad: [unknown, string, RegExp][] = [
    [
      { op: "move", path: "displayName", value: "x" },
      "invalidSyntax",
      /\[1\]\.op: "move" is not add/,
    ],
    [{ op: "remove" }, "noTarget", /\[1\]\.path: is missing/],
    [{ op: "replace", path: "displayName" }, "invalidValue", /\[1\]\.value: is missing/],
    [{ op: "replace", value: "text" }, "invalidValue", /\[1\]\.value: must be an object/],
    ["text", "invalidSyntax", /\[1\]: must be an object/],
    [replace("active", "no"), "invalidValue", /^active: must be true or false/],
    [replace("emails[type eq", "x"), "invalidPath", /is not the path of an attribute/],
    [replace("emails[type is work].value", "x"), "invalidFilter", /is no filter/],
    [replace("__proto__.polluted", "x"), "invalidPath", /is not the path of an attribute/],
    [replace("constructor.name", "x"), "invalidPath", /constructor is no attribute/],
    [replace("userName", ["x"]), "invalidValue", /^userName: must be a text/],
  ];
  for (const [operation, scimType, sentence] of bad) {
    const answer = await patch(id, replace("displayName", "After"), operation);
    assert.match(refused(answer, 400, scimType), sentence);
  }
  refused(await provider.scim("PATCH", `/Users/${id}`, {}), 400, "invalidSyntax");
  assert.equal((await memberRow(house, id))?.name, "Before");
});

test("[SCM22] attributes are added, merged and removed, in any case of their names", async () => {
  const { id } = await provider.user("parts");
  const answer = await patch(
    id,
    { op: "ADD", path: "phoneNumbers", value: [{ type: "work", value: "1" }] },
    { op: "add", path: "PHONENUMBERS", value: { type: "home", value: "2" } },
    { op: "add", path: "name", value: { givenName: "Ada" } },
    { OP: "Add", PATH: "name", VALUE: { familyName: "L" } },
    { op: "remove", path: 'phoneNumbers[type eq "WORK"]' },
    { op: "add", path: "urn:ietf:params:scim:schemas:core:2.0:User:title", value: "Countess" },
    { op: "add", value: { nickName: "A" } },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(answer.body.phoneNumbers, [{ type: "home", value: "2" }]);
  assert.deepEqual(answer.body.name, { givenName: "Ada", familyName: "L" });
  assert.deepEqual([answer.body.title, answer.body.nickName], ["Countess", "A"]);
  assert.equal((await memberRow(house, id))?.name, "Ada L");
  const gone = await patch(
    id,
    { op: "remove", path: "nickName" },
    { op: "remove", path: "name.familyName" },
  );
  assert.equal(gone.body.nickName, undefined);
  assert.deepEqual(gone.body.name, { givenName: "Ada" });
});

test("[SCM23] whoever comes takes a seat; without a free one they do not come", async () => {
  const { scim, tenant } = await providerOf(house);
  await house.world.db.tx((tx) =>
    tx.query(sql`
      insert into seat_tiers (id, organization_id, name, position, seats, taken)
      values (${`tier_${tenant.organization_id}`}, ${tenant.organization_id}, 'Only', 0, 1, 0)`),
  );
  const taken = async () => {
    const [row] = await house.world.db.query<{ taken: number }>(
      sql`select taken from seat_tiers where organization_id = ${tenant.organization_id}`,
    );
    return row?.taken;
  };
  const create = (userName: string) => scim("POST", "/Users", { userName });
  const first = await create("first@seats.example");
  assert.equal(first.status, 201);
  assert.equal(await taken(), 1);
  assert.match(
    refused(await create("second@seats.example"), 400, "invalidValue"),
    /No seat is free/,
  );
  const off = patchOf(replace("active", "False"));
  assert.equal((await scim("PATCH", `/Users/${first.body.id}`, off)).status, 200);
  assert.equal(await taken(), 0);
  assert.equal((await create("second@seats.example")).status, 201);
  const on = patchOf(replace("active", "True"));
  assert.match(
    refused(await scim("PATCH", `/Users/${first.body.id}`, on), 400, "invalidValue"),
    /No seat/,
  );
  assert.equal((await scim("GET", `/Users/${first.body.id}`)).body.active, false);
});

test("[SCM23] whoever is created switched off is nobody's member, and has the same id when switched on", async () => {
  const { id, email } = await provider.user("later", { active: "False" });
  assert.equal(await memberRow(house, id), undefined);
  await patch(id, { op: "replace", value: { active: true } });
  assert.equal((await memberRow(house, id))?.email, email);
});

test("[SCM24] switched off: sign-ins and tokens die on every process, groups are left and found again", async () => {
  const { tenant, scim } = provider;
  const person = await addSignedIn(house, tenant, "user");
  const { access_token: key } = await programIn(house, tenant, { userId: person.id });
  const group = await provider.group("Off and on", [person.id]);
  await using neighbour = await house.openSecondServer();
  const dead = async (): Promise<boolean> => {
    const asked = [house.url, neighbour.url].flatMap((url) => [
      fetch(`${url}/console/api/me`, { headers: { cookie: person.cookie } }),
      fetch(`${url}/v1/organizations/me`, { headers: { "x-api-key": key } }),
    ]);
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    return statuses.every((status) => status === 401);
  };
  assert.equal(await dead(), false);
  assert.equal(await isInGroup(house, group, person.id), true);
  const off = await patch(person.id, replace("active", "False"));
  assert.equal(off.body.active, false);
  await until(dead, "both processes to know", 1_000);
  assert.equal(await isInGroup(house, group, person.id), false);
  assert.equal((await find(`userName eq "${person.email}"`)).body.Resources[0].id, person.id);
  await patch(person.id, replace("active", "True"));
  assert.equal((await memberRow(house, person.id))?.email, person.email);
  assert.equal(await isInGroup(house, group, person.id), true);
  assert.equal(await dead(), true);
  assert.equal((await scim("DELETE", `/Users/${person.id}`)).status, 204);
  refused(await scim("GET", `/Users/${person.id}`), 404);
  assert.equal(await memberRow(house, person.id), undefined);
  assert.notEqual((await provider.user("other", { userName: person.email })).id, person.id);
});

test("[SCM24] the primary owner is never switched off, and nothing of the request holds", async () => {
  const { tenant, scim } = provider;
  const { body } = await find(`userName eq "${tenant.owner_email}"`);
  const { id } = body.Resources[0];
  const answer = await patch(id, replace("displayName", "Gone"), replace("active", false));
  assert.match(refused(answer, 400, "mutability"), /primary owner/);
  refused(await scim("DELETE", `/Users/${id}`), 400, "mutability");
  assert.notEqual((await memberRow(house, id))?.name, "Gone");
  assert.equal((await house.ask("GET", "/console/api/me", { cookie: tenant.cookie })).status, 200);
});

test("[SCM24] who was switched off and is invited again under another id is found once", async () => {
  const { id, email } = await provider.user("twice");
  await patch(id, replace("active", false));
  await provider.console("POST", "identity_provider", { provisioning: "none" });
  const again = await addSignedIn(house, provider.tenant, "user");
  await house.world.db.tx((tx) =>
    tx.query(sql`update users set email = ${email}, email_key = ${email} where id = ${again.id}`),
  );
  await provider.console("POST", "identity_provider", { provisioning: "scim" });
  const { body } = await find(`userName eq "${email}"`);
  assert.deepEqual([body.totalResults, body.Resources[0].id], [1, again.id]);
});

test("[SCM25] filters ask for columns only, and nobody gets in by one", async () => {
  const { id } = await provider.user("filter", {
    displayName: "O'Neill % 100_",
    externalId: "X-1",
  });
  const found = async (filter: string) => {
    const { body } = await find(filter);
    return (body.Resources as { id: string }[]).map((row) => row.id).includes(id);
  };
  for (const filter of [
    'userName eq "FILTER@people.example" and active eq True',
    'USERNAME sw "filter@" and not (externalId eq "x-1")',
    'displayName eq "o\'neill % 100_"',
    'displayName co "% 100_"',
    'userName ew "people.example" and id eq "' + id + '"',
    'emails.value eq "filter@people.example" or userName eq "nobody"',
    'externalId pr and meta.created le "2999-01-01T00:00:00Z"',
    'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "filter@people.example"',
  ])
    assert.equal(await found(filter), true, filter);
  for (const filter of [
    'displayName co "%%"',
    'displayName sw "_"',
    `userName eq "x' or '1'='1"`,
    'userName eq "\\"; drop table users; --"',
    "active eq false",
  ])
    assert.equal(await found(filter), false, filter);
  for (const filter of [
    "userName",
    'userName eq "a',
    'password eq "a"',
    'organization_id eq "a"',
    '__proto__ eq "a"',
    "active co true",
    'meta.created gt "soon"',
    "userName eq 'a' or 1=1",
    Array.from({ length: 40 }, () => 'id eq "a"').join(" or "),
    `userName eq "${"x".repeat(2000)}"`,
  ])
    assert.match(refused(await find(filter), 400, "invalidFilter"), /^filter: /);
});

test("[SCM26] pages follow each other through everybody, also when somebody goes meanwhile", async () => {
  const { scim, user } = await providerOf(house);
  const ids: string[] = [];
  for (let at = 0; at < 7; at += 1) ids.push((await user(`page-${at}`)).id);
  const page = async (startIndex: number, count: number) =>
    (await scim("GET", `/Users?startIndex=${startIndex}&count=${count}`)).body;
  const idsIn = ({ Resources }: { Resources: { id: string }[] }) => Resources.map(({ id }) => id);
  const first = await page(1, 3);
  assert.deepEqual([first.totalResults, first.itemsPerPage, first.startIndex], [8, 3, 1]);
  const [, second = ""] = idsIn(first);
  await scim("DELETE", `/Users/${second}`);
  const next = await page(4, 3);
  assert.deepEqual(idsIn(next), ids.slice(2, 5));
  assert.deepEqual(idsIn(await page(7, 3)), ids.slice(5));
  // Nobody gave this place: it is counted out.
  assert.deepEqual(idsIn(await page(3, 2)), ids.slice(2, 4));
  assert.deepEqual((await page(1, 0)).Resources, []);
  assert.deepEqual((await page(100, 5)).Resources, []);
  assert.equal((await page(-5, 2)).startIndex, 1);
  assert.equal((await page(1, 100_000)).itemsPerPage, 7);
});

test("[SCM27] the strongest role that the organization's type has is the member's; owners keep theirs", async () => {
  const { scim, tenant, user, console } = await providerOf(house, "platform");
  const roleAfter = async (id: string, roles: unknown) => {
    const { status, body } = await scim("PATCH", `/Users/${id}`, patchOf(replace("roles", roles)));
    assert.equal(status, 200, JSON.stringify(body));
    return (await memberRow(house, id))?.role;
  };
  const { id } = await user("role", { roles: [{ value: "Developer", primary: "True" }] });
  assert.equal((await memberRow(house, id))?.role, "developer");
  assert.equal(await roleAfter(id, ["user", { value: "billing" }]), "billing");
  assert.equal(await roleAfter(id, [{ value: '{"id":"1","value":"Admin"}' }]), "admin");
  assert.equal(await roleAfter(id, [{ value: "owner" }]), "admin");
  assert.equal(await roleAfter(id, [{ value: "membership_admin" }, { value: "user" }]), "user");
  const owner = await addSignedIn(house, tenant, "owner");
  assert.equal(await roleAfter(owner.id, ["user"]), "owner");
  await console("POST", "identity_provider", { controls_roles: false, default_role: "developer" });
  assert.equal(await roleAfter(id, ["admin"]), "user");
  const later = await user("roleless", { roles: ["admin"] });
  assert.equal((await memberRow(house, later.id))?.role, "developer");
});

test("[SCM28] attributes are chosen and left out", async () => {
  const { id } = await provider.user("chosen");
  const fields = async (query: string) =>
    Object.keys((await provider.scim("GET", `/Users/${id}?${query}`)).body).sort();
  assert.deepEqual(await fields("attributes=userName,name.givenName"), [
    "id",
    "name",
    "schemas",
    "userName",
  ]);
  const rest = await fields("excludedAttributes=emails,id,groups");
  assert.equal(rest.includes("emails") || rest.includes("groups"), false);
  assert.ok(rest.includes("id"));
});
