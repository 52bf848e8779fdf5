// Rules REQ4, REQ7, REQ9 and REQ10: items of batches and turns of sessions, long searches, days, and what waits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../kernel/sql/statement.ts";
import { keepDays } from "../../server/requests/days.ts";
import { limits } from "../../server/requests/limits.ts";
import { requestLogOf } from "../../server/requests/module.ts";
import { openHouse, type House } from "../house.ts";
import { batchesPath, items } from "./batches-house.ts";
import { requestIdOf, requestsOf } from "./requests-house.ts";
import { sessionsOf } from "./sessions-house.ts";
import { until } from "./support.ts";

let house: House;
before(async () => {
  house = await openHouse();
});
after(() => house[Symbol.asyncDispose]());

const { list, page, read } = requestsOf(() => house);
const sessions = sessionsOf(() => house);
const platform = () => house.organizations.platform;
const ask = (content: string) =>
  house.ask("POST", "/v1/messages", {
    key: platform().api_key,
    body: { model: "sim-small", max_tokens: 20, messages: [{ role: "user", content }] },
  });

test("[REQ4] an item of a batch is one row, good or bad, with the batch and what it cost", async () => {
  const bad = { custom_id: "bad", params: { model: "no-model" } };
  const wrong = { custom_id: "wrong", params: ["no", "params"] };
  const made = await house.ask("POST", batchesPath, {
    key: platform().api_key,
    body: { requests: [...items("one", "two"), bad, wrong] },
  });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const rows = await until(async () => {
    const found = await list(`batch_id=${made.body.id}`);
    return found.length === 4 && found;
  }, "four items in the log");
  assert.deepEqual(rows.map(({ status }) => String(status)).toSorted(), [
    "200",
    "200",
    "400",
    "404",
  ]);
  for (const { origin, operation, method, path } of rows)
    assert.deepEqual(
      { origin, operation, method, path },
      {
        origin: "batch",
        operation: "batches.item",
        method: null,
        path: null,
      },
    );
  const [charged] = await house.world.db.query<{ nano: number }>(
    sql`select sum(amount_nano)::bigint as nano from ledger where kind = 'batch'`,
  );
  const told = rows.reduce((sum, { cost }) => sum + Math.round(Number(cost?.amount ?? 0) * 1e7), 0);
  assert.equal(told, charged?.nano);
});

test("[REQ4] a session's question to its model is a row with the session", async () => {
  const { id } = await sessions.make();
  await sessions.send(id, { type: "user.message", content: [{ type: "text", text: "Hello" }] });
  const [row] = await until(async () => {
    const found = await list(`session_id=${id}&origin=session`);
    return found.length > 0 && found;
  }, "the turn in the log");
  assert.equal(row?.operation, "sessions.turn");
  assert.equal(row?.served_model, "sim-small");
  assert.equal(row?.session_id, id);
  assert.ok(Number(row?.usage?.output_tokens) > 0);
});

test("[REQ4] a call of a tool is a row with the session and the tool's name", async () => {
  const environment = await house.ask("POST", "/v1/environments", {
    key: platform().api_key,
    headers: { "vendor-beta": "managed-agents-2026-04-01" },
    body: { name: "cloud", config: { type: "cloud" } },
  });
  const { id } = await sessions.make(
    { tools: [{ type: "agent_toolset_20260401" }] },
    { environment_id: environment.body.id },
  );
  const text = '[[tool web_fetch {"url":"http://127.0.0.1:9/"}]]';
  await sessions.send(id, { type: "user.message", content: [{ type: "text", text }] });
  const [row] = await until(async () => {
    const found = await list(`session_id=${id}&operation=sessions.tool_call`);
    return found.length > 0 && found;
  }, "the call in the log");
  assert.equal(row?.path, "web_fetch");
  assert.equal(row?.model, null);
  assert.equal(row?.usage, null);
});

test("[REQ7] a page looks at so many rows, tells how far, and goes on from there", async () => {
  const rare = requestIdOf(await ask("The rare one"));
  await read(rare);
  const { at } = await read(rare);
  const { db, ids } = house.world;
  // As many behind it as one page may look at, and one more.
  const count = limits.examinedRowsMax + 1;
  const prefix = ids.next("req_").slice(0, -6);
  await db.query(sql`
    insert into requests select (jsonb_populate_record(requests, jsonb_build_object(
      'id', ${prefix}::text || lpad(n::text, 6, '0'), 'operation', 'filler',
      'at', ${new Date(at)}::timestamptz + n * interval '1 millisecond'))).*
    from requests cross join generate_series(1, ${count}::int) as n where id = ${rare}`);
  const query = `credential_id=${(await read(rare)).credential_id}&operation=messages.create`;
  const first = await page(`${query}&limit=1`);
  assert.deepEqual(first.data, []);
  assert.ok(first.searched_to !== null && first.searched_to > at);
  const next = await page(`${query}&limit=1&page=${encodeURIComponent(first.next_page ?? "")}`);
  assert.deepEqual(
    next.data.map(({ id }) => id),
    [rare],
  );
  await db.query(sql`delete from requests where operation = 'filler'`);
});

test("[REQ9] days are made ahead, indexed when they are over, and dropped when they are old", async () => {
  const { db, clock } = house.world;
  const now = clock.now();
  const dayBefore = (days: number) =>
    new Date(now.getTime() - days * limits.dayMs).toISOString().slice(0, 10);
  for (const days of [1, 2, 3, 40])
    await db.query(sql`select requests_make_day(${dayBefore(days)}::date)`);
  const late = new Date(`${dayBefore(0)}T12:00:00Z`);
  await keepDays({ db }, 3, late);
  const days = await db.query<{ day: string; indexes: number }>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, (select count(*) from pg_indexes
      where tablename = 'requests_' || to_char(day, 'YYYY_MM_DD')) as indexes
    from requests_days order by day`);
  const known = days.map(({ day }) => day);
  assert.deepEqual(known, [2, 1, 0, -1, -2].map(dayBefore));
  const [least] = days.slice(2).map(({ indexes }) => indexes);
  assert.deepEqual(
    days.map(({ indexes }) => indexes - (least ?? 0)),
    [3, 3, 0, 0, 0],
  );
});

test("[REQ9] a row of a day that no job has made is written all the same", async () => {
  const { db } = house.world;
  await list();
  const [{ day } = { day: "" }] = await db.query<{ day: string }>(
    sql`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as day`,
  );
  await db.query(sql`select requests_drop_day(${day}::date)`);
  await using other = await house.openSecondServer();
  const answer = await fetch(`${other.url}/v1/models`, {
    headers: { "x-api-key": platform().api_key },
  });
  await answer.text();
  await requestLogOf(other.world).flush();
  assert.equal((await read(requestIdOf(answer))).path, "/v1/models");
});

test("[REQ10] rows wait while they cannot be written, so many of them, and are written later", async () => {
  const { db } = house.world;
  await list();
  await db.query(sql`alter table requests rename to requests_away`);
  const waited = requestIdOf(await ask("While the log is away"));
  await requestLogOf(house.world).flush();
  await db.query(sql`alter table requests_away rename to requests`);
  assert.equal((await read(waited)).status, 200);
  const warned = house.log.filter(({ message }) =>
    /request log cannot be written/.test(String(message)),
  );
  assert.equal(warned.length > 0, true);
});

test("[REQ10] the stop of a process writes what waits", async () => {
  let id = "";
  {
    await using other = await house.openSecondServer();
    const answer = await fetch(`${other.url}/v1/models`, {
      headers: { "x-api-key": platform().api_key },
    });
    await answer.text();
    id = requestIdOf(answer);
  }
  assert.equal((await read(id)).status, 200);
});
