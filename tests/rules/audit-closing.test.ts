// Rules AUD8 and AUD9: rows from before get their place once, and afterwards no row without one is taken for an event.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
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

const signal = () => AbortSignal.timeout(60_000);
const seal = () => audit.sealAll(house.world, signal());

/** As the version before wrote them, or as somebody does who owns the database. */
const insert = (organizationId: string, rows: number) =>
  tamper(`insert into audit_events (id, organization_id, at, action, actor_type, address, details)
    select 'audit_${organizationId}' || lpad(n::text, 5, '0'), '${organizationId}',
      '2020-01-01T00:00:00Z', 'a.b', 'system', '', jsonb_build_object('n', n)
    from generate_series(1, ${rows}) as n`);

/** As it is after the migration, before the first seal. */
async function reopen(): Promise<void> {
  await run("delete from audit_closing");
  await house.world.blobs.delete(audit.closingKey);
}

const placed = (organizationId: string) =>
  run(
    `select details ->> 'n' as n from audit_events
     where organization_id = $1 and seq is not null order by seq`,
    [organizationId],
  ) as Promise<{ n: string }[]>;

test("[AUD9] rows from before get their place, once, in their order, and are found by their words", async () => {
  const id = "org_before";
  await seal();
  await insert(id, 1_203);
  await write(id, { n: "new" });
  await assert.rejects(
    run("update audit_events set action = 'x', seq = 1 where organization_id = $1", [id]),
    /rows are only added/,
  );
  await reopen();
  await Promise.all([seal(), seal()]);
  assert.deepEqual(await look(id), { ...(await look(id)), events: 1_204, problem: null });
  const numbers = Array.from({ length: 1_203 }, (_, at) => String(at + 1));
  assert.deepEqual(
    (await placed(id)).map(({ n }) => n),
    ["new", ...numbers],
  );
  const found = await run(
    `select id from audit_events where search @@ '''org_before'' & ''77'''::tsquery`,
  );
  assert.equal(found.length, 1);
});

test("[AUD9] a row without a place that came later is an error, and is never taken in", async () => {
  const id = await chain();
  await seal();
  await insert(id, 1);
  await seal();
  assert.equal((await placed(id)).length, 7);
  assert.deepEqual(await audit.findUnsealed(house.world, id), {
    waiting: 0,
    problem: `Event audit_${id}00001 has no place in the chain: it was put in.`,
  });
  assert.match((await look(id)).problem ?? "nothing", /00001 has no place in the chain/);
  await audit.reportUnsealed(house.world, signal());
  assert.match(JSON.stringify(house.expectErrors()), new RegExp(`${id}00001 has no place`));
});

test("[AUD9] nor is one of an organization that has no chain", async () => {
  await seal();
  await insert("org_of_nobody", 3);
  await seal();
  assert.ok((await audit.listChains(house.world.db)).includes("org_of_nobody"));
  assert.match((await look("org_of_nobody")).problem ?? "nothing", /^3 events have no place/);
});

test("[AUD9] taking the mark out of the database, or putting in a false one, opens nothing", async () => {
  const id = await chain();
  await seal();
  await insert(id, 2);
  for (const text of [
    "delete from audit_closing",
    "update audit_closing set signature = 'nonsense'",
  ]) {
    await run(text);
    await seal();
    assert.equal((await placed(id)).length, 7, text);
    assert.match((await look(id)).problem ?? "nothing", /^2 events have no place/, text);
  }
});

test("[AUD9] the mark in the database holds where the data directory has lost its own", async () => {
  const id = await chain();
  await seal();
  await insert(id, 1);
  await house.world.blobs.delete(audit.closingKey);
  await seal();
  assert.equal((await placed(id)).length, 7);
  assert.ok(await house.world.blobs.stat(audit.closingKey));
  assert.ok(!(await audit.listAnchored(house.world.blobs)).includes("closed"));
});

test("[AUD8] the database refuses an event without a place", async () => {
  const row = `insert into audit_events
    (id, organization_id, at, action, actor_type, address, details, seq)`;
  for (const seq of ["null", "1"])
    await assert.rejects(
      run(`${row} values ('audit_x', 'org_x', now(), 'a.b', 'system', '', '{}', ${seq})`),
      /needs its place in the chain/,
    );
});
