// Deployments on processes that are killed, cut off and put to sleep at any statement, with clocks that disagree: each
// occurrence has exactly one run, and each run exactly one session.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../kernel/base/logger.ts";
import { openLocalBlobs } from "../../kernel/blob/local.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { firingPart } from "../../server/deployments/module.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { prepare, worldOf } from "./batches.ts";
import { makeScheduler, type Scheduler } from "./scheduler.ts";
import { prepareAgents, workspaces } from "./sessions-agents.ts";

export interface DeploymentsResult {
  trace: string;
  kills: number;
  /** In the midst of a firing, from the lock to the commit. */
  torn: number;
  runs: number;
  /** Occurrences that passed while nothing fired. */
  missed: number;
}

const processNames = ["p1", "p2", "p3"];
const minuteMs = 60_000;
const deployments = 4;
/** Looking is most of what happens: what is torn is the firing. */
const faultChance = (label: string) => (label === "deployments_due" ? 0.003 : 0.04);
const faults = ["killed before", "killed after", "killed after", "cut after"] as const;

export async function simulateDeployments(
  seed: number,
  steps: number,
  show?: (line: string) => void,
): Promise<DeploymentsResult> {
  await using timed = await timedDatabase(40);
  const directory = mkdtempSync(join(tmpdir(), "plinth-deployments-"));
  using stack = new DisposableStack();
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  await prepare(timed);
  await prepareAgents(timed);
  const firstMs = await addDeployments(timed);
  const blobs = await openLocalBlobs({ directory });
  const files = { blobs, segmentOptions: { directory: join(directory, "tails") } };
  let [started, kills, torn, last] = [0, 0, 0, ""];
  let isOver = false;
  const note = (line: string) => {
    if (line.startsWith("kill ") && !isOver) {
      kills += 1;
      if (!last.includes("deployments_due")) torn += 1;
    }
    last = line;
    show?.(line);
  };
  const scheduler = makeScheduler(timed, seed, note, { readsFiles: true, faults });
  try {
    for (let step = 0; step < steps; step++) {
      for (const base of processNames) {
        if (scheduler.processes.some(({ name }) => name.startsWith(`${base}-`))) continue;
        const process = await scheduler.start(`${base}-${started++}`);
        firingPart.start(worldOf(files, process, silentLogger));
      }
      await scheduler.step(faultChance);
      if (scheduler.random.fraction() < 0.002) sleepSome(scheduler);
    }
  } finally {
    isOver = true;
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
  const found = await check(timed, firstMs);
  return { trace: scheduler.traceHash(), kills, torn, ...found };
}

/** Beyond a minute some occurrences are missed. */
function sleepSome({ processes, random, putToSleep }: Scheduler): void {
  const process = processes[Math.floor(random.fraction() * processes.length)];
  if (process !== undefined) putToSleep(process, random.fraction() * 3 * minuteMs);
}

/** Each fires every minute. */
async function addDeployments(timed: TimedDatabase): Promise<number> {
  const firstMs = (Math.floor((await timed.now()).getTime() / minuteMs) + 1) * minuteMs;
  const workspace = workspaces[0] ?? "";
  const events = [{ type: "user.message", content: [{ type: "text", text: "Report." }] }];
  await timed.observer.query(sql`
    insert into deployments (id, organization_id, workspace_id, name, agent_id, agent_version,
      environment_id, initial_events, resources, vault_ids, cron, time_zone, metadata,
      credential_id, created_at, updated_at)
    select 'depl_' || number, organization_id, id, 'Report', ${`agent_self_hosted_${workspace}`}, 1,
      ${`env_self_hosted_${workspace}`}, ${JSON.stringify(events)}, '[]', '{}', '* * * * *', 'UTC',
      '{}', 'apikey_1', now(), now()
    from workspaces, generate_series(1, ${deployments}) as number where id = ${workspace}`);
  await timed.observer.query(sql`
    insert into deployment_occurrences (deployment_id, nominal_at)
    select id, ${new Date(firstMs)} from deployments`);
  return firstMs;
}

interface Row {
  id: string;
  nextAt: Date | null;
  runs: Date[] | null;
  gaps: { first: string; until: string; count: number }[] | null;
  sessions: number;
  paused: string | null;
}

/** Every minute from the first to the next has a run or was missed, and none both. */
async function check({ observer }: TimedDatabase, firstMs: number) {
  const rows = await observer.query<Row>(sql`
    select deployment.id, next.nominal_at as "nextAt", deployment.paused_by as paused,
      (select array_agg(scheduled_at order by scheduled_at) from deployment_runs
        where deployment_id = deployment.id and session_id is not null) as runs,
      (select json_agg(json_build_object('first', nominal_at, 'until', missed_until, 'count', missed))
        from deployment_occurrences
        where deployment_id = deployment.id and missed is not null) as gaps,
      (select count(*) from sessions where deployment_id = deployment.id) as sessions
    from deployments as deployment
    left join deployment_occurrences as next
      on next.deployment_id = deployment.id and next.missed is null
    order by deployment.id`);
  let [runs, missed] = [0, 0];
  for (const row of rows) {
    const { id, nextAt, sessions, paused } = row;
    assert.equal(paused, null, id);
    assert.ok(nextAt !== null, `${id} has no next occurrence`);
    const times = (row.runs ?? []).map((at) => at.getTime());
    const said = `${id}: ${times.length} runs and ${sessions} sessions`;
    assert.equal(sessions, times.length, said);
    const covered = [...times];
    for (const { first, count } of row.gaps ?? [])
      for (let at = 0; at < count; at++) covered.push(Date.parse(first) + at * minuteMs);
    covered.sort((a, b) => a - b);
    const expected = Array.from(
      { length: (nextAt.getTime() - firstMs) / minuteMs },
      (_, at) => firstMs + at * minuteMs,
    );
    assert.deepEqual(covered, expected, said);
    runs += times.length;
    missed += covered.length - times.length;
  }
  return { runs, missed };
}
