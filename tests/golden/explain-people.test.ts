// Among 40,000 people of two organizations, pages of people read what they show, at the end as at the start.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Queryable } from "../../kernel/sql/database.ts";
import { empty, sql } from "../../kernel/sql/statement.ts";
import * as groups from "../../server/groups/queries.ts";
import * as members from "../../server/members/users/queries.ts";
import { readFilter } from "../../server/scim/filter.ts";
import { andFilter } from "../../server/scim/queries-filter.ts";
import * as people from "../../server/scim/people/queries.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { blocksRead, rowsRead } from "./rows-read.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  const { db } = database;
  await db.query(sql`
    insert into organizations (id, type, name, created_at)
    select id, 'enterprise', id, now() from unnest(array['older', 'newer']) as id`);
  await db.query(sql`
    insert into users (id, organization_id, email, email_key, name, role, added_at)
    select 'user_' || to_char(n, 'fm00000'), case when n <= 20000 then 'older' else 'newer' end,
           n || '@x.example', n || '@x.example', 'P', 'user', now()
    from generate_series(1, 40000) as n`);
  await db.query(sql`
    insert into rbac_groups (id, organization_id, name, source_type, created_at, updated_at)
    select 'group_' || id, id, 'Everybody', 'direct', now(), now()
    from unnest(array['older', 'newer']) as id`);
  await db.query(sql`
    insert into rbac_group_members (group_id, user_id, organization_id, created_at)
    select 'group_' || organization_id, id, organization_id, now() from users`);
  for (const table of ["users", "scim_users", "rbac_group_members"])
    await db.query({ text: `vacuum analyze ${table}`, values: [] });
});
after(() => database[Symbol.asyncDispose]());

const all = { emailPlain: null, roles: null };
const walk = (from: string | null) => ({ after: from, before: null, rows: 21 });
const back = (from: string) => ({ after: null, before: from, rows: 21 });
const scimPage = (from: string) => ({ from, filter: empty, rows: 21 });
const found = (filter: string) => ({
  from: "",
  filter: andFilter(readFilter(filter), people.userColumns),
  rows: 21,
});

/** What each may read. */
const bounded: Record<string, [rows: number, act: (on: Queryable) => Promise<unknown>]> = {
  "members: first page beside newer people": [
    21,
    (on) => members.listMembers(on, "older", all, walk(null)),
  ],
  "members: last page": [21, (on) => members.listMembers(on, "newer", all, walk("user_20010"))],
  "members: a page back": [21, (on) => members.listMembers(on, "newer", all, back("user_00001"))],
  "members of a group: first page": [
    60,
    (on) => groups.listMembers(on, "older", "group_older", walk(null)),
  ],
  "members of a group: middle page": [
    42,
    (on) => groups.listMembers(on, "older", "group_older", walk("user_10000")),
  ],
  "members of a group: last page": [
    42,
    (on) => groups.listMembers(on, "older", "group_older", walk("user_00022")),
  ],
  "scim: first page beside older people": [42, (on) => people.listUsers(on, "newer", scimPage(""))],
  "scim: middle page": [42, (on) => people.listUsers(on, "newer", scimPage("user_30000"))],
  "scim: how many people": [10, (on) => people.countUsers(on, "newer", empty)],
  "scim: one by userName": [
    5,
    (on) => people.listUsers(on, "newer", found('userName eq "30000@x.example"')),
  ],
  "scim: one by e-mail": [
    5,
    (on) => people.listUsers(on, "newer", found('emails.value eq "30000@x.example"')),
  ],
  "members: one by e-mail": [
    5,
    (on) => members.listMembers(on, "newer", { ...all, emailPlain: "30000@x.example" }, walk(null)),
  ],
};

for (const [name, [most, act]] of Object.entries(bounded))
  test(`${name}: at most ${most} rows are read`, async () => {
    const rows = await rowsRead(database.db, act);
    assert.ok(rows > 0, "nothing was read: the statement proves nothing");
    assert.ok(rows <= most, `${rows} rows were read`);
    const blocks = await blocksRead(database.db, act);
    assert.ok(blocks <= 3 * most + 10, `${blocks} blocks were read`);
  });
