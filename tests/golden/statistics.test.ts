// The planner's samples (pg_statistic) hold nothing that people write: there it would outlive its deletion.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { migrate } from "../../kernel/sql/migrate.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { scratch } from "../kernel/sql-harness.ts";
import { emptyDatabase, testDatabase } from "../postgres.ts";

/** Columns that could hold what people write, and are sampled because they do not: by reason. */
const harmless: Record<string, RegExp> = {
  "an id that the server made":
    /\.(id|(?!external_id|custom_id)\w+_id|\w+_by|rbac_group_ids|memory_store_ids|vault_ids|owner|lease_owner|key_maker|version|stream|node|barrier|lane)$/,
  "a word out of a list in the code":
    /\.(type|\w+_type|kind|origin|status|\w+_status|state|role|\w+_role|operation|outcome|result|period|span|month|method|action|decision|provisioning|timing|schedule|scopes|resource|betas|transports|enabled_events|\w+_events|manager|service_tier|speed|\w+_geos?|display_color)$/,
  "random, or a hash of what is":
    /\.(\w+(?<!content)_sha256|code_challenge|proof|hint|key_hint)$|^package_layers\.name$/,
  "of this installation, not of its users":
    /^(installation|schema_migrations|administration_budgets|rate_pools|rate_slices|audit_closing|audit_heads)\./,
  "never deleted: the log itself keeps it": /^(audit_events|audit_checks)\./,
  "the operator's name of a model or an upstream":
    /\.(model|upstream|model_group|target)$|^upstreams\.name$/,
  "ids, models and prices of requests under way": /^ledger_reservations\.hops$/,
  "the operator's name of an export": /^audit_export(s|_cursors)\.name$/,
  "one of our reasons": /^(token_refusals|refused_connections)\.reason$/,
};
const isHarmless = (place: string) => Object.values(harmless).some((each) => each.test(place));

/** Columns of tables, and of expressions in indexes, whose type can hold what people write. */
const wordyColumns = (db: Queryable) =>
  db.query<{ place: string; sampled: boolean }>(sql`
    select c.relname || '.' || a.attname as place, coalesce(a.attstattarget, -1) <> 0 as sampled
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
      and (c.relkind in ('r', 'p') or c.relkind = 'i' and i.indkey[a.attnum - 1] = 0)
      and a.atttypid not in (
        select t.oid
        from pg_type t left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
        where coalesce(element.typcategory, t.typcategory) in ('B', 'D', 'N', 'T'))
    order by c.relname collate "C", a.attnum`);

test("every column that can hold what people write has statistics 0, or a reason to be sampled", async () => {
  await using database = await testDatabase();
  const columns = await wordyColumns(database.db);
  assert.ok(columns.length > 300, `only ${columns.length} columns were found`);
  const open = columns.filter(({ place, sampled }) => sampled && !isHarmless(place));
  assert.deepEqual(
    open.map(({ place }) => place),
    [],
    "set statistics 0 in the migration that makes them, or say here why they may be sampled",
  );
});

test("no statistics of our own span several columns", async () => {
  await using database = await testDatabase();
  assert.deepEqual(await database.db.query(sql`select stxname from pg_statistic_ext`), []);
});

const secret = "what was redacted";

/** One row in tables that people write to, as they were before statistics were off, and its samples. */
async function fill(db: Queryable): Promise<void> {
  await db.query(sql`
    insert into organizations (id, type, name, created_at) values ('org', 'platform', ${secret}, now())`);
  await db.query(sql`
    insert into users (id, organization_id, email, email_key, name, role, added_at)
    select 'user_' || n, 'org', ${secret}, ${secret} || n, ${secret}, 'user', now()
    from generate_series(1, 50) as n`);
  await db.query(sql`
    insert into memories (id, store_id, workspace_id, path, version_id, content_sha256, bytes,
                          created_at, updated_at, search)
    select 'mem_' || n, 'store', 'w', ${secret} || n, 'v', ${secret}, 1, now(), now(),
           to_tsvector('simple', ${secret})
    from generate_series(1, 50) as n`);
  await db.query(sql`
    insert into memory_versions (id, store_id, memory_id, seq, operation, path, content,
                                 content_sha256, created_at)
    select 'v_' || n, 'store', 'm', n, 'created', ${secret} || n, ${secret}, ${secret} || n, now()
    from generate_series(1, 50) as n`);
}

const tables = ["organizations", "users", "memories", "memory_versions"];

/** Where samples hold the secret: arrays of any type as text, words of a search vector among them. */
async function sampledSecrets(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ place: string; samples: string }>(sql`
    select tablename || '.' || attname as place,
      concat_ws(' ', most_common_vals::text, histogram_bounds::text, most_common_elems::text) as samples
    from pg_stats where schemaname = 'public' order by 1`);
  return rows.filter(({ samples }) => samples.includes("redacted")).map(({ place }) => place);
}

const filesOf = (db: Queryable) =>
  db.query(sql`
    select relname, relfilenode from pg_class
    where relname in ('memories', 'memory_versions', 'memories_by_path', 'memories_search')
    order by relname`);

test("[MEM21] samples from before are gone with the migration, and no table of texts is written anew", async () => {
  await using database = await emptyDatabase();
  const { db } = database;
  using directory = scratch();
  const all = join(import.meta.dirname, "../../migrations");
  const before = join(directory.path, "before");
  mkdirSync(before);
  for (const name of readdirSync(all).filter((each) => each < "0021"))
    cpSync(join(all, name), join(before, name));
  await migrate(db, before, { logger: silentLogger });
  await fill(db);
  const analyze = () => db.query({ text: `analyze ${tables.join(", ")}`, values: [] });
  await analyze();
  const seen = await sampledSecrets(db);
  for (const place of ["memories.search", "memory_versions.content", "users_by_name.lower"])
    assert.ok(seen.includes(place), `${place} was not sampled: nothing is proved`);
  const files = await filesOf(db);

  await migrate(db, all, { logger: silentLogger });
  assert.deepEqual(await sampledSecrets(db), []);
  assert.deepEqual(await filesOf(db), files);
  await analyze();
  assert.deepEqual(await sampledSecrets(db), []);
});
