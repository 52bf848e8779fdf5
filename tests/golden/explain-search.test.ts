// Rule SRC9: how the database looks for objects. Each type has its index, and among many few are read.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Context } from "../../kernel/context.ts";
import { isStored, type StoredType } from "../../kernel/http/searchable.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import * as search from "../../server/search/queries.ts";
import { types } from "../../server/search/types.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { rowsRead } from "./rows-read.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await fill(database);
});
after(() => database[Symbol.asyncDispose]());

const many = 5_000;
const workspaces = Array.from({ length: 10 }, (_, at) => `wrkspc_${at + 1}`);

/** Ten workspaces with as many objects each: all are reports, every hundredth a yearly one. */
async function fill({ db }: TestDatabase): Promise<void> {
  const name = sql`'Report ' || case when n % 100 = 0 then 'yearly ' else '' end || n`;
  const workspace = sql`'wrkspc_' || (1 + (n / 100) % 10)`;
  await db.tx(async (tx) => {
    const run = (statement: Statement) => tx.query(statement);
    // Of an id that is none, whose day is the first.
    await run(sql`select requests_make_day('1970-01-01')`);
    await run(sql`insert into organizations (id, type, name, created_at)
      values ('org', 'platform', 'Large', now())`);
    await run(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at)
      select 'wrkspc_' || n, 'org', 'W', n = 1, now() from generate_series(1, 10) as n`);
    await run(sql`
      insert into users (id, organization_id, email, email_key, name, role, added_at)
      select 'user_' || n, 'org', n || '@x.example', n || '@x.example', ${name}, 'user', now()
      from generate_series(1, ${many}::integer) as n`);
    await run(sql`
      insert into invites (id, organization_id, email, email_key, role, rbac_group_ids, status,
                           invited_at, expires_at)
      select 'invite_' || n, 'org', n || '@x.example', n || '@x.example', 'user', '{}', 'pending',
             now(), now()
      from generate_series(1, ${many}::integer) as n`);
    await run(sql`
      insert into files (id, organization_id, workspace_id, filename, mime_type, bytes, sha256,
                         downloadable, created_at)
      select 'file_' || n, 'org', ${workspace}, replace(${name}, ' ', '-') || '.pdf', 'x', 1, 'x',
             true, now()
      from generate_series(1, ${many}::integer) as n`);
    await run(sql`
      insert into memory_stores (id, organization_id, workspace_id, name, description, metadata,
                                 memories, bytes, is_complete, created_at, updated_at)
      select 'store_' || n, 'org', ${workspace}, 'S', '', '{}', 0, 0, true, now(), now()
      from generate_series(1, ${many}::integer) as n`);
    await run(sql`
      insert into memories (id, store_id, workspace_id, path, version_id, content_sha256, bytes,
                            created_at, updated_at)
      select 'mem_' || n, 'store_' || n, ${workspace}, '/' || ${name}, 'v', 'x', 1, now(), now()
      from generate_series(1, ${many}::integer) as n`);
  });
  for (const table of ["workspaces", "users", "invites", "files", "memories", "memory_stores"])
    await db.tx((tx) => tx.query({ text: `analyze ${table}`, values: [] }));
}

const who = { userId: null, organizationId: "org", permissions: new Set<string>() };
const context = { who } as unknown as Context;
const stored = types.filter(isStored);
const placesOf = ({ within }: StoredType) => (within === "organization" ? ["org"] : workspaces);

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
}

/** By which index each table is read; an index without a condition is read whole, as a table is. */
const readBy = ({ Plans = [], ...plan }: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" ? [`the table ${plan["Relation Name"]}`] : []),
  ...(plan["Index Name"] === undefined
    ? []
    : [`${plan["Index Name"]}${plan["Index Cond"] === undefined ? " whole" : ""}`]),
  ...Plans.flatMap(readBy),
];

async function indexesOf(act: (on: Pick<typeof database.db, "query">) => unknown) {
  const sent: Statement[] = [];
  await act({ query: (statement) => (sent.push(statement), Promise.resolve([])) });
  assert.equal(sent.length, 1);
  return database.db.tx(async (tx) => {
    // Most tables are empty: what is wanted is the way there is.
    await tx.query({ text: "set local enable_seqscan = off", values: [] });
    const [row] = await tx.query<{ "QUERY PLAN": [{ Plan: Plan }] }>({
      text: `explain (format json, costs off) ${sent[0]?.text}`,
      values: sent[0]?.values ?? [],
    });
    return row === undefined ? ["no plan"] : readBy(row["QUERY PLAN"][0].Plan);
  });
}

for (const type of stored)
  test(`[SRC9] ${type.type}, of ${type.within}: an id and words have an index`, async () => {
    const rows = await type.rows(context);
    const places = placesOf(type);
    const byId = await indexesOf((on) => search.findById(on, places, { rows, id: "x" }));
    // Which index is the cheapest of an empty table means nothing: that an id costs one row is seen below.
    assert.ok(byId.length > 0 && byId.every((each) => !each.startsWith("the table")), byId.join());
    if (type.isNamed !== true) return;
    const typed = "some words";
    const byName = await indexesOf((on) => search.findByName(on, places, { rows, typed }));
    const own = byName.filter((index) => index.endsWith("_by_words"));
    const others = byName.filter((index) => !own.includes(index));
    assert.equal(own.length, 2, byName.join());
    assert.ok(
      others.every((index) => index.endsWith("_pkey")),
      byName.join(),
    );
  });

for (const name of ["user", "file", "memory"])
  test(`[SRC9] ${name}: of ${many} as many are read as have the words, and of a common word no more than are looked at`, async () => {
    const type = stored.find((each) => each.type === name) ?? assert.fail(`${name} is no type`);
    const rows = await type.rows(context);
    const read = (typed: string) =>
      rowsRead(database.db, (on) => search.findByName(on, placesOf(type), { rows, typed }));
    const found = async (typed: string) =>
      (await search.findByName(database.db, placesOf(type), { rows, typed })).length;
    assert.equal(await found("report 477"), 11);
    assert.ok((await read("report 477")) <= 60, String(await read("report 477")));
    assert.equal(await found("year"), 50);
    assert.ok((await read("year")) <= 1_500, String(await read("year")));
    assert.equal(await found("nothing"), 0);
    assert.ok((await read("nothing")) <= 1);
    const id = `${type.idPrefix}${many}`;
    const byId = await rowsRead(database.db, (on) =>
      search.findById(on, placesOf(type), { rows, id }),
    );
    assert.ok(byId <= 2, String(byId));
  });
