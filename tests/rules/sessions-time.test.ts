// Rules SES115 to SES117, REP12 and USE20, over HTTP: what the time of sessions costs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { noTokens } from "../../server/models/module.ts";
import { limits } from "../../server/sessions/limits.ts";
import { journalSettledAttempts, nodeOf } from "../../server/usage/module.ts";
import { sessionLeases } from "../../server/sessions/brain/queries.ts";
import type { Lease } from "../../kernel/work/lease.ts";
import { queryPosted } from "../posted.ts";
import { managedAgents } from "./agents-house.ts";
import { ask, type Query } from "./reports-house.ts";
import {
  narrow,
  ofType,
  openSessionHouse,
  said,
  sections,
  stopsOf,
  type SessionHouse,
} from "./sessions-work-house.ts";
import { until } from "./support.ts";

/** A cent a second. */
const nanoPerMs = 10_000;
const timed = { ...sections, sessions: { hour_price: 36 } };
const slowly = "[[tokens 30]] [[rate 100]]";

let s: SessionHouse;
let cloud: string;
before(async () => {
  s = await openSessionHouse({ sections: timed });
  const body = { name: "cloud", config: { type: "cloud" } };
  cloud = (await s.good("POST", "/v1/environments", { key: s.platform.api_key, body })).id;
});
after(() => s[Symbol.asyncDispose]());

/** Of a model whose tokens cost nothing. */
const begin = (session: object = {}) =>
  s.begin({ agent: { model: narrow }, session: { environment_id: cloud, ...session } });

interface Period {
  at: Date;
  nano: number;
  list: number;
  [dimension: string]: unknown;
}
const periodsOf = (id: string) =>
  queryPosted<Period>(
    s.house.world.db,
    sql`select at, amount_nano as nano, list_amount_nano as list, outcome, origin, upstream, model,
        agent_id as agent, environment_id as environment, credential_id as credential, user_id as "user",
        key_maker as maker, input_tokens + output_tokens as tokens
      from ledger where session_id = ${id} and kind = 'session_time' order by at, id`,
  );
const sumOf = (periods: readonly Period[]) => periods.reduce((sum, { nano }) => sum + nano, 0);
interface Row {
  status: string;
  activeMs: number;
  timeNano: number;
  activeSince: Date | null;
  leaseUntil: Date | null;
}
const rowOf = async (id: string): Promise<Row> => {
  const [row] = await s.house.world.db.query<Row>(sql`
    select status, active_ms as "activeMs", time_nano as "timeNano", active_since as "activeSince",
      lease_until as "leaseUntil" from sessions where id = ${id}`);
  return row ?? assert.fail(id);
};
/** As when its process died so long ago, ten seconds after it had begun to run. */
const dieAgo = (id: string, minutes: number) =>
  s.house.world.db.tx((tx) =>
    tx.query(sql`
      update sessions set lease_until = statement_timestamp() - ${minutes} * interval '1 minute',
        active_since = statement_timestamp() - ${minutes} * interval '1 minute' - interval '10 seconds'
      where id = ${id}`),
  );
const running = (id: string) =>
  s.seen(id, "a call", (events) => events.at(-1)?.type === "span.model_request_start");
const call = (method: string, path: string) =>
  s.house.ask(method, path, { key: s.platform.api_key, headers: managedAgents });

test("[SES115] the time in which a session runs is in the ledger by the millisecond, and no other time", async () => {
  const id = await begin();
  await s.talk(id, slowly, "Hello.");
  const periods = await periodsOf(id);
  assert.equal(periods.length, 2);
  const { activeMs, timeNano } = await rowOf(id);
  assert.ok(activeMs >= 250, `${activeMs}`);
  assert.equal(sumOf(periods), activeMs * nanoPerMs);
  assert.equal(timeNano, activeMs * nanoPerMs);
  const { agent } = await s.read(id);
  const [{ at, nano, list, ...first } = {} as Period] = periods;
  assert.equal(nano, list);
  const [message] = ofType(await s.eventsOf(id), "user.message");
  const begunMs = Date.parse(message?.processed_at ?? "");
  assert.ok(Math.abs(at.getTime() - begunMs) < 10_000, "when it began to run");
  const [owner] = await s.house.world.db.query<object>(sql`
    select credential_id as credential, coalesce(user_id, service_account_id) as "user",
      key_maker_id as maker from sessions where id = ${id}`);
  assert.deepEqual(first, {
    ...owner,
    outcome: "served",
    origin: "session",
    upstream: "session",
    model: "session_time",
    agent: agent.id,
    environment: cloud,
    tokens: 0,
  });
});

test("[SES115] what runs on machines of others, and what has no price, costs nothing", async () => {
  const id = await s.begin({ agent: { model: narrow } });
  await s.talk(id, slowly);
  assert.ok((await s.read(id)).usage.active_seconds > 0.2);
  assert.deepEqual(await periodsOf(id), []);
  assert.equal((await s.read(id)).usage.list_cost.amount, "0");
  await using free = await openSessionHouse();
  const key = { key: free.platform.api_key };
  const body = { name: "cloud", config: { type: "cloud" } };
  const environment = await free.good("POST", "/v1/environments", { ...key, body });
  const other = await free.begin({ session: { environment_id: environment.id } });
  await free.talk(other, slowly);
  const kinds = (await free.ledgerOf(other)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["agent"]);
});

test("[SES115] a session that runs for long is settled while it runs", async () => {
  const own = limits as { timeSettledMs: number };
  const usualMs = own.timeSettledMs;
  own.timeSettledMs = 0;
  try {
    const id = await begin();
    await s.talk(id, `[[tool nothing]] ${slowly}`);
    const periods = await periodsOf(id);
    assert.ok(periods.length >= 2, `${periods.length}`);
    for (const [index, { at, nano }] of periods.entries()) {
      const next = periods[index + 1];
      const endMs = at.getTime() + nano / nanoPerMs;
      // Each is taken to whole milliseconds.
      assert.ok(next === undefined || Math.abs(endMs - next.at.getTime()) <= 1, `${endMs}`);
    }
    assert.equal(sumOf(periods), (await rowOf(id)).activeMs * nanoPerMs);
  } finally {
    own.timeSettledMs = usualMs;
  }
});

test("[SES115] one that is archived while it runs is settled then", async () => {
  const id = await begin();
  await s.send(id, [said("[[tokens 100]] [[rate 10]]")]);
  await running(id);
  const { status } = await call("POST", `/v1/sessions/${id}/archive`);
  assert.equal(status, 200);
  assert.equal((await periodsOf(id)).length, 1);
  assert.equal(sumOf(await periodsOf(id)), (await rowOf(id)).activeMs * nanoPerMs);
});

test("[SES116] a session says what its time costs, while it runs and after; its thread does not", async () => {
  const id = await begin();
  await s.send(id, [said("[[tokens 200]] [[rate 100]]")]);
  await running(id);
  const costOf = async () => Number((await s.read(id)).usage.list_cost.amount);
  await until(async () => (await costOf()) >= 2, "two cents");
  assert.deepEqual(await periodsOf(id), []);
  await s.finished(id);
  const { usage } = await s.read(id);
  assert.equal(usage.list_cost.amount, String(Math.ceil(sumOf(await periodsOf(id)) / 10_000_000)));
  const { body } = await call("GET", `/v1/sessions/${id}/threads`);
  assert.equal(body.data[0].usage.list_cost.amount, "0");
});

test("[SES116] time counts for a budget, and what was spent of it cannot be taken back", async () => {
  const max_list_cost = { amount: "1", currency: "USD" };
  const id = await begin({ budget: { type: "limit", max_list_cost } });
  const events = await s.talk(id, "[[tokens 130]] [[rate 100]]", "Hello.");
  assert.deepEqual(stopsOf(events), ["end_turn", "budget_reached"]);
  assert.equal(ofType(events, "span.model_request_start").length, 1);
  const budget = { type: "limit", max_list_cost };
  const { status, body } = await s.house.ask("POST", `/v1/sessions/${id}`, {
    key: s.platform.api_key,
    headers: managedAgents,
    body: { budget },
  });
  assert.equal(status, 400);
  assert.match(body.error.message, /must be more than the session has cost: \d+ cents/);
});

test("[SES117] the time in which its process was gone is not counted, and what it ran before is", async () => {
  const id = await begin();
  await s.send(id, [said("[[tokens 60]] [[rate 20]]")]);
  await running(id);
  await dieAgo(id, 60);
  const secondsOf = async () => (await s.read(id)).usage.active_seconds as number;
  assert.ok((await secondsOf()) < 30, "while no process works on it");
  await s.finished(id);
  const { activeMs } = await rowOf(id);
  assert.ok(activeMs >= 10_000 && activeMs < 40_000, `${activeMs}`);
  assert.equal(sumOf(await periodsOf(id)), activeMs * nanoPerMs);
  assert.equal((await periodsOf(id)).length, 1);
});

test("[SES141] a thread has run for as long as its session, also where their process was gone", async () => {
  const id = await begin();
  const dieWithThread = async () => {
    await dieAgo(id, 60);
    await s.house.world.db.tx((tx) =>
      tx.query(sql`
        update session_threads set active_since = (select active_since from sessions where id = ${id})
        where session_id = ${id}`),
    );
  };
  const secondsOf = async () => {
    const { status, body } = await call("GET", `/v1/sessions/${id}/threads`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data[0].stats.active_seconds as number;
  };
  await s.send(id, [said("[[tokens 60]] [[rate 20]]")]);
  await running(id);
  await dieWithThread();
  assert.ok((await secondsOf()) < 30, "while no process works on it");
  await s.finished(id);
  const { activeMs } = await rowOf(id);
  assert.ok(Math.abs((await secondsOf()) * 1000 - activeMs) <= 1, `${await secondsOf()}`);
  // One that ends while its process is gone.
  await s.send(id, [said("[[tokens 600]] [[rate 1]]")]);
  await running(id);
  const lose = sql`update sessions set lease_epoch = lease_epoch + 1, due_at = null where id = ${id}`;
  await s.house.world.db.tx((tx) => tx.query(lose));
  await dieWithThread();
  assert.equal((await call("POST", `/v1/sessions/${id}/archive`)).status, 200);
  const seconds = await secondsOf();
  assert.ok(seconds * 1000 - activeMs < 20_000, `${seconds}`);
  assert.ok(Math.abs(seconds * 1000 - (await rowOf(id)).activeMs) <= 1, `${seconds}`);
});

test("[SES117] one whose process is gone is settled when it is deleted", async () => {
  const id = await begin();
  await s.send(id, [said("[[tokens 600]] [[rate 1]]")]);
  await running(id);
  // Its process sees that it is lost, and no other one takes it.
  await s.house.world.db.tx((tx) =>
    tx.query(sql`
      update sessions set lease_epoch = lease_epoch + 1, due_at = null,
        lease_until = statement_timestamp() - interval '1 minute',
        active_since = statement_timestamp() - interval '70 seconds' where id = ${id}`),
  );
  assert.equal((await call("DELETE", `/v1/sessions/${id}`)).status, 200);
  const seconds = sumOf(await periodsOf(id)) / nanoPerMs / 1000;
  assert.ok(seconds > 9.5 && seconds < 12, `${seconds}`);
});

test("[SES117] what a process gives back while it runs does not run until another takes it", async () => {
  const id = await begin();
  await s.send(id, [said("[[tokens 60]] [[rate 20]]")]);
  await running(id);
  const undone = new Error("undone");
  const givingBack = s.house.world.db.tx(async (tx) => {
    const [lease] = await tx.query<Lease>(
      sql`select id, lease_owner as owner, lease_epoch as epoch from sessions where id = ${id}`,
    );
    assert.ok(lease !== undefined);
    await sessionLeases.release(tx, [lease]);
    const [row] = await tx.query<{ owner: string | null; isOver: boolean }>(sql`
      select lease_owner as owner, lease_until <= clock_timestamp() as "isOver" from sessions where id = ${id}`);
    assert.deepEqual(row, { owner: null, isOver: true });
    throw undone;
  });
  await assert.rejects(givingBack, undone);
  await s.finished(id);
  await until(async () => (await rowOf(id)).leaseUntil === null, "one that rests to have no lease");
});

test("[REP12] reports tell it as session_usage, by environment and before it is posted", async () => {
  const id = await begin();
  await s.talk(id, slowly);
  const [{ nano } = { nano: 0 }] = await periodsOf(id);
  const range = {
    starting_at: new Date(Date.now() - 3_600_000).toISOString(),
    ending_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const rowsOf = async (report: string, query: Query) => {
    const { status, body } = await ask(
      { house: s.house, tenant: s.platform },
      `analytics/${report}`,
      {
        ...range,
        ...query,
        session_ids: [id],
      },
    );
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  };
  const cost = await rowsOf("cost", { group_by: ["cost_type"] });
  const byType = new Map(
    cost.map((row: { group: { cost_type: string }; cost: { amount: string } }) => [
      row.group.cost_type,
      row.cost.amount,
    ]),
  );
  assert.equal(Number(byType.get("session_usage")), nano / 10_000_000);
  const [usage] = await rowsOf("usage", { group_by: ["environment_id"] });
  assert.equal(usage.group.environment_id, cloud);
  assert.equal(usage.usage.requests, 1);
});

test("[USE20] what is settled in a transaction of the caller's is there with it, once, or not at all", async () => {
  const { world, organizations } = s.house;
  const { organization_id: organizationId, workspace_id: workspaceId } = organizations.platform;
  const common = { organizationId, workspaceId, credentialId: "apikey_1", userId: null };
  const ofNone = { model: "session_time", upstream: "session", kind: "session_time" } as const;
  const attempt = (id: string, amountNano: number) => ({
    hop: {
      id,
      requestId: "req_1",
      at: new Date(),
      reserveNano: 0,
      payer: { ...common, ...ofNone, sessionId: "sesn_use20" },
    },
    settlement: {
      outcome: "served" as const,
      counts: noTokens,
      amountNano,
      listAmountNano: amountNano,
      estimated: false,
    },
  });
  const settle = (id: string, amountNano: number, fault?: Error) =>
    world.db.tx(async (tx) => {
      await journalSettledAttempts(tx, nodeOf(world), [attempt(id, amountNano)]);
      if (fault !== undefined) throw fault;
    });
  const undone = new Error("undone");
  await assert.rejects(settle("hop_undone", 5, undone), undone);
  await assert.rejects(settle("hop_half", 0.5), /no amount for the ledger/);
  await settle("hop_done", 7);
  assert.deepEqual(
    (await periodsOf("sesn_use20")).map(({ nano }) => nano),
    [7],
  );
});
