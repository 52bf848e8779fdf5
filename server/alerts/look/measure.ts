// What the rules say now, of all organizations: one reading for each thing that is not as it should be.
import type { Tx } from "../../../kernel/sql/database.ts";
import { spanOf } from "../../limits/module.ts";
import type { AlertKind } from "../limits.ts";
import * as queries from "./queries.ts";

export type KindReading = queries.Reading & { kind: AlertKind };

const minuteMs = 60_000;
/** In which a moment lies. */
export const minuteOf = (at: Date) => new Date(Math.floor(at.getTime() / minuteMs) * minuteMs);

export async function measure(tx: Tx, now: Date): Promise<KindReading[]> {
  const minute = minuteOf(now);
  const spans = {
    daily: spanOf("daily", now),
    weekly: spanOf("weekly", now),
    monthly: spanOf("monthly", now),
  };
  const found: readonly (readonly [AlertKind, readonly queries.Reading[]])[] = [
    ["spend", await queries.selectSpent(tx, spans)],
    ["error_share", await queries.selectErrorShares(tx, minute)],
    ["upstream_down", await queries.selectUpstreamsDown(tx, minute)],
    ["job_backlog", backlogOf(await queries.selectBacklog(tx, now))],
  ];
  return found.flatMap(([kind, readings]) => readings.map((reading) => ({ ...reading, kind })));
}

function backlogOf(backlog: queries.Backlog | undefined): queries.Reading[] {
  if (backlog === undefined || !backlog.isOn) return [];
  const { organizationId, minutes, jobsMinutes, batchesMinutes } = backlog;
  const waits = [
    ["jobs", jobsMinutes],
    ["batches", batchesMinutes],
  ] as const;
  return waits
    .filter(([, waited]) => waited >= minutes)
    .map(([subjectType, waited]) => ({
      organizationId,
      subjectType,
      subjectId: "",
      period: "",
      level: 0,
      value: Math.floor(waited),
      threshold: minutes,
    }));
}
