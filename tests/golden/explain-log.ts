// The hot statements of the event log.
import * as log from "../../kernel/log/queries.ts";
import * as snapshots from "../../kernel/log/queries-snapshots.ts";
import type { Queryable, Tx } from "../../kernel/sql/database.ts";

const now = new Date("2026-01-01T00:00:00Z");
const range: log.EventRange = {
  after: 7,
  before: 9_000,
  types: undefined,
  order: "oldest_first",
  limit: 100,
  bytesMax: 1_000_000,
};
const processed: log.ProcessedRange = {
  after: { processedAt: now, position: 7 },
  before: { processedAt: new Date(now.getTime() + 60_000), position: 0 },
  types: undefined,
  order: "oldest_first",
  limit: 100,
};
const event = {
  index: 0,
  number: 1,
  id: "event",
  type: "t",
  data: "{}",
  bytes: 2,
  processedAt: null,
};
const rows: log.NewRows = {
  streams: [{ stream: "stream", count: 1, expected: 1 }],
  events: [event],
  at: now,
};
const snapshot = { kind: "k", position: 7, state: "{}" };

export const logStatements: Record<string, (on: Queryable) => Promise<unknown>> = {
  "log: append": (on) => log.insertEvents(on, rows),
  "log: read from a position": (on) => log.selectEvents(on, "stream", range),
  "log: read back from a position": (on) =>
    log.selectEvents(on, "stream", { ...range, order: "newest_first" }),
  "log: read some types": (on) => log.selectEvents(on, "stream", { ...range, types: ["t", "u"] }),
  "log: read some types back": (on) =>
    log.selectEvents(on, "stream", { ...range, types: ["t", "u"], order: "newest_first" }),
  "log: by id": (on) => log.findEvent(on, "stream", "event"),
  "log: set processed": (on) =>
    log.setProcessed(
      on as Tx,
      [7, 8].map((position) => ({ stream: "stream", position, at: now })),
    ),
  "log: as processed": (on) => log.selectProcessed(on, "stream", processed),
  "log: as processed, back": (on) =>
    log.selectProcessed(on, "stream", { ...processed, order: "newest_first" }),
  "log: heads": (on) => log.selectHeads(on, ["a", "b"]),
  "log: save a snapshot": (on) => snapshots.insertSnapshot(on as Tx, "stream", snapshot),
  "log: drop old snapshots": (on) => snapshots.deleteOldSnapshots(on as Tx, "stream", "k", 8),
  "log: latest snapshot": (on) => snapshots.selectSnapshot(on, "stream", "k", 7),
};
