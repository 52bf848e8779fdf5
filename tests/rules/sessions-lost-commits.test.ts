// Rule SES38 where the answer to a commit is lost: what a model said stands in the log once, made or not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Database } from "../../kernel/sql/database.ts";
import { commitUnknown } from "../../kernel/sql/driver-errors.ts";
import {
  custom,
  customResult,
  ofType,
  openSessionHouse,
  said,
  typesOf,
  wordsOf,
  type SessionHouse,
} from "./sessions-house.ts";
import { until } from "./support.ts";

let it: SessionHouse;
before(async () => {
  it = await openSessionHouse();
});
after(() => it[Symbol.asyncDispose]());

/** The answer to it, of the next transaction that appends what has these words. */
function loseCommit(db: Database, words: string, { isMade }: { isMade: boolean }): () => boolean {
  const { tx } = db;
  const lost = commitUnknown(new Error("lost"));
  db.tx = async (work, options) => {
    let isIt = false;
    const result = await tx(async (inner) => {
      const done = await work({
        ...inner,
        query: (statement) => {
          isIt ||=
            statement.name === "log_insert_events" &&
            JSON.stringify(statement.values).includes(words);
          return inner.query(statement);
        },
      });
      if (!isIt || isMade) return done;
      db.tx = tx;
      throw lost;
    }, options);
    if (!isIt) return result;
    db.tx = tx;
    throw lost;
  };
  return () => db.tx === tx;
}

for (const isMade of [true, false]) {
  const become = isMade ? "made" : "not made";

  test(`[SES38] an answer whose commit is ${become}: it stands there once, and its turn ends`, async () => {
    const { id } = await it.make();
    const isLost = loseCommit(it.house.world.db, "agent.message", { isMade });
    await it.send(id, said('[[say "Once."]]'));
    await until(async () => isLost(), "a commit to be lost");
    const events = await it.idle(id);
    assert.deepEqual(wordsOf(events), ["Once."]);
    assert.deepEqual(ofType(events, "session.error"), []);
    assert.equal(new Set(events.map(({ id: each }) => each)).size, events.length);
    assert.deepEqual(wordsOf(await it.turn(id, said('[[say "On."]]'))), ["On."]);
  });

  test(`[SES38] a call whose commit is ${become} waits once, and its answer goes on`, async () => {
    const { id } = await it.make({ tools: [custom("look")] });
    const isLost = loseCommit(it.house.world.db, "agent.custom_tool_use", { isMade });
    await it.send(id, said("[[tool look]]"));
    await until(async () => isLost(), "a commit to be lost");
    const [call, ...more] = ofType(await it.idle(id), "agent.custom_tool_use");
    assert.deepEqual(more, []);
    const turn = await it.turn(id, customResult(call?.id ?? "", "Seen."));
    assert.deepEqual(ofType(turn, "session.error"), []);
    assert.ok(typesOf(turn).includes("agent.message"));
  });

  test(`[SES38] members whose beginning is ${become} begin once, and the lead goes on`, async () => {
    const { id: worker } = await it.agent({ name: "Worker" });
    const { id } = await it.make({
      name: "Lead",
      multiagent: { type: "coordinator", agents: [worker] },
    });
    const isLost = loseCommit(it.house.world.db, "agent.thread_message_sent", { isMade });
    await it.send(id, said('[[tool send_to_agent {"agent":"Worker","message":"Do it."}]]'));
    await until(async () => isLost(), "a commit to be lost");
    const events = await it.idle(id);
    assert.equal(ofType(events, "session.thread_created").length, 1);
    assert.equal(ofType(events, "agent.thread_message_received").length, 1);
    assert.deepEqual(ofType(events, "session.error"), []);
    assert.equal(wordsOf(events).length, 1);
  });
}
