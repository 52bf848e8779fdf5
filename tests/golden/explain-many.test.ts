// With 10,000 workspaces and 100,000 keys, pages and checks of administration read as many rows as they show.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import * as keys from "../../server/keys/queries.ts";
import * as workspaces from "../../server/workspaces/queries.ts";
import * as members from "../../server/workspaces/members/queries.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { rowsRead } from "./rows-read.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await fill(database);
});
after(() => database[Symbol.asyncDispose]());

const now = new Date("2026-01-01T00:00:00Z");

/** One large organization: every tenth workspace open, every tenth key active, everybody in every tenth workspace. */
async function fill({ db }: TestDatabase): Promise<void> {
  await db.tx(async (tx) => {
    const run = (statement: Statement) => tx.query(statement);
    await run(sql`insert into organizations (id, type, name, created_at)
      values ('org', 'platform', 'Large', now())`);
    await run(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at, archived_at)
      select 'wrkspc_' || to_char(n, 'fm00000'), 'org', 'W', n = 1, now(),
             case when n % 10 = 1 then null else now() end
      from generate_series(1, 10000) as n`);
    await run(sql`
      insert into users (id, organization_id, email, email_key, name, role, added_at)
      select 'user_' || to_char(n, 'fm00000'), 'org', n || '@x.example', n || '@x.example', 'P',
             'user', now()
      from generate_series(1, 10000) as n`);
    await run(sql`
      insert into workspace_members (workspace_id, user_id, organization_id, role, added_at)
      select 'wrkspc_' || to_char(w * 1000 + 1, 'fm00000'), 'user_' || to_char(n, 'fm00000'), 'org',
             'workspace_user', now()
      from generate_series(1, 9) as w, generate_series(1, 1000) as n`);
    await run(sql`
      insert into keys (id, organization_id, workspace_id, kind, name, secret_sha256, hint, scopes,
                        status, created_by, created_at)
      select 'apikey_' || to_char(n, 'fm000000'), 'org',
             'wrkspc_' || to_char(n % 10000 + 1, 'fm00000'), 'api', 'K',
             sha256(n::text::bytea), 'hint', '{}',
             case when n % 10 = 0 then 'active' when n % 1000 = 1 then 'inactive' else 'archived' end,
             'user_' || to_char(n % 1000 + 1, 'fm00000'), now()
      from generate_series(1, 100000) as n`);
  });
  for (const table of ["organizations", "workspaces", "users", "workspace_members", "keys"])
    await database.db.tx((tx) => tx.query({ text: `analyze ${table}`, values: [] }));
}

const keyFilter: keys.KeyFilter = {
  kinds: ["api", "admin"],
  statuses: null,
  workspaceId: null,
  createdBy: null,
  reach: null,
  now,
};
const page = (after: string | null) => ({ after, before: null, rows: 21 });
const middle = page("apikey_050000");
const open = { ids: null, includesArchived: false, includesDefault: false };
const place = "wrkspc_05001";
const reach = { allKeysIn: [place], ownKeysIn: [], userId: "user_00007" };

/** What each may read, of 100,000 keys, 10,000 workspaces and 9,000 memberships. */
const bounded: Record<string, [rows: number, act: (on: Queryable) => Promise<unknown>]> = {
  "keys: first page": [70, (on) => keys.listKeys(on, "org", keyFilter, page(null))],
  "keys: middle page": [70, (on) => keys.listKeys(on, "org", keyFilter, middle)],
  "keys: inactive, of which there are few": [
    150,
    (on) => keys.listKeys(on, "org", { ...keyFilter, statuses: ["inactive"] }, middle),
  ],
  "keys: of a workspace": [
    70,
    (on) => keys.listKeys(on, "org", { ...keyFilter, workspaceId: place }, page(null)),
  ],
  "keys: of somebody": [
    150,
    (on) => keys.listKeys(on, "org", { ...keyFilter, createdBy: "user_00007" }, page(null)),
  ],
  "keys: active and not used": [
    150,
    (on) =>
      keys.listKeys(
        on,
        "org",
        { ...keyFilter, statuses: ["active"], unusedSince: new Date("2100-01-01T00:00:00Z") },
        page(null),
      ),
  ],
  "keys: the last use of what somebody made": [
    100,
    (on) => keys.findLastUse(on, "org", "user_00007"),
  ],
  "keys: that a role reaches": [
    150,
    (on) => keys.listKeys(on, "org", { ...keyFilter, reach, workspaceId: place }, page(null)),
  ],
  "keys: how many are active": [10_000, (on) => keys.countActive(on as Tx, "org", place, now)],
  "workspaces: open ones": [30, (on) => workspaces.listPage(on, "org", open, page("wrkspc_05001"))],
  "workspaces: archived too": [
    30,
    (on) => workspaces.listPage(on, "org", { ...open, includesArchived: true }, page(null)),
  ],
  "workspaces: by ids": [
    10,
    (on) => workspaces.listPage(on, "org", { ...open, ids: [place, "wrkspc_00011"] }, page(null)),
  ],
  "workspaces: how many are open": [1_000, (on) => workspaces.countOpen(on as Tx, "org")],
  "workspaces: where somebody works": [
    5,
    (on) => members.findWorkspaceWithRoles(on, "org", place, "user_00007"),
  ],
  "workspaces: members": [60, (on) => members.listMembers(on, "org", place, page("user_00500"))],
  "workspaces: of somebody": [9, (on) => members.listRoles(on, "org", "user_00007")],
};

for (const [name, [most, act]] of Object.entries(bounded))
  test(`${name}: at most ${most} rows are read`, async () => {
    const rows = await rowsRead(database.db, act);
    assert.ok(rows > 0, "nothing was read: the statement proves nothing");
    assert.ok(rows <= most, `${rows} rows were read`);
  });
