// What of an upstream's work may be lost because a process was struck, and what is not explained by that.
import type { Database } from "../../kernel/sql/database.ts";
import { sql } from "../../kernel/sql/statement.ts";
import type { Call } from "./batches-upstream.ts";

export interface Losses {
  /** Taken before the strike. */
  openOf(server: string): readonly Call[];
  /** Once this server writes nothing more: what it had open, and what it had not written, may be lost. */
  note(server: string, open: readonly Call[], struckMs: number): Promise<void>;
  /** All that it asks in this time may be lost. */
  span(server: string, fromMs: number, toMs: number): void;
  /** Nothing could be written until then. */
  wasAway(untilMs: number): void;
  excuses(call: Call): boolean;
  report: Report;
}

interface Report {
  /** Calls that were under way when their process was struck. */
  open: number;
  /** Calls that were answered, and not written. */
  unwritten: number;
  /** How many answers came to the same server after the oldest of them, since it could be written. */
  behind: number;
  oldest: string;
}

export interface Watched {
  db: Database;
  calls: readonly Call[];
  batchId(): string;
}

export function makeLosses({ db, calls, batchId }: Watched): Losses {
  const lost = new Set<Call>();
  const spans: { server: string; fromMs: number; toMs: number }[] = [];
  const report: Report = { open: 0, unwritten: 0, behind: 0, oldest: "" };
  let writableMs = 0;
  const callsOf = (server: string, fate: Call["fate"]) =>
    calls.filter((call) => call.server === server && call.fate === fate);
  return {
    report,
    openOf: (server) => callsOf(server, "open"),
    note: async (server, open, struckMs) => {
      const answered = callsOf(server, "answered").filter((call) => !open.includes(call));
      const written = await writtenOf(db, batchId(), answered);
      const unwritten = answered.filter((call) => !written.has(call.item) && !lost.has(call));
      for (const call of [...open, ...unwritten]) lost.add(call);
      report.open += open.length;
      report.unwritten += unwritten.length;
      for (const { item, endedMs } of unwritten) {
        const sinceMs = Math.max(endedMs, writableMs);
        const later = answered.filter((call) => call.endedMs > sinceMs).length;
        if (later <= report.behind) continue;
        report.behind = later;
        report.oldest = `${item} at ${server}, ${Math.round(struckMs - sinceMs)} ms ago`;
      }
    },
    span: (server, fromMs, toMs) => void spans.push({ server, fromMs, toMs }),
    wasAway: (untilMs) => {
      writableMs = untilMs;
    },
    excuses: (call) =>
      lost.has(call) ||
      spans.some(
        ({ server, fromMs, toMs }) =>
          call.server === server && call.begunMs >= fromMs && call.begunMs <= toMs,
      ),
  };
}

async function writtenOf(
  db: Database,
  batchId: string,
  calls: readonly Call[],
): Promise<Set<string>> {
  const ids = calls.map(({ item }) => item);
  const rows = await db.query<{ id: string }>(sql`
    select custom_id as id from batch_results
    where batch_id = ${batchId} and custom_id = any(${ids}::text[])`);
  return new Set(rows.map(({ id }) => id));
}
