// Rules SCM29 to SCM31, over HTTP: groups that the provider pushes, and who is in them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { operator } from "../../server/audit/module.ts";
import * as groups from "../../server/groups/module.ts";
import { openHouse, type House } from "../house.ts";
import { isInGroup, patchOf, providerOf, refused, type Provider } from "./scim-house.ts";

let house: House;
let provider: Provider;
before(async () => {
  house = await openHouse();
  provider = await providerOf(house);
});
after(() => house[Symbol.asyncDispose]());

const patch = (id: string, ...operations: unknown[]) =>
  provider.scim("PATCH", `/Groups/${id}`, patchOf(...operations));
const membersOf = async (id: string) =>
  ((await provider.scim("GET", `/Groups/${id}`)).body.members as { value: string }[])
    .map(({ value }) => value)
    .sort();

test("[SCM29] members come and go in the order of the request", async () => {
  const [a, b, c] = [await provider.user("a"), await provider.user("b"), await provider.user("c")];
  const id = await provider.group("Order", [a.id]);
  const answer = await patch(
    id,
    { op: "Add", path: "members", value: { value: b.id } },
    { op: "remove", path: `members[value eq "${a.id}" or value eq "${b.id}"]` },
    { op: "add", value: { members: [b.id, { value: c.id, display: "c" }] } },
    { op: "Replace", path: "displayName", value: "Ordered" },
  );
  assert.equal(answer.status, 204);
  assert.deepEqual(await membersOf(id), [b.id, c.id].sort());
  assert.equal(await isInGroup(house, id, a.id), false);
  assert.equal(await isInGroup(house, id, c.id), true);
  assert.equal((await patch(id, { op: "remove", path: "members" })).status, 204);
  assert.deepEqual(await membersOf(id), []);
});

test("[SCM29] somebody unknown is refused, and nothing of the request holds", async () => {
  const { id: known } = await provider.user("known");
  const id = await provider.group("Whole");
  const add = (...ids: string[]) => ({
    op: "add",
    path: "members",
    value: ids.map((value) => ({ value })),
  });
  assert.match(
    refused(await patch(id, add(known, "user_nobody")), 400, "invalidValue"),
    /there is no user "user_nobody"/,
  );
  assert.deepEqual(await membersOf(id), []);
  refused(await patch(id, { op: "add", path: "members", value: [{}] }), 400, "invalidValue");
  refused(await patch(id, { op: "remove", path: 'members[display eq "x"]' }), 400, "invalidPath");
  refused(await patch(id, { op: "remove", path: "displayName" }), 400, "mutability");
  // Gone already, or never there: a removal that is repeated is no mistake.
  assert.equal(
    (await patch(id, { op: "remove", path: 'members[value eq "user_nobody"]' })).status,
    204,
  );
});

test("[SCM29] whoever is switched off stays a member by the provider's word, and gets nothing by it", async () => {
  const { id: user } = await provider.user("off", { active: false });
  const id = await provider.group("Dormant", [user]);
  assert.deepEqual(await membersOf(id), [user]);
  assert.equal(await isInGroup(house, id, user), false);
  const on = patchOf({ op: "replace", path: "active", value: true });
  await provider.scim("PATCH", `/Users/${user}`, on);
  assert.equal(await isInGroup(house, id, user), true);
  const { body } = await provider.scim("GET", `/Users/${user}`);
  assert.deepEqual(
    body.groups.map(({ display }: { display: string }) => display),
    ["Dormant"],
  );
});

test(
  "[SCM29] ten thousand members in one request, and out again",
  { timeout: 120_000 },
  async () => {
    const { tenant, scim, group } = await providerOf(house);
    const { organization_id } = tenant;
    await house.world.db.tx((tx) =>
      tx.query(sql`
      insert into users (id, organization_id, email, email_key, name, role, added_at)
      select ${`user_many_${organization_id}_`} || i, ${organization_id},
             i || '@many.example', i || '@many.example', 'Many ' || i, 'managed', now()
      from generate_series(1, 10000) i`),
    );
    const value = Array.from({ length: 10_000 }, (_, at) => ({
      value: `user_many_${organization_id}_${at + 1}`,
    }));
    const id = await group("Many");
    const add = await scim(
      "PATCH",
      `/Groups/${id}`,
      patchOf({ op: "Add", path: "members", value }),
    );
    assert.equal(add.status, 204, JSON.stringify(add.body));
    const read = await scim("GET", `/Groups/${id}`);
    assert.equal(read.body.members.length, 10_000);
    assert.equal(
      (await scim("PATCH", `/Groups/${id}`, patchOf({ op: "replace", path: "members", value: [] })))
        .status,
      204,
    );
    assert.equal((await scim("GET", `/Groups/${id}`)).body.members.length, 0);
  },
);

test("[SCM30] a page holds as many groups as their members fit", { timeout: 120_000 }, async () => {
  const { tenant, scim, group } = await providerOf(house);
  const { organization_id: id } = tenant;
  const made = [await group("One"), await group("Two"), await group("Three")];
  await house.world.db.tx(async (tx) => {
    await tx.query(sql`
      insert into users (id, organization_id, email, email_key, name, role, added_at)
      select ${`user_fit_${id}_`} || i, ${id}, i || '@fit.example', i || '@fit.example',
             'Fit ' || i, 'managed', now()
      from generate_series(1, 6000) i`);
    for (const groupId of made)
      await tx.query(sql`
        insert into scim_group_members (group_id, user_id)
        select ${groupId}, s.id from scim_users s where s.id like ${`user_fit_${id}_%`}`);
  });
  const page = (query: string) => scim("GET", `/Groups?${query}`).then(({ body }) => body);
  const first = await page("count=100");
  assert.deepEqual([first.totalResults, first.itemsPerPage], [3, 1]);
  assert.equal(first.Resources[0].members.length, 6000);
  assert.equal((await page("startIndex=2")).Resources[0].displayName, "Two");
  assert.equal((await page("excludedAttributes=members")).itemsPerPage, 3);
});

test("[SCM31] groups that people made are absent; a twin is refused", async () => {
  const { tenant, scim, group } = await providerOf(house);
  const { organization_id: organizationId } = tenant;
  const { id: direct } = await house.world.db.tx((tx) =>
    groups.createGroup(tx, house.world, operator, organizationId, {
      name: "Twin",
      source: "direct",
    }),
  );
  refused(await scim("GET", `/Groups/${direct}`), 404);
  refused(await scim("DELETE", `/Groups/${direct}`), 404);
  assert.equal((await scim("GET", "/Groups")).body.totalResults, 0);
  const create = (body: object) => scim("POST", "/Groups", body);
  const id = await group("Twin");
  refused(await create({ displayName: "TWIN" }), 409, "uniqueness");
  assert.equal((await create({ displayName: "Other", externalId: "e1" })).status, 201);
  refused(await create({ displayName: "Third", externalId: "e1" }), 409, "uniqueness");
  assert.equal((await create({ displayName: "Other", externalId: "e2" })).status, 201);
  const rename = patchOf({ op: "replace", path: "displayName", value: "other" });
  refused(await scim("PATCH", `/Groups/${id}`, rename), 409, "uniqueness");
  refused(await create({ members: [] }), 400, "invalidValue");
  const asked = Array.from({ length: 5 }, () => create({ displayName: "Race" }));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [201, 409, 409, 409, 409],
  );
});
