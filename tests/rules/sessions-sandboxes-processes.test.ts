// Rules SES69 to SES71: sandboxes where there are several processes and machines, and where the database is away.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { databaseAway } from "../../kernel/sql/driver-errors.ts";
import { sql, type Statement } from "../../kernel/sql/statement.ts";
import { sandboxesPart } from "../../server/sessions/sandbox/sandboxes.ts";
import { ofType, said } from "./sessions-house.ts";
import {
  commandsOf,
  inNewShell,
  openCloudHouse,
  resultsOf,
  shell,
  type CloudHouse,
} from "./sessions-sandboxes-house.ts";
import { until } from "./support.ts";

let it: CloudHouse;
before(async () => {
  it = await openCloudHouse();
});
afterEach(() => assert.deepEqual(it.machine.faults, []));
after(() => it[Symbol.asyncDispose]());

const write = (statement: Statement) => it.house.world.db.tx((tx) => tx.query(statement));

test("[SES69] a sandbox whose lease is lost in the middle of a call stops, and the result says so", async () => {
  const id = await it.cloud();
  await it.send(id, said(shell("append before", "wait lost", "append after")));
  await it.began("wait lost");
  await write(sql`
    update session_sandboxes set lease_owner = 'another', lease_epoch = lease_epoch + 1,
      lease_until = statement_timestamp() + interval '5 seconds' where session_id = ${id}`);
  const results = resultsOf(await it.idle(id));
  assert.equal(results[0], "before");
  assert.match(results[1] ?? "", /^error: The sandbox was lost while this call ran: whether/);
  // It waited for the sandbox to be free, and found the files.
  assert.equal(results[2], inNewShell("after"));
  assert.deepEqual(it.machine.workspaces.get(id), ["before", "after"]);
  assert.equal(commandsOf(it.machine, id).length, 3);
});

test("[SES69] a process that wants a sandbox gets it from the one that has it, and never while a call runs", async () => {
  await using _second = await it.second();
  const id = await it.cloud();
  await it.turn(id, said(shell("append one")));
  await it.send(id, said(shell("wait held", "append two")));
  await it.began("wait held");
  // The process that works on it is taken for dead, and another one goes on.
  await write(sql`update sessions set lease_until = statement_timestamp() - interval '1 second',
    due_at = statement_timestamp() - interval '1 minute' where id = ${id}`);
  const events = await it.idle(id);
  assert.match(resultsOf(events)[1] ?? "", /^error: The outcome is unknown/);
  assert.equal(resultsOf(events).at(-1), inNewShell("two"));
  assert.deepEqual(commandsOf(it.machine, id), ["append one", "wait held", "append two"]);
  it.machine.release("held");
});

test("[SES69] a process that stops hands its sandboxes over, with their files", async () => {
  const second = await it.second();
  const ids: string[] = [];
  await until(async () => {
    const id = await it.cloud();
    ids.push(id);
    await it.turn(id, said(shell("append one")));
    return it.machine.running().get(id) === "second";
  }, "a sandbox of the second process");
  await second[Symbol.asyncDispose]();
  assert.ok(![...it.machine.running().values()].includes("second"));
  for (const id of ids) {
    assert.deepEqual(resultsOf(await it.turn(id, said(shell("append two", "list")))), [
      id === ids.at(-1) ? inNewShell("two") : "two",
      "one\ntwo",
    ]);
    assert.equal(it.machine.running().get(id), "first");
  }
});

test("[SES69] one that was killed is waited for as long as its lease lasts, and then taken over", async () => {
  const id = await it.cloud();
  await write(sql`
    insert into session_sandboxes (session_id, host_id, lease_owner, lease_epoch, lease_until)
    values (${id}, ${it.sandboxes.hostId}, 'dead', 1, statement_timestamp() + interval '4 seconds')`);
  await it.send(id, said(shell("append one")));
  await it.seen(id, "agent.tool_use");
  assert.equal((await it.placeOf(id))?.owner, "dead");
  assert.deepEqual(commandsOf(it.machine, id), []);
  assert.deepEqual(resultsOf(await it.idle(id)), [inNewShell("one")]);
});

const placeElsewhere = async (id: string, host: string, seenMs: number) => {
  await write(sql`
    insert into sandbox_hosts (id, seen_at)
    values (${host}, statement_timestamp() - ${seenMs} * interval '1 ms')
    on conflict (id) do update set seen_at = excluded.seen_at`);
  await write(sql`insert into session_sandboxes (session_id, host_id) values (${id}, ${host})
    on conflict do nothing`);
};

test("[SES70] a session whose files lie on another machine that lives is left to it", async () => {
  const id = await it.cloud();
  await placeElsewhere(id, "host_alive", 0);
  await it.send(id, said(shell("say here")));
  // What comes later is done sooner.
  for (let later = 0; later < 3; later++) await it.turn(await it.cloud(), said(shell("say later")));
  assert.deepEqual(ofType(await it.events(id), "span.model_request_start"), []);
  await placeElsewhere(id, "host_alive", 31_000);
  const [said_] = resultsOf(await it.idle(id));
  assert.match(
    said_ ?? "",
    /^error: The workspace of this session lies on another machine .*host_alive, last seen at \d{4}-/,
  );
  assert.deepEqual(commandsOf(it.machine, id), []);
});

test("[SES70] of a machine that is gone others go on without its files, and say so each time", async () => {
  const id = await it.cloud();
  await placeElsewhere(id, "host_gone", 60_000);
  const turn = await it.turn(id, said(shell("say one", "say two")));
  for (const each of resultsOf(turn))
    assert.match(each, /another machine .*host_gone.* does not answer\. Start its server again/);
  assert.equal(resultsOf(turn).length, 2);
  assert.equal(turn.at(-1)?.["stop_reason"].type, "end_turn");
});

test("[SES70] a machine says that it lives, and its name stays the same", async () => {
  const { db } = it.house.world;
  const seen = async () => {
    const [row] = await db.query<{ at: Date }>(
      sql`select seen_at as at from sandbox_hosts where id = ${it.sandboxes.hostId}`,
    );
    return row?.at.getTime();
  };
  const first = await until(seen, "the machine to be seen");
  await until(async () => ((await seen()) ?? 0) > first, "it to be seen again");
  await using second = await it.house.openSecondServer();

  assert.equal(sandboxesPart.of(second.world).hostId, it.sandboxes.hostId);
});

/** Until it is called, statements that look like this find no database. */
function loseDatabase(looks: RegExp): () => void {
  const { db } = it.house.world;
  let refused = 0;
  const { query, tx } = db;
  const expectThere = ({ text }: Statement) => {
    if (!looks.test(text)) return;
    refused += 1;
    throw databaseAway(new Error("away"));
  };
  db.query = async (statement) => {
    expectThere(statement);
    return query(statement);
  };
  db.tx = (work, options) =>
    tx(
      (inner) =>
        work({
          ...inner,
          query: async (statement) => {
            expectThere(statement);
            return inner.query(statement);
          },
        }),
      options,
    );
  return () => {
    Object.assign(db, { query, tx });
    assert.notEqual(refused, 0, "nobody asked it");
  };
}

test("[SES71] a database that is away before a call has begun is waited for", async () => {
  const id = await it.cloud();
  const comeBack = loseDatabase(/insert into session_sandboxes/);
  await it.send(id, said(shell("append once")));
  await it.seen(id, "agent.tool_use").finally(comeBack);
  const events = await it.idle(id);
  assert.deepEqual(resultsOf(events), ["once"]);
  assert.deepEqual(it.machine.workspaces.get(id), ["once"]);
});

test("[SES71] also where the session itself cannot be read then", async () => {
  const id = await it.cloud();
  const { db, hints, clock } = it.house.world;
  const { tx } = db;
  const back: (() => void)[] = [];
  db.tx = async (work, options) => {
    let isIt = false;
    const made = await tx((inner) => {
      const query: typeof inner.query = (statement) => {
        isIt ||= JSON.stringify(statement.values).includes("internal.tool_started");
        return inner.query(statement);
      };
      return work({ ...inner, query });
    }, options);
    if (!isIt) return made;
    db.tx = tx;
    // Something comes at this moment: the session is read anew before the call begins.
    back.push(loseDatabase(/organization\.type as "organizationType"/));
    hints.send("sessions", id);
    await clock.sleep(100);
    return made;
  };
  await it.send(id, said(shell("append once")));
  await it.seen(id, "agent.tool_use");
  await clock.sleep(300);
  for (const comeBack of back) comeBack();
  assert.equal(back.length, 1);
  assert.deepEqual(resultsOf(await it.idle(id)), ["once"]);
});

test("[SES71] one that is away while a call runs costs neither its result nor a second run", async () => {
  const id = await it.cloud();
  await it.send(id, said(shell("append once", "wait away")));
  await it.began("wait away");
  const comeBack = loseDatabase(/./);
  it.machine.release("away");
  await it.house.world.clock.sleep(1_500);
  comeBack();
  const events = await it.idle(id);
  assert.deepEqual(resultsOf(events), ["once", "away"]);
  assert.deepEqual(commandsOf(it.machine, id), ["append once", "wait away"]);
  assert.equal(ofType(events, "agent.tool_result").length, 2);
});
