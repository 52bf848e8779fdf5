// Rule ENV37 where work ends while its session is written.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { openHouse, type House } from "../house.ts";
import { good, workOf } from "./environments-work-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());
const { open } = workOf(() => house);

/** One that waits for a row that another transaction holds. */
const isWaiting = async () => {
  const [row] = await house.world.db.query<{ count: number }>(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%sessions%'`);
  return (row?.count ?? 0) > 0;
};

test("[ENV37] work that ends while its session comes to wait for a worker is followed by new work", async () => {
  const hosted = await open();
  const { session } = await hosted.calling();
  const { work, token } = await hosted.take();
  // As before its turn was written: it runs, and no call waits yet.
  const { db } = house.world;
  const calls = await db.query<{ call: object }>(sql`
    select to_json(call) as call from session_calls as call where session_id = ${session}`);
  assert.equal(calls.length, 1);
  await db.tx(async (tx) => {
    await tx.query(sql`delete from session_calls where session_id = ${session}`);
    await tx.query(sql`update sessions set status = 'running' where id = ${session}`);
  });
  const stop = () => hosted.tryStop(work.id, token, { force: true });
  let stopping: ReturnType<typeof stop> | undefined;
  await db.tx(async (tx) => {
    await tx.query(sql`update sessions set status = 'idle' where id = ${session}`);
    await tx.query(sql`
      insert into session_calls
      select * from json_populate_record(null::session_calls, ${JSON.stringify(calls[0]?.call)}::json)`);
    stopping = stop();
    await until(isWaiting, "the end of the work to wait for the session");
  });
  good(await (stopping ?? stop()));
  const states = (await hosted.list()).map(({ state }) => state);
  assert.deepEqual(states.toSorted(), ["queued", "stopped"]);
});
