// With 10,000 sessions, a page of them reads as many rows as it shows, however deep it is; so does what waits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { listSessions, type SessionFilter } from "../../server/sessions/queries.ts";
import { listWaiting } from "../../server/sessions/waiting/queries.ts";
import { testDatabase, type TestDatabase } from "../postgres.ts";
import { rowsRead } from "./rows-read.ts";

let database: TestDatabase;
before(async () => {
  database = await testDatabase();
  await fill(database);
});
after(() => database[Symbol.asyncDispose]());

/** Every tenth is of another agent, and every thousandth waits for a person. */
async function fill({ db }: TestDatabase): Promise<void> {
  await db.tx(async (tx) => {
    const run = (statement: Statement) => tx.query(statement);
    await run(sql`insert into organizations (id, type, name, created_at)
      values ('org', 'platform', 'Large', now())`);
    await run(sql`
      insert into workspaces (id, organization_id, name, is_default, created_at)
      values ('wrkspc', 'org', 'W', true, now())`);
    await run(sql`
      insert into sessions (id, organization_id, workspace_id, agent_id, agent_version, agent,
        environment_id, environment_type, thread_id, metadata, memory_store_ids, credential_id,
        status, created_at, updated_at, served_at)
      select 'sesn_' || to_char(n, 'fm00000'), 'org', 'wrkspc',
        case when n % 10 = 0 then 'other' else 'agent' end, 1, '{"config":{"name":"A"}}',
        'env', 'cloud', 'sthr_' || to_char(n, 'fm00000'), '{}', '{}', 'key', 'idle', now(), now(), 'epoch'
      from generate_series(1, 10000) as n`);
    await run(sql`
      insert into session_threads (id, session_id, agent_name, status, created_at, updated_at)
      select thread_id, id, 'A', 'idle', now(), now() from sessions`);
    await run(sql`insert into session_usage (thread_id, session_id)
      select thread_id, id from sessions`);
    await run(sql`
      insert into session_calls (session_id, event_id, thread_id, kind, needs_confirmation,
        needs_result)
      select id, 'sevt_' || id, thread_id, 'custom', false, true from sessions
      where right(id, 3) = '000'`);
  });
  for (const table of ["sessions", "session_threads", "session_usage", "session_calls"])
    await db.tx((tx) => tx.query({ text: `analyze ${table}`, values: [] }));
}

const first: SessionFilter = {
  agentId: null,
  agentVersion: null,
  deploymentId: null,
  memoryStoreId: null,
  vaultId: null,
  statuses: null,
  includesArchived: false,
  createdAt: { gt: null, gte: null, lt: null, lte: null },
  beyond: null,
  isAscending: false,
  rows: 21,
};
const page = (on: Queryable, more: Partial<SessionFilter>) =>
  listSessions(on, "wrkspc", { ...first, ...more });

/** What each may read: the sessions, with what each has used. */
const bounded: Record<string, [rows: number, act: (on: Queryable) => Promise<unknown>]> = {
  "the first page": [70, (on) => page(on, {})],
  "page 100": [70, (on) => page(on, { beyond: "sesn_08001" })],
  "the last page": [70, (on) => page(on, { beyond: "sesn_00021" })],
  "page 100 from the oldest": [70, (on) => page(on, { beyond: "sesn_02000", isAscending: true })],
  "the middle of an agent's": [70, (on) => page(on, { agentId: "other", beyond: "sesn_05000" })],
  "what waits": [70, (on) => listWaiting(on, "wrkspc", { before: null, rows: 21 })],
};

for (const [name, [rowsMax, act]] of Object.entries(bounded))
  test(`sessions: ${name}`, async () => {
    const rows = await rowsRead(database.db, act);
    assert.ok(rows > 0 && rows <= rowsMax, `${rows} rows`);
  });
