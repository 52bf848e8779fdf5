// Rule THR19: how long a conversation is kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { enqueue } from "../../kernel/jobs/jobs.ts";
import { sql } from "../../kernel/sql/statement.ts";
import { schedules } from "../../server/messages/module.ts";
import { messagesSection } from "../../server/messages/settings.ts";
import { threadLimits } from "../../server/messages/threads/limits.ts";
import { Compile } from "typebox/compile";
import { hours, seconds, until } from "./support.ts";
import {
  continuing,
  create,
  errorOf,
  openThreads,
  user,
  type ThreadsHouse,
} from "./threads-house.ts";

const more = (id: string) => ({ messages: [user("More")], thread: continuing(id) });

async function sweep({ house }: ThreadsHouse): Promise<void> {
  const { db, clock } = house.world;
  const schedule = schedules.find(({ name }) => name === "messages.sweep_threads");
  const { kind, payload } = schedule?.job(clock.now()) ?? assert.fail("no schedule");
  await db.tx((tx) => enqueue(tx, house.world, { kind, payload }));
  const jobs = sql`select id from jobs where kind = ${kind}`;
  await until(async () => (await db.query(jobs)).length === 0, "the end of the sweep");
}

const threads = async ({ house }: ThreadsHouse) => {
  const [row] = await house.world.db.query<{ threads: number; turns: number }>(sql`
    select (select count(*) from message_threads)::int as threads,
      (select count(*) from message_thread_turns)::int as turns`);
  return row;
};

test("[THR19] a thread is kept for a day after its last turn, and then deleted", async () => {
  await using t = await openThreads();
  const day = hours(threadLimits.keptHours);
  assert.equal(day, hours(24));
  const first = await t.created("Hello");
  t.pass(day - seconds(1));
  const second = await t.turn(more(first.id));
  t.pass(day - seconds(1));
  await sweep(t);
  assert.deepEqual(await threads(t), { threads: 1, turns: 2 });
  const third = await t.turn(more(second.id));
  t.pass(day);
  const young = await t.created("Hello");
  assert.equal(errorOf(await t.post(more(third.id))).code, "thread_not_found");
  assert.equal(errorOf(await t.post(more(first.id))).code, "thread_not_found");
  await sweep(t);
  assert.deepEqual(await threads(t), { threads: 1, turns: 1 });
  await t.turn(more(young.id));
  // More than one statement takes.
  const { db, clock } = t.house.world;
  await db.query(sql`
    insert into message_threads (id, organization_id, workspace_id, bytes, expires_at)
    select 'thread_' || number, 'org', 'wrkspc', 0, ${clock.now()}
    from generate_series(1, ${threadLimits.sweepRows + 1}) as number`);
  await sweep(t);
  assert.deepEqual(await threads(t), { threads: 1, turns: 2 });
});

test("[THR19] the settings say how long, and whether at all", async () => {
  {
    await using t = await openThreads({ sections: { messages: { threads_kept_hours: 1 } } });
    const { id } = await t.created("Hello");
    t.pass(hours(1));
    assert.equal(errorOf(await t.post(more(id))).code, "thread_not_found");
  }
  await using t = await openThreads({ sections: { messages: { threads_kept_hours: 0 } } });
  const none = await t.post({ messages: [user("Hello")], thread: create });
  assert.equal(errorOf(none).code, "thread_unsupported_request");
  assert.deepEqual(none.body.error.details.unsupported, ["thread"]);
  assert.deepEqual(await threads(t), { threads: 0, turns: 0 });
  const taken = Compile(messagesSection.schema);
  const given = [0, threadLimits.keptHoursMax, threadLimits.keptHoursMax + 1, -1, 0.5];
  assert.deepEqual(
    given.map((hours) => taken.Check({ threads_kept_hours: hours })),
    [true, true, false, false, false],
  );
});
