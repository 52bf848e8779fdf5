// Rules SES38, SES40 and SES41, over HTTP: several processes, and sessions that change hands.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { limits } from "../../server/sessions/limits.ts";
import {
  expectExact,
  ofType,
  openSessionHouse,
  said,
  stopsOf,
  textOf,
  typesOf,
  type SessionEvent,
  type SessionHouse,
} from "./sessions-work-house.ts";
import { askAt, until } from "./support.ts";

let s: SessionHouse;
before(async () => {
  s = await openSessionHouse();
});
after(() => s[Symbol.asyncDispose]());

interface Row {
  owner: string | null;
  isDue: boolean;
}

const rowOf = async (id: string): Promise<Row> => {
  const [row] = await s.house.world.db.query<Row>(
    sql`select lease_owner as owner, due_at is not null as "isDue" from sessions where id = ${id}`,
  );
  return row ?? assert.fail(id);
};
/** As for a process that has not been heard of for as long as its lease lasts. */
const takeAway = (id: string) =>
  s.house.world.db.tx((tx) =>
    tx.query(
      sql`update sessions set lease_until = statement_timestamp() - interval '1 second' where id = ${id}`,
    ),
  );
const asking = (id: string) =>
  s.seen(id, "a call", (events) => events.at(-1)?.type === "span.model_request_start");

/** What holds of every session, however often it changed hands. */
function expectWhole(events: readonly SessionEvent[]): void {
  const ids = new Set(events.map(({ id }) => id));
  assert.equal(ids.size, events.length, "no event stands there twice");
  const starts = ofType(events, "span.model_request_start").map(({ id }) => id);
  const ends = ofType(events, "span.model_request_end").map(
    ({ model_request_start_id: of }) => of as string,
  );
  assert.deepEqual(ends, starts, "each span has one end, and in their order");
}

test("[SES38] what was being asked is asked again by who takes a session over, and told once", async () => {
  await using _second = await s.house.openSecondServer();
  const id = await s.begin();
  await s.send(id, [said("[[tokens 20]] [[rate 10]] Slowly.")]);
  await asking(id);
  await takeAway(id);
  const events = await s.finished(id);
  expectWhole(events);
  const ends = ofType(events, "span.model_request_end");
  assert.deepEqual(
    ends.map(({ is_error: isError }) => isError),
    [true, false],
  );
  assert.equal(ofType(events, "agent.message").length, 1);
  assert.deepEqual(stopsOf(events), ["end_turn"]);
  // What the first owner had asked for is paid for, too.
  await until(async () => (await s.ledgerOf(id)).length === 2, "both calls in the ledger");
  await expectExact(s, id);
});

test("[SES38] a session that changes hands again and again loses nothing of what is sent", async () => {
  await using _second = await s.house.openSecondServer();
  const id = await s.begin();
  const texts = Array.from({ length: 8 }, (_, at) => `[[say "Answer ${at}."]] [[rate 30]] ${at}`);
  for (const text of texts) {
    await s.send(id, [said(text)]);
    await takeAway(id);
  }
  const events = await s.finished(id);
  expectWhole(events);
  assert.deepEqual(ofType(events, "user.message").map(textOf), texts);
  assert.deepEqual(
    ofType(events, "agent.message").map(textOf),
    texts.map((_, at) => `Answer ${at}.`),
  );
  assert.deepEqual(
    stopsOf(events),
    texts.map(() => "end_turn"),
  );
});

test("[SES38] calls that waited for a client when their owner went are answered as ever", async () => {
  const id = await s.begin({
    agent: {
      tools: [
        { type: "custom", name: "look", description: "Looks.", input_schema: { type: "object" } },
      ],
    },
  });
  const waiting = await s.talk(id, "[[tools look | look]] Go.");
  const [first, second] = ofType(waiting, "agent.custom_tool_use").map((call) => call.id);
  const second_ = await s.house.openSecondServer();
  await using _closing = second_;
  const answer = (call: string | undefined) => ({
    type: "user.custom_tool_result",
    custom_tool_use_id: call,
    content: [{ type: "text", text: "Seen" }],
  });
  await s.send(id, [answer(second)]);
  await takeAway(id);
  const path = `/v1/sessions/${id}/events`;
  const sent = await askAt(second_.url, "POST", path, {
    key: s.platform.api_key,
    headers: { "vendor-beta": "managed-agents-2026-04-01" },
    body: { events: [answer(first)] },
  });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const events = await s.finished(id);
  expectWhole(events);
  assert.match(
    textOf(ofType(events, "agent.message").at(-1) ?? assert.fail()),
    /look answered: "Seen"/,
  );
});

test("[SES38] a process that stops gives its sessions to another", async () => {
  await s.talk(await s.begin(), "Hello");
  const second = await s.house.openSecondServer({ drainSeconds: 1 });
  const slow: string[] = [];
  try {
    const first = await ownerOf(slow);
    await until(async () => {
      const owner = await ownerOf(slow);
      return owner !== first;
    }, "a session of each process");
  } finally {
    await second[Symbol.asyncDispose]();
  }
  for (const id of slow) {
    const events = await s.finished(id);
    expectWhole(events);
    assert.equal(ofType(events, "agent.message").length, 1);
    await expectExact(s, id);
  }
});

/** Who works on a new session that takes longer than a process waits when it stops. */
async function ownerOf(slow: string[]): Promise<string> {
  const id = await s.begin();
  slow.push(id);
  await s.send(id, [said("[[tokens 70]] [[rate 10]] Slowly.")]);
  return until(async () => (await rowOf(id)).owner ?? false, `an owner of ${id}`);
}

test("[SES40] a session that has nothing to do is nobody's, and comes up nowhere", async () => {
  const id = await s.begin();
  await s.talk(id, "Hello");
  assert.deepEqual(await rowOf(id), { owner: null, isDue: false });
  const waiting = await s.begin({
    agent: {
      tools: [
        { type: "custom", name: "look", description: "Looks.", input_schema: { type: "object" } },
      ],
    },
  });
  await s.talk(waiting, "[[tool look]]");
  assert.deepEqual(await rowOf(waiting), { owner: null, isDue: false });
});

test("[SES40] a process works on 64 sessions at most, and workspaces take turns for what is free", async () => {
  const slow = await Promise.all(
    Array.from({ length: limits.heldMax + 2 }, async () => {
      const id = await s.begin();
      await s.send(id, [said("[[tokens 5000]] [[rate 10]] Slowly.")]);
      return id;
    }),
  );
  const held = async () => {
    const [row] = await s.house.world.db.query<{ count: number }>(
      sql`select count(*)::int as count from sessions where lease_owner is not null`,
    );
    return row?.count ?? 0;
  };
  await until(async () => (await held()) === limits.heldMax, "64 sessions");
  const who = { key: s.other.api_key };
  const other = await s.begin({ who });
  await s.send(other, [said("[[tokens 5000]] [[rate 10]] Slowly.")], who);
  const owners = await Promise.all(slow.map(async (id) => ({ id, ...(await rowOf(id)) })));
  const waiting = owners.filter(({ owner }) => owner === null);
  assert.equal(waiting.length, 2);
  assert.equal((await rowOf(other)).owner, null);
  const worked = owners.find(({ owner }) => owner !== null) ?? assert.fail();
  await s.send(worked.id, [{ type: "user.interrupt" }]);
  await until(async () => (await rowOf(other)).owner !== null, "the other workspace's turn");
  assert.equal(await held(), limits.heldMax);
  for (const { id } of waiting) assert.equal((await rowOf(id)).owner, null);
  for (const id of slow.filter((each) => each !== worked.id))
    await s.send(id, [{ type: "user.interrupt" }]);
  await s.send(other, [{ type: "user.interrupt" }], who);
  await s.finished(other, who);
  for (const id of slow) assert.equal(stopsOf(await s.finished(id)).at(-1), "end_turn");
});

test("[SES41] a session that runs and that nobody works on is rescheduling, alone and in lists", async () => {
  const id = await s.begin();
  await s.send(id, [said("[[tokens 10]] [[rate 10]] Slowly.")]);
  await asking(id);
  assert.equal((await s.read(id)).status, "running");
  const { db } = s.house.world;
  // Not due, so that nobody takes it up.
  await db.tx((tx) =>
    tx.query(sql`
      update sessions set lease_until = statement_timestamp() - interval '1 second', due_at = null
      where id = ${id}`),
  );
  assert.equal((await s.read(id)).status, "rescheduling");
  const listed = async (status: string) => {
    const { data } = await s.good("GET", `/v1/sessions?statuses[]=${status}`, {
      key: s.platform.api_key,
    });
    return (data as { id: string }[]).some((each) => each.id === id);
  };
  assert.deepEqual([await listed("rescheduling"), await listed("running")], [true, false]);
  await db.tx((tx) =>
    tx.query(sql`update sessions set due_at = statement_timestamp() where id = ${id}`),
  );
  const events = await s.finished(id);
  expectWhole(events);
  assert.ok(!typesOf(events).includes("session.error"));
  assert.equal((await s.read(id)).status, "idle");
});
