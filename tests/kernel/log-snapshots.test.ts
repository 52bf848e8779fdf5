// Snapshots of a fold: which is the latest, what is kept of them, and what a fold reads.
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLogger } from "../../kernel/base/logger.ts";
import { logLimits } from "../../kernel/log/limits.ts";
import { append, deleteStream } from "../../kernel/log/log.ts";
import { foldStream, latestSnapshot, saveSnapshot } from "../../kernel/log/snapshots.ts";
import type { Database } from "../../kernel/sql/database.ts";
import { openJobsHarness, type JobsHarness } from "./jobs-harness.ts";

/** Events whose data are their own positions. */
async function fill(h: JobsHarness, stream: string, from: number, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1_000) {
    const size = Math.min(1_000, count - done);
    const events = Array.from({ length: size }, (_, n) => ({
      type: "counted",
      data: { n: from + done + n },
    }));
    await h.db.tx((tx) => append(tx, h.world, stream, events));
  }
}

const save = (h: JobsHarness, stream: string, kind: string, position: number, state: unknown) =>
  h.db.tx((tx) => saveSnapshot(tx, stream, kind, { position, state }));

const sum = {
  kind: "sum/1",
  initial: { sum: 0, steps: 0 },
  step: (state: { sum: number; steps: number }, { data }: { data: unknown }) => ({
    sum: state.sum + (data as { n: number }).n,
    steps: state.steps + 1,
  }),
};

test("[LOG16] the latest snapshot at or before a position, of one kind; the newest few are kept", async () => {
  await using h = await openJobsHarness();
  await fill(h, "s", 1, 20);
  for (const position of [3, 5, 9]) await save(h, "s", "a", position, { position });
  await save(h, "s", "b", 4, ["b"]);
  await save(h, "s", "a", 9, { position: "again" });
  await save(h, "s", "a", 21, "of what has not come");
  const latest = (kind: string, at?: number) => latestSnapshot(h.db, "s", kind, at);
  assert.deepEqual(await latest("a"), { position: 9, state: { position: 9 } });
  assert.deepEqual(await latest("a", 8), { position: 5, state: { position: 5 } });
  assert.deepEqual(await latest("a", 5), { position: 5, state: { position: 5 } });
  assert.equal(await latest("a", 2), undefined);
  assert.deepEqual(await latest("b"), { position: 4, state: ["b"] });
  for (let position = 10; position <= 18; position++) await save(h, "s", "a", position, {});
  assert.equal(await latest("a", 10), undefined);
  assert.equal((await latest("a", 11))?.position, 11);
  assert.equal(await h.count("log_snapshots"), logLimits.snapshotsKeptMax + 1);
});

test("[LOG16] snapshots go with their stream, and none is saved of one that is gone", async () => {
  await using h = await openJobsHarness();
  await fill(h, "s", 1, 2);
  await fill(h, "other", 1, 2);
  await save(h, "s", "a", 1, {});
  await save(h, "other", "a", 1, {});
  await h.db.tx((tx) => deleteStream(tx, h.world, "s"));
  await save(h, "s", "a", 1, {});
  assert.equal(await latestSnapshot(h.db, "s", "a"), undefined);
  assert.equal(await h.count("log_snapshots"), 1);
});

test("[LOG16] a state at the limit is taken, one byte more is refused", async () => {
  await using h = await openJobsHarness();
  await fill(h, "s", 1, 1);
  const text = "x".repeat(logLimits.snapshotBytesMax - 2);
  await assert.rejects(save(h, "s", "a", 1, `${text}x`), /The snapshot a of s has 4194305 bytes/);
  await save(h, "s", "a", 1, text);
  assert.equal(await h.count("log_snapshots"), 1);
});

test("[LOG17] a fold goes on from the latest snapshot, in pages, and saves one every so often", async () => {
  await using h = await openJobsHarness();
  const reads: number[] = [];
  const watched: Database = {
    ...h.db,
    query: async (statement) => {
      const rows = await h.db.query(statement);
      if (statement.name?.startsWith("log_select_oldest")) reads.push(rows.length);
      return rows as never;
    },
  };
  const world = { db: watched, logger: silentLogger };
  await fill(h, "s", 1, 2_500);
  assert.deepEqual(await foldStream(world, "s", sum), {
    position: 2_500,
    state: { sum: (2_500 * 2_501) / 2, steps: 2_500 },
  });
  assert.ok(Math.max(...reads) <= logLimits.pageEventsMax, reads.join());
  assert.deepEqual((await latestSnapshot(h.db, "s", sum.kind))?.position, 2_000);
  assert.equal(await h.count("log_snapshots"), 2);

  await fill(h, "s", 2_501, 10);
  reads.length = 0;
  const { state, position } = await foldStream(world, "s", sum);
  assert.deepEqual([position, state.steps, state.sum], [2_510, 2_510, (2_510 * 2_511) / 2]);
  assert.deepEqual(reads, [200, 200, 110]);

  const earlier = await foldStream(world, "s", sum, { upTo: 1_003 });
  assert.deepEqual(earlier, { position: 1_003, state: { sum: (1_003 * 1_004) / 2, steps: 1_003 } });
  assert.deepEqual(await foldStream(world, "none", sum), { position: 0, state: sum.initial });
});

test("[LOG17] a state that is too large for a snapshot is folded all the same, and told of once", async () => {
  await using h = await openJobsHarness();
  await fill(h, "s", 1, 2_100);
  const warnings: object[] = [];
  const logger = { ...silentLogger, warn: (facts: object) => void warnings.push(facts) };
  const large = "x".repeat(logLimits.snapshotBytesMax);
  const folded = await foldStream({ db: h.db, logger }, "s", {
    kind: "large/1",
    initial: { large, steps: 0 },
    step: (state) => ({ ...state, steps: state.steps + 1 }),
  });
  assert.equal(folded.state.steps, 2_100);
  assert.deepEqual(warnings, [{ stream: "s", kind: "large/1", position: 1_000 }]);
  assert.equal(await h.count("log_snapshots"), 0);
});
