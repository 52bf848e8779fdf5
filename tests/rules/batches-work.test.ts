// Rules BAT12 and BAT15 where several things happen at once: what one process does with batches that come and go.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Statement } from "../../kernel/sql/statement.ts";
import { type BatchHouse, items, openBatchHouse } from "./batches-house.ts";
import { seconds } from "./support.ts";

let b: BatchHouse;
before(async () => {
  b = await openBatchHouse();
});
after(() => b[Symbol.asyncDispose]());

/** The next answer to a statement of this name stays on its way until it is let go. */
function delay(name: string) {
  const { db } = b.house.world;
  const { query } = db;
  const [came, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  db.query = async <Row>(statement: Statement): Promise<Row[]> => {
    const rows = await query<Row>(statement);
    if (statement.name !== name) return rows;
    db.query = query;
    came.resolve();
    await go.promise;
    return rows;
  };
  return { came: came.promise, go: go.resolve };
}

test("[BAT15] a batch that comes while it is asked what became of others is not taken for one that has ended", async () => {
  const { id: slow } = await b.create(items("[[tokens 8]] [[rate 2]]"));
  const states = delay("batches_states");
  await states.came;
  const begunMs = performance.now();
  const { id } = await b.create(items("[[tokens 3]] [[rate 4]]"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  states.go();
  await b.ended(id);
  const ms = performance.now() - begunMs;
  assert.ok(ms < seconds(4), `${Math.round(ms)} ms: its lease had to run out first`);
  await b.ended(slow);
});
