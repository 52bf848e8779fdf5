// Rules AUD5, AUD6, AUD8 and AUD9: the chain of events, and every way of tampering with it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "../../kernel/sql/database.ts";
import * as audit from "../../server/audit/module.ts";
import { openHouse, type House } from "../house.ts";
import { chainsOf } from "./audit-chains.ts";

let house: House;
before(async () => {
  // The job of the minute may find what is done here.
  house = await openHouse({ toleratedErrors: /tampered with/ });
});
after(() => house[Symbol.asyncDispose]());
const { run, write, tamper, chain, look } = chainsOf(() => house);

test("[AUD5] events are numbered without gaps, and each bears the hash of the one before", async () => {
  const id = await chain(0);
  await Promise.all(Array.from({ length: 40 }, (_, number) => write(id, { number })));
  const rows = (await run(
    `select seq::int, encode(previous_hash, 'hex') as before, encode(hash, 'hex') as hash
     from audit_events where organization_id = $1 order by seq`,
    [id],
  )) as { seq: number; before: string; hash: string }[];
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
  assert.deepEqual(
    rows.slice(1).map(({ before }) => before),
    rows.slice(0, -1).map(({ hash }) => hash),
  );
  assert.deepEqual(await look(id), {
    events: 40,
    intactUpTo: { seq: 40, hash: rows.at(-1)?.hash },
    problem: null,
  });
});

test("[AUD5] a transaction that fails leaves no number, and several events of one stand in their order", async () => {
  const id = await chain(1);
  const failing = house.world.db.tx(async (tx) => {
    await audit.record(tx, house.world, audit.operator, { organizationId: id, action: "a.lost" });
    throw new Error("no");
  });
  await assert.rejects(failing);
  const other = await chain(0);
  await house.world.db.tx(async (tx) => {
    for (const action of ["a.first", "a.second", "a.third"]) {
      await audit.record(tx, house.world, audit.operator, { organizationId: other, action });
      await audit.record(tx, house.world, audit.operator, { organizationId: id, action });
    }
  });
  for (const [each, from] of [
    [id, 2],
    [other, 1],
  ] as const) {
    const rows = (await run(
      `select seq::int, action from audit_events where organization_id = $1 and seq >= $2
       order by seq`,
      [each, from],
    )) as { seq: number; action: string }[];
    assert.deepEqual(
      rows.map(({ seq, action }) => [seq - from, action]),
      [
        [0, "a.first"],
        [1, "a.second"],
        [2, "a.third"],
      ],
    );
    assert.equal((await look(each)).problem, null);
  }
});

test("[AUD5] odd texts have one form: the database and the look at it agree", async () => {
  const id = await chain(0);
  const odd = { "ä\n\t\"\\'": "\u{1f600}\ud800\0", n: 1e21, m: 0.1, deep: [null, { a: -0 }] };
  await write(id, odd);
  assert.deepEqual((await look(id)).problem, null);
});

test("[AUD6] a large chain is looked at in pieces, to its very end", async () => {
  const id = await chain(1);
  await run(
    `select audit_append($1, (select jsonb_agg(jsonb_build_object('id', 'audit_big' || n,
      'at', '2026-01-01T00:00:00Z', 'action', 'a.b', 'actor_type', 'system', 'address', '',
      'details', '{}'::jsonb, 'words', '[]'::jsonb)) from generate_series(1, 12000) as n))`,
    [id],
  );
  assert.equal((await look(id)).intactUpTo.seq, 12_001);
  await tamper("update audit_events set address = 'x' where organization_id = $1 and seq = 12001", [
    id,
  ]);
  const { problem, intactUpTo } = await look(id);
  assert.match(problem ?? "", /^Event 12001 \(audit_big12000\) was changed\.$/);
  assert.equal(intactUpTo.seq, 12_000);
});

/** Statements of an attacker, with the organization as $1, and what is said of it. */
const ways: Record<string, [string, RegExp]> = {
  "another id": [
    "update audit_events set id = id || 'x' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another time": [
    "update audit_events set at = at + interval '1 microsecond' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another action": [
    "update audit_events set action = 'thing.made' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another kind of actor": [
    "update audit_events set actor_type = 'user' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another actor": [
    "update audit_events set actor_id = 'user_x' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another name": [
    "update audit_events set actor_name = null where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another kind of target": [
    "update audit_events set target_type = 'key' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another target": [
    "update audit_events set target_id = 'thing_2' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "a field's text moved to the next": [
    "update audit_events set target_type = 'thin', target_id = 'gthing_1' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another address": [
    "update audit_events set address = '10.0.0.1' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another request": [
    "update audit_events set request_id = '' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "other details": [
    `update audit_events set details = '{"number": 5}' where organization_id = $1 and seq = 4`,
    /^Event 4 .*was changed/,
  ],
  "other words to find it by": [
    "update audit_events set search = '' where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "no words to find it by": [
    "update audit_events set search = null where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another hash": [
    "update audit_events set hash = sha256('x') where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "no hash": [
    "update audit_events set hash = null where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another hash before": [
    "update audit_events set previous_hash = sha256('x') where organization_id = $1 and seq = 4",
    /^Event 4 .*was changed/,
  ],
  "another organization": [
    "update audit_events set organization_id = 'org_elsewhere' where organization_id = $1 and seq = 4",
    /^Event 4 is missing/,
  ],
  "one taken out": [
    "delete from audit_events where organization_id = $1 and seq = 4",
    /^Event 4 is missing/,
  ],
  "three taken out": [
    "delete from audit_events where organization_id = $1 and seq between 3 and 5",
    /^Events 3 to 5 are missing/,
  ],
  "the first taken out": [
    "delete from audit_events where organization_id = $1 and seq = 1",
    /^Event 1 is missing/,
  ],
  "the end cut off": [
    "delete from audit_events where organization_id = $1 and seq > 5",
    /^Events 6 to 7 are missing/,
  ],
  "all taken out": [
    "delete from audit_events where organization_id = $1",
    /^Events 1 to 7 are missing/,
  ],
  "one no longer in the chain": [
    "update audit_events set seq = null where organization_id = $1 and seq = 4",
    /^Event 4 is missing/,
  ],
  "two that changed places": [
    "update audit_events set seq = case seq when 3 then -4 else -3 end where organization_id = $1 and seq in (3, 4); update audit_events set seq = -seq where seq < 0",
    /^Event 3 .*was changed, put in or moved/,
  ],
  "the head set back": [
    "with cut as (delete from audit_events where organization_id = $1 and seq > 5) update audit_heads set seq = 5 where organization_id = $1",
    /^Event 5: it is not the one that the head/,
  ],
  "the head taken away": [
    "delete from audit_heads where organization_id = $1",
    /^The head of the chain is missing/,
  ],
};

for (const [way, [statement, said]] of Object.entries(ways))
  test(`[AUD6] ${way} is found`, async () => {
    const id = await chain();
    assert.equal((await look(id)).problem, null);
    for (const each of statement.split("; ")) await tamper(each.replaceAll("$1", `'${id}'`));
    assert.match((await look(id)).problem ?? "nothing", said);
  });

test("[AUD6] an event put in between is found, also with the hash that it should have", async () => {
  const id = await chain();
  await tamper(
    `update audit_events set seq = -seq - 1 where organization_id = '${id}' and seq > 3`,
  );
  await tamper(`update audit_events set seq = -seq where organization_id = '${id}' and seq < 0`);
  await tamper(`insert into audit_events select (jsonb_populate_record(e, jsonb_build_object(
    'id', e.id || 'x', 'seq', 4))).* from audit_events e where organization_id = '${id}' and seq = 3`);
  await tamper(`update audit_events e set previous_hash = b.hash from audit_events b
    where e.organization_id = '${id}' and e.seq = 4 and b.organization_id = '${id}' and b.seq = 3`);
  await tamper(`update audit_events e set hash = audit_hash(e)
    where organization_id = '${id}' and seq = 4`);
  await tamper(`update audit_heads set seq = 8 where organization_id = '${id}'`);
  assert.match((await look(id)).problem ?? "nothing", /^Event 5 .*was changed, put in or moved/);
});

test("[AUD6] a second event of the same number is found", async () => {
  const id = await chain();
  await using _without = await withoutIndex(house.world.db);
  await tamper(`insert into audit_events select (jsonb_populate_record(e, jsonb_build_object(
    'id', e.id || 'x'))).* from audit_events e where organization_id = '${id}' and seq = 3`);
  assert.match((await look(id)).problem ?? "nothing", /^Event 3 is there twice/);
  await tamper(`delete from audit_events where organization_id = '${id}' and id like '%x'`);
});

async function withoutIndex(db: Database): Promise<AsyncDisposable> {
  await db.query({ text: "drop index audit_events_chain", values: [] });
  const text = `create unique index audit_events_chain on audit_events (organization_id, seq)
    where seq is not null`;
  return { [Symbol.asyncDispose]: async () => void (await db.query({ text, values: [] })) };
}

test("[AUD8] the database refuses to change, delete or empty what was written", async () => {
  const id = await chain(2);
  for (const text of [
    "update audit_events set details = '{}'",
    "update audit_events set seq = null, hash = null, previous_hash = null",
    "delete from audit_events",
    "truncate audit_events",
    "delete from audit_heads",
    "truncate audit_heads",
  ])
    await assert.rejects(run(text), /rows are only added/, text);
  assert.equal((await look(id)).problem, null);
});
