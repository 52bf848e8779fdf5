// Requests that cost money, on processes that die: what is admitted, reserved and settled must add up.
import assert from "node:assert/strict";
import { silentLogger } from "../../kernel/base/logger.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { makeLimits, setRate, setSpend, type Limits } from "../../server/limits/module.ts";
import { makeLedger, makeNode, type Ledger } from "../../server/usage/module.ts";
import { type TimedDatabase, timedDatabase } from "../kernel/timed-database.ts";
import { makeScheduler, type Process, type Scheduler } from "./scheduler.ts";
import { checkBooks } from "../books.ts";

const limitNano = 6_000;
const workspaceNano = 4_000;
const requestsPerMinute = 120;
const outputPerMinute = 3_000;
const organizationId = "org_1";
const workspaces = ["wrkspc_1", "wrkspc_2"];

interface Admitted {
  atMs: number;
  requests: number;
  output: number;
}

interface Simulation {
  timed: TimedDatabase;
  scheduler: Scheduler;
  admitted: Admitted[];
  acknowledged: Map<string, number>;
  refused: Record<string, number>;
  asking: boolean;
  kills: number;
  startMs: number;
}

export interface Result {
  trace: string;
  kills: number;
  served: number;
  lost: number;
  /** Refused for money while several processes were at it. */
  reached: number;
  refused: Record<string, number>;
}

async function prepare({ observer }: TimedDatabase): Promise<void> {
  await observer.query(sql`insert into organizations (id, type, name, created_at)
    values (${organizationId}, 'platform', 'One', now())`);
  await observer.tx(async (tx) => {
    await setSpend(tx, organizationId, "", BigInt(limitNano));
    await setSpend(tx, organizationId, "wrkspc_1", BigInt(workspaceNano));
    const some = { workspaceId: "", group: "sim" };
    await setRate(tx, organizationId, { ...some, type: "requests", perMinute: requestsPerMinute });
    await setRate(tx, organizationId, {
      ...some,
      type: "output_tokens",
      perMinute: outputPerMinute,
    });
  });
}

async function startProcess(simulation: Simulation, name: string): Promise<void> {
  const process = await simulation.scheduler.start(name);
  const world = { ...process, logger: silentLogger };
  const node = makeNode(world);
  const ledger = makeLedger(world, node);
  const limits = makeLimits(world, node);
  const bornMs = (await simulation.timed.now()).getTime() - simulation.startMs;
  node.start();
  limits.start();
  for (let n = 0; n < 3; n++) void ask(simulation, process, ledger, limits, bornMs);
}

/** One client after the other, as fast as simulated time allows. */
async function ask(
  simulation: Simulation,
  process: Process,
  ledger: Ledger,
  limits: Limits,
  bornMs: number,
): Promise<void> {
  const { random, clock, ids } = process;
  for (;;) {
    await clock.sleep(20 + random.fraction() * 800);
    if (!simulation.asking) continue;
    await request().catch(
      (error: { options?: { code?: string }; type?: string; message: string }) => {
        const why = error.options?.code ?? error.type ?? error.message;
        simulation.refused[why] = (simulation.refused[why] ?? 0) + 1;
      },
    );
  }

  async function request(): Promise<void> {
    const workspaceId = workspaces[Math.floor(random.fraction() * 2)] ?? "";
    const reserveNano = 200 + Math.floor(random.fraction() * 800);
    const outputTokensMax = Math.floor(reserveNano / 4);
    const who = { organizationId, workspaceId };
    const admission = await limits.admit(
      { who },
      { model: { group: "sim" }, inputTokens: 10, outputTokensMax, reserveNano },
    );
    const admitted = { atMs: bornMs + clock.monotonicMs(), requests: 1, output: outputTokensMax };
    simulation.admitted.push(admitted);
    const id = ids.next("hop_");
    const caller = { ...who, credentialId: "k", userId: null };
    const opening = ledger.open({
      id,
      requestId: "r",
      reserveNano,
      at: clock.now(),
      payer: { ...caller, model: "sim", upstream: "sim", kind: "message" },
    });
    const isShort = random.fraction() < 0.3;
    if (!isShort) {
      try {
        await opening;
      } catch (error) {
        await ledger.whenWritten(id);
        admission.settle({ inputTokens: 0, outputTokens: 0, nano: 0 });
        throw error;
      }
      await clock.sleep(random.fraction() * 3_000);
    }
    const nano = Math.floor(random.fraction() * (reserveNano + 1));
    const output = Math.floor(random.fraction() * outputTokensMax);
    const counts = { input: 10, output, cacheWrite5m: 0, cacheWrite1h: 0, cacheRead: 0 };
    const amounts = { amountNano: nano, listAmountNano: nano, estimated: false };
    const closing = ledger.close(id, { outcome: "served", counts, ...amounts });
    await Promise.all([opening, closing]);
    simulation.acknowledged.set(id, nano);
    admission.settle({ inputTokens: 10, outputTokens: output, nano });
    admitted.output = output;
  }
}

export async function simulateMoney(
  seed: number,
  steps: number,
  show?: (line: string) => void,
): Promise<Result> {
  await using timed = await timedDatabase(40);
  await prepare(timed);
  const simulation: Simulation = {
    timed,
    scheduler: makeScheduler(timed, seed, show),
    admitted: [],
    acknowledged: new Map(),
    refused: {},
    asking: true,
    kills: 0,
    startMs: (await timed.now()).getTime(),
  };
  const { scheduler } = simulation;
  const processNames = ["p1", "p2", "p3"];
  for (const base of processNames) await startProcess(simulation, `${base}-0`);
  try {
    for (let step = 0; step < steps; step++) {
      await scheduler.step(0.01);
      if (step % 5 === 0) await checkSpend(timed);
      for (const base of processNames) {
        if (scheduler.processes.some(({ name }) => name.startsWith(`${base}-`))) continue;
        simulation.kills += 1;
        await startProcess(simulation, `${base}-${simulation.kills}`);
      }
    }
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
    return await lastWill(simulation);
  } finally {
    for (const process of scheduler.processes.slice()) scheduler.kill(process);
    await scheduler.settle();
  }
}

/** All processes are dead: a last process finds what they left, and can spend all that is free. */
async function lastWill(simulation: Simulation): Promise<Result> {
  const { timed, scheduler } = simulation;
  await timed.advance(30_000);
  const reached = simulation.refused["enforced_spend_limit_reached"] ?? 0;
  await startProcess(simulation, "last-0");
  const left = () =>
    count(
      timed,
      "select (select count(*) from ledger_opens) + (select count(*) from ledger_journal)",
    );
  for (let step = 0; step < 6_000; step++) {
    await scheduler.step(0);
    if (step % 50 !== 0) continue;
    await scheduler.settle();
    await checkSpend(timed);
    const spent = await count(timed, "select coalesce(sum(amount_nano), 0)::bigint from ledger");
    if (spent > limitNano - 1_000) simulation.asking = false;
    if (!simulation.asking && (await left()) === 0) break;
  }
  const spent = await count(timed, "select coalesce(sum(amount_nano), 0)::bigint from ledger");
  assert.ok(
    spent > limitNano - 1_000,
    `only ${spent} of ${limitNano} could be spent: quota is lost`,
  );
  return { ...(await check(simulation, spent)), reached };
}

/** At every moment: what is settled and what is reserved stay within each limit. */
async function checkSpend(timed: TimedDatabase): Promise<void> {
  const rows = await timed.observer.query<{ workspace_id: string; taken: string }>(sql`
    with journaled as (
      select hop ->> 0 as id, given -> 'who' -> (hop ->> 2)::int ->> 1 as workspace_id,
        (hop ->> 12)::bigint as nano
      from ledger_journal cross join lateral (select closes::jsonb as given) as parsed
        cross join jsonb_array_elements(given -> 'hops') as hop
    )
    select workspace_id, sum(nano)::text as taken from (
      select id, workspace_id, amount_nano as nano from ledger
      union all select distinct id, workspace_id, nano from journaled
        where id not in (select id from ledger)
      union all select id, workspace_id, reserve_nano from ledger_opens
        where id not in (select id from ledger union all select id from journaled)) as all_of_it
    group by 1`);
  const all = rows.reduce((sum, { taken }) => sum + Number(taken), 0);
  const one = Number(rows.find(({ workspace_id: id }) => id === "wrkspc_1")?.taken ?? 0);
  assert.ok(all <= limitNano, `the organization has taken ${all} of ${limitNano}`);
  assert.ok(one <= workspaceNano, `the workspace has taken ${one} of ${workspaceNano}`);
}

async function check(simulation: Simulation, spent: number): Promise<Omit<Result, "reached">> {
  const { timed, admitted, acknowledged, scheduler, kills, refused } = simulation;
  const { observer } = timed;
  const rows = await observer.query<{ id: string; nano: number; outcome: string }>(
    sql`select id, amount_nano as nano, outcome from ledger`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const [id, nano] of acknowledged)
    assert.deepEqual(byId.get(id), { id, nano, outcome: "served" }, "an acknowledged close");
  for (const table of ["usage_days.amount_nano", "spend_months.spent_nano"]) {
    const [name, column] = table.split(".");
    assert.equal(await count(timed, `select sum(${column})::bigint from ${name}`), spent, table);
  }
  assert.equal(await count(timed, "select sum(requests)::bigint from usage_days"), rows.length);
  await checkBooks(observer);
  const lost = rows.filter(({ outcome }) => outcome === "lost").length;
  checkWindows(admitted, "requests", requestsPerMinute);
  checkWindows(admitted, "output", outputPerMinute);
  return {
    trace: scheduler.traceHash(),
    kills,
    served: acknowledged.size,
    lost,
    refused,
  };
}

/** In no span more than a minute's worth and what flowed in meanwhile. */
function checkWindows(
  admitted: readonly Admitted[],
  what: "requests" | "output",
  perMinute: number,
) {
  const inOrder = admitted.toSorted((a, b) => a.atMs - b.atMs);
  for (const [start, first] of inOrder.entries()) {
    let sum = 0;
    for (const one of inOrder.slice(start)) {
      sum += one[what];
      const flowed = ((one.atMs - first.atMs) * perMinute) / 60_000;
      assert.ok(
        sum <= perMinute + flowed + 1e-6,
        `${sum} ${what} from ${first.atMs} to ${one.atMs}`,
      );
    }
  }
}

async function count({ observer }: TimedDatabase, text: string): Promise<number> {
  const [row] = await observer.query<Record<string, number>>({ text, values: [] });
  return Object.values(row ?? {})[0] ?? 0;
}
