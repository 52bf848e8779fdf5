// What must hold of sessions after any faults: nothing lost, nothing twice, every turn ended, every call answered once.
import assert from "node:assert/strict";
import type { Queryable } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { step } from "../../server/sessions/conversation/fold.ts";
import { emptyThread } from "../../server/sessions/conversation/state.ts";

export interface Found {
  sessions: number;
  turns: number;
  calls: number;
  interrupted: number;
  retried: number;
  takenOver: number;
  /** Work that was given to other threads. */
  given: number;
  /** Outcomes that were graded, and turns that a budget stopped. */
  graded: number;
  stopped: number;
}

/** A budget of a cent is reached in two minutes. */
const dollarsAnHour = 0.3;
export const sections = { sessions: { hour_price: dollarsAnHour } };

const inputTypes = ["user.message", "user.define_outcome"];

interface Row {
  id: string | null;
  position: number;
  type: string;
  // Fields differ by type: what the check claims about them is what it looks at.
  // oxlint-disable-next-line typescript/no-explicit-any
  data: any;
  processed: boolean;
}

export async function checkSessions(
  observer: Queryable,
  acknowledged: { words: ReadonlySet<string>; events: ReadonlySet<string> },
): Promise<Found> {
  const sessions = await observer.query<{ id: string; thread: string }>(
    sql`select id, thread_id as thread from sessions`,
  );
  const found: Found = {
    sessions: sessions.length,
    turns: 0,
    calls: 0,
    interrupted: 0,
    retried: 0,
    takenOver: 0,
    given: 0,
    graded: 0,
    stopped: 0,
  };
  const ids = new Set<string>();
  let said = "";
  for (const { id, thread } of sessions) {
    const threads = await observer.query<{ thread: string }>(
      sql`select id as thread from session_threads where session_id = ${id} order by id`,
    );
    for (const { thread: each } of threads) {
      const rows = await observer.query<Row>(sql`
        select id, position, type, data, processed_at is not null as processed from log_events
        where stream = ${each} order by position`);
      for (const row of rows) if (row.id !== null) ids.add(row.id);
      said += JSON.stringify(rows.filter(({ type }) => inputTypes.includes(type)));
      checkThread({ thread: each, isPrimary: each === thread }, rows, found);
      if (each === thread) checkOrder(rows);
    }
    await checkMoney(observer, id);
    await checkTime(observer, id);
  }
  const unfinished = await observer.query(
    sql`select id, session_id from session_outcomes where completed_at is null`,
  );
  assert.deepEqual(unfinished, [], "every outcome came to an end");
  for (const id of acknowledged.events)
    assert.ok(ids.has(id), `${id} was acknowledged, and is lost`);
  for (const words of acknowledged.words)
    assert.equal(said.split(`"${words} `).length - 1, 1, `${words}: once`);
  return found;
}

function checkThread(
  { thread, isPrimary }: { thread: string; isPrimary: boolean },
  rows: readonly Row[],
  found: Found,
): void {
  const state = emptyThread(thread);
  const taken: string[] = [];
  const results = new Map<string, number>();
  const isOwn = ({ data }: Row) => (data.session_thread_id ?? thread) === thread;
  for (const row of rows) {
    const { id, position, type, data } = row;
    assert.equal(position, state.position + 1, "positions have no gap");
    const ofThread = state.calls.find(
      ({ threadId, result }) =>
        threadId !== null && threadId === data.from_session_thread_id && result === null,
    );
    step(state, { position, id, event: { type, ...data } });
    if (!isOwn(row)) continue;
    if (type === "internal.turn_started" || type === "internal.inputs_flushed")
      taken.push(...data.inputs);
    if (type === "internal.turn_started") found.turns += 1;
    if (type === "user.interrupt") found.interrupted += 1;
    if (type === "span.outcome_evaluation_end") found.graded += 1;
    if (type === "session.status_idle" && data.stop_reason.type === "budget_reached")
      found.stopped += 1;
    if (type === "session.status_rescheduled") found.retried += 1;
    const answered = data.custom_tool_use_id ?? data.tool_use_id ?? ofThread?.id;
    if (answered !== undefined && type !== "internal.tool_started")
      results.set(answered, (results.get(answered) ?? 0) + 1);
  }
  const own = isPrimary ? inputTypes : ["agent.thread_message_received"];
  const inputs = rows.filter(({ type }) => own.includes(type));
  assert.deepEqual(
    taken.toSorted(),
    inputs.map(({ id }) => String(id)).toSorted(),
    "each input is taken once",
  );
  for (const { id, type, processed } of rows)
    assert.ok(processed || type.startsWith("internal."), `${id} ${type} was never processed`);
  const callTypes = ["agent.custom_tool_use", "agent.tool_use"];
  if (isPrimary) callTypes.push("agent.thread_message_sent");
  const calls = rows.filter((row) => callTypes.includes(row.type) && isOwn(row));
  found.calls += calls.length;
  found.given += calls.filter(({ type }) => type === "agent.thread_message_sent").length;
  checkSpans(rows, found);
  const { status, turn, waiting, calls: open, isInterrupted } = state;
  // One that was archived while it waited has calls without results.
  const isArchived = !isPrimary && status === "terminated";
  for (const { id } of calls) {
    const count = results.get(String(id));
    assert.ok(count === 1 || (isArchived && count === undefined), `${id} has one result`);
    results.delete(String(id));
  }
  assert.equal(results.size, 0, "no result without its call");
  if (isArchived) return;
  assert.deepEqual(
    { status, turn, waiting, open, isInterrupted },
    { status: "idle", turn: null, waiting: [], open: [], isInterrupted: false },
  );
}

/** Each begins, ends, and then the next one begins; one without an answer was ended by who took over, or failed. */
function checkSpans(rows: readonly Row[], found: Found): void {
  let open: string | null = null;
  for (const { id, type, data } of rows) {
    if (type === "span.model_request_start") {
      assert.equal(open, null, `${id} begins while ${open} is open`);
      open = id;
    } else if (type === "span.model_request_end") {
      assert.equal(data.model_request_start_id, open);
      if (data.is_error === true) found.takenOver += 1;
      open = null;
    }
  }
  assert.equal(open, null);
}

/** Inputs are taken in the order in which they came, and a session is told to run before it is told to rest. */
function checkOrder(rows: readonly Row[]): void {
  const places = new Map(rows.map(({ id, position }) => [id, position]));
  const taken = rows
    .filter(({ type }) => type === "internal.turn_started")
    .map(({ data }) => places.get(data.inputs[0]) ?? 0);
  assert.deepEqual(
    taken,
    taken.toSorted((a, b) => a - b),
    "turns come in the order of their inputs",
  );
  let isRunning = false;
  for (const { type } of rows) {
    if (type === "session.status_running") {
      assert.ok(!isRunning, "told twice that it runs");
      isRunning = true;
    }
    if (type === "session.status_idle" || type === "session.status_rescheduled") isRunning = false;
  }
  // A thread that has nothing to do may be archived later, and a session changed.
  const later = ["session.thread_status_terminated", "session.updated"];
  const last = rows.findLast(({ type }) => !later.includes(type));
  assert.equal(last?.type ?? "session.status_idle", "session.status_idle");
}

/** Lost attempts are charged what they had reserved, and no session is told that it has used it. */
async function checkMoney(observer: Queryable, sessionId: string): Promise<void> {
  const [sums] = await observer.query<{ ledger: number; usage: number }>(sql`
    select (select coalesce(sum(list_amount_nano), 0)::bigint from ledger
        where session_id = ${sessionId} and outcome <> 'lost' and kind <> 'session_time') as ledger,
      (select sum(list_amount_nano)::bigint from session_usage where session_id = ${sessionId}) as usage`);
  assert.equal(sums?.usage, sums?.ledger, `${sessionId}: what it used is in the ledger`);
}

/** Each period is in the ledger once: as much as the session says that it ran for, and never two at a time. */
async function checkTime(observer: Queryable, sessionId: string): Promise<void> {
  const [session] = await observer.query<{ isCloud: boolean; activeMs: number; nano: number }>(sql`
    select environment_type = 'cloud' as "isCloud", active_ms as "activeMs", time_nano as nano
    from sessions where id = ${sessionId}`);
  const periods = await observer.query<{ at: Date; nano: number }>(sql`
    select at, list_amount_nano as nano from ledger
    where session_id = ${sessionId} and kind = 'session_time' order by at, id`);
  assert.ok(session !== undefined);
  const sum = periods.reduce((all, { nano }) => all + nano, 0);
  const name = `${sessionId}: the time that it ran is in the ledger`;
  assert.equal(sum, session.nano, name);
  if (!session.isCloud) return assert.equal(sum, 0, name);
  const nanoPerMs = (dollarsAnHour * 1e9) / 3_600_000;
  const wantedNano = session.activeMs * nanoPerMs;
  assert.ok(sum >= wantedNano - 1e-3 && sum < wantedNano + periods.length + 1, name);
  for (const [index, { at, nano }] of periods.entries()) {
    const next = periods[index + 1];
    const endMs = at.getTime() + Math.floor(nano / nanoPerMs);
    assert.ok(next === undefined || endMs <= next.at.getTime() + 1, `${sessionId}: two at a time`);
  }
}
