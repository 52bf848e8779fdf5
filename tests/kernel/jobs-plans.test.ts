// The plans of the hot statements over a large queue and log: each goes by an index, none walks a table.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as jobs from "../../kernel/jobs/queries.ts";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { logStatements } from "../golden/explain-log.ts";
import { openJobsHarness } from "./jobs-harness.ts";

test("[JOB15] [LOG10] no hot statement scans a table", async () => {
  await using h = await openJobsHarness();
  await h.db.query(sql`
    insert into jobs (id, kind, lane, payload, priority, state, run_at, attempts_max, created_at,
      lease_owner, lease_until)
    select 'job_' || lpad(n::text, 8, '0'), 'k' || n % 10, 'l' || n % 90, '{}', 0,
      case when n % 500 = 0 then 'running' when n % 7 = 0 then 'dead' when n % 3 = 0 then 'ready'
        else 'waiting' end,
      now() + n * interval '1 second', 8, now(), 'me', now() + n * interval '1 minute'
    from generate_series(1, 60000) as n`);
  await h.db.query(
    sql`insert into log_streams select 's' || n, 20 from generate_series(1, 3000) n`,
  );
  await h.db.query(sql`
    insert into log_events (stream, position, id, type, data, bytes, at, processed_at)
    select 's' || n, p, 'e' || p, 't' || p % 3, '{}', 2, now(),
      case when p % 2 = 0 then now() + p * interval '1 second' end
    from generate_series(1, 3000) n, generate_series(1, 20) p`);
  await h.db.query(sql`
    insert into log_snapshots (stream, kind, position, state)
    select 's' || n, 'k', p, '{}' from generate_series(1, 3000) n, generate_series(1, 8) p`);
  await h.db.query(sql`analyze`);

  const plans: string[] = [];
  const explained: Queryable = {
    query: async (statement) => {
      const { text, values } = statement;
      const rows = await h.db.query<{ "QUERY PLAN": string }>({ text: `explain ${text}`, values });
      plans.push(`${statement.name}\n${rows.map((row) => row["QUERY PLAN"]).join("\n")}`);
      return [];
    },
  };
  const lease = { id: "job_00000500", owner: "me", epoch: 0 };
  const slots = new Map([
    ["k1", 4],
    ["k2", 4],
  ]);
  await jobs.claimJobs(explained, "me", slots);
  await jobs.promoteJobs(explained);
  await jobs.deleteFinished(explained, [lease, lease]);
  await jobs.failJob(explained, lease, { message: "", pauseMs: 1 });
  await jobs.leases.renewAll(explained, [lease, lease]);
  for (const act of Object.values(logStatements)) await act(explained);
  const hooks = { beforeCommit: () => {}, afterCommit: () => {}, atEnd: () => {} };
  const fence = { query: explained.query, ...hooks };
  await assert.rejects(jobs.leases.fenced(fence, lease));

  const byLane = { slots: 4, perLane: 2, busy: new Map([["l1", 1]]) };
  await jobs.isAnyToDo(explained);
  await jobs.claimJobsByLane(explained, "me", "k1", byLane);

  assert.equal(plans.length, 8 + Object.keys(logStatements).length);
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on/);
  const [claim = "", promote = ""] = plans;
  assert.match(claim, /Index Scan using jobs_ready/);
  assert.match(plans.at(-1) ?? "", /Index (Only )?Scan using jobs_lanes/);
  assert.match(promote, /Index Scan using jobs_waiting[^]*Index Scan using jobs_running/);
  for (const index of ["jobs_ready", "jobs_waiting", "jobs_running"])
    assert.match(plans.at(-2) ?? "", new RegExp(`Index (Only )?Scan using ${index}`));
});
