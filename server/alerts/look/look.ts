// A look at everything that rules are about: alerts open and are resolved, with what is sent of it, in one transaction.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { spanOf } from "../../limits/module.ts";
import { emitAll, type WebhookEvent } from "../../webhooks/module.ts";
import { defaults, limits, type AlertKind } from "../limits.ts";
import { enqueueMails, type AlertEvent } from "../mail.ts";
import * as queries from "../queries.ts";
import type { FiringAlert, NewAlert, Resolution } from "../queries.ts";
import * as measures from "./queries.ts";

export type LookWorld = Pick<World, "clock" | "db" | "ids" | "hints" | "sections">;

const minuteMs = 60_000;

/** Rules ALT7 to ALT9. False where another look is under way. */
export async function look(tx: Tx, world: LookWorld): Promise<boolean> {
  if (!(await queries.lockLook(tx))) return false;
  const now = world.clock.now();
  const firing = await queries.selectFiring(tx);
  const readings = await measure(tx, now);
  const isDown = firing.some(({ kind }) => kind === "upstream_down");
  const asked = isDown ? await measures.selectAsked(tx, minuteOf(now)) : [];
  const { seen, over } = compare(firing, { readings, asked }, now);
  if (seen.length > 0) await queries.updateFiring(tx, seen);
  const resolved = over.length === 0 ? [] : await queries.resolveAlerts(tx, over, now);
  const opened = await open(tx, world, newAmong(firing, readings));
  const closed = firing.filter(({ id }) => resolved.some((each) => each.id === id));
  await tell(tx, world, [
    ...closed.map((alert) => ({ alert, event: "resolved" as const })),
    ...opened.map((alert) => ({ alert, event: "firing" as const })),
  ]);
  return true;
}

type KindReading = measures.Reading & { kind: AlertKind };

/** In which a moment lies. */
const minuteOf = (at: Date) => new Date(Math.floor(at.getTime() / minuteMs) * minuteMs);

/** One reading for each thing that is not as its rule wants it. */
async function measure(tx: Tx, now: Date): Promise<KindReading[]> {
  const minute = minuteOf(now);
  const spans = {
    daily: spanOf("daily", now),
    weekly: spanOf("weekly", now),
    monthly: spanOf("monthly", now),
  };
  const found: readonly (readonly [AlertKind, readonly measures.Reading[]])[] = [
    ["spend", await measures.selectSpent(tx, spans)],
    ["error_share", await measures.selectErrorShares(tx, minute)],
    ["upstream_down", await measures.selectUpstreamsDown(tx, minute)],
    ["job_backlog", backlogOf(await measures.selectBacklog(tx, now))],
  ];
  return found.flatMap(([kind, readings]) => readings.map((reading) => ({ ...reading, kind })));
}

function backlogOf(backlog: measures.Backlog | undefined): measures.Reading[] {
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

const keyOf = (about: Omit<KindReading, "value" | "threshold">): string =>
  JSON.stringify([
    about.organizationId,
    about.kind,
    about.subjectType,
    about.subjectId,
    about.period,
    about.level,
  ]);

interface Compared {
  seen: queries.AlertChange[];
  over: { id: string; resolution: Resolution }[];
}

interface Found {
  readings: readonly KindReading[];
  asked: readonly measures.AskedUpstream[];
}

/** Rule ALT8: what fires goes on, is on its way to be well, or is over. */
function compare(firing: readonly FiringAlert[], found: Found, now: Date): Compared {
  const readings = new Map(found.readings.map((reading) => [keyOf(reading), reading]));
  const asked = new Map(found.asked.map((each) => [each.id, each]));
  const compared: Compared = { seen: [], over: [] };
  for (const alert of firing) {
    const { id } = alert;
    const next = nextOf(alert, { reading: readings.get(keyOf(alert)), asked: asked.get(id), now });
    if (typeof next === "string") compared.over.push({ id, resolution: next });
    else if (next !== undefined) compared.seen.push({ ...alert, ...next });
  }
  return compared;
}

interface Seen {
  reading: KindReading | undefined;
  /** Of an upstream. */
  asked: measures.AskedUpstream | undefined;
  now: Date;
}

/** What changes of it, or how it ended; undefined where all stays as it is. */
function nextOf(
  alert: FiringAlert,
  { reading, asked, now }: Seen,
): Partial<queries.AlertChange> | Resolution | undefined {
  const { wellSince } = alert;
  if (!alert.isOn) return "rule_off";
  if (reading !== undefined) {
    const { value, threshold } = reading;
    const isSame = value === alert.value && threshold === alert.threshold && wellSince === null;
    return isSame ? undefined : { value, threshold, wellSince: null };
  }
  // It fails, and is not down yet again.
  if (asked?.fails === true && !asked.answers)
    return wellSince === null ? undefined : { wellSince: null };
  if (asked?.isSilent === true) return "silent";
  const isUnknown = asked !== undefined && !asked.answers && wellSince === null;
  if (isUnknown) return undefined;
  const since = wellSince ?? now;
  if (now.getTime() - since.getTime() >= wellMsOf(alert)) return "well";
  return wellSince === null ? { wellSince: now } : undefined;
}

/** What is spent is not unspent: once a limit is raised or a period is over, that is so. */
function wellMsOf({ kind, minutes }: FiringAlert): number {
  if (kind === "spend") return 0;
  return Math.min(minutes ?? defaults[kind].minutes, limits.wellMinutesMax) * minuteMs;
}

function newAmong(
  firing: readonly FiringAlert[],
  readings: readonly KindReading[],
): readonly KindReading[] {
  const known = new Set(firing.map(keyOf));
  return readings.filter((reading) => !known.has(keyOf(reading))).slice(0, limits.openedAtOnce);
}

async function open(
  tx: Tx,
  { ids, clock }: LookWorld,
  readings: readonly KindReading[],
): Promise<NewAlert[]> {
  if (readings.length === 0) return [];
  const firingSince = clock.now();
  const alerts = readings.map((reading) => ({ ...reading, id: ids.next("alert_"), firingSince }));
  const inserted = new Set((await queries.insertAlerts(tx, alerts)).map(({ id }) => id));
  return alerts.filter(({ id }) => inserted.has(id));
}

/** Rules ALT9 to ALT11. */
async function tell(tx: Tx, world: LookWorld, events: readonly AlertEvent[]): Promise<void> {
  await emitAll(
    tx,
    world,
    events.map(({ alert: { organizationId, id, kind }, event }): WebhookEvent => ({
      organizationId,
      type: `alert.${event}`,
      data: { id, kind },
    })),
  );
  await enqueueMails(tx, world, events);
}
