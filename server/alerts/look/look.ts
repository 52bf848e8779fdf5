// A look at everything that rules are about: alerts open and are resolved, with what is sent of it, in one transaction.
import type { World } from "../../../kernel/context.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { emitAll, type WebhookEvent } from "../../webhooks/module.ts";
import { defaults, limits } from "../limits.ts";
import { enqueueMails, type AlertEvent } from "../mail.ts";
import * as queries from "../queries.ts";
import type { FiringAlert, NewAlert, Resolution } from "../queries.ts";
import { measure, type KindReading } from "./measure.ts";

export type LookWorld = Pick<World, "clock" | "db" | "ids" | "hints" | "sections">;

const minuteMs = 60_000;

/** Rules ALT7 to ALT9. False where another look is under way. */
export async function look(tx: Tx, world: LookWorld): Promise<boolean> {
  if (!(await queries.lockLook(tx))) return false;
  const now = world.clock.now();
  const firing = await queries.selectFiring(tx);
  const readings = await measure(tx, now);
  const { seen, over } = compare(firing, readings, now);
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

/** Rule ALT8: what fires goes on, is on its way to be well, or is over. */
function compare(
  firing: readonly FiringAlert[],
  readings: readonly KindReading[],
  now: Date,
): Compared {
  const byKey = new Map(readings.map((reading) => [keyOf(reading), reading]));
  const compared: Compared = { seen: [], over: [] };
  for (const alert of firing) {
    const { id } = alert;
    const reading = byKey.get(keyOf(alert));
    if (!alert.isOn) compared.over.push({ id, resolution: "rule_off" });
    else if (reading !== undefined) {
      const { value, threshold } = reading;
      const isSame = value === alert.value && threshold === alert.threshold;
      if (!isSame || alert.wellSince !== null)
        compared.seen.push({ id, value, threshold, wellSince: null });
    } else {
      const wellSince = alert.wellSince ?? now;
      if (now.getTime() - wellSince.getTime() >= wellMsOf(alert))
        compared.over.push({ id, resolution: "well" });
      else if (alert.wellSince === null) compared.seen.push({ ...alert, wellSince });
    }
  }
  return compared;
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
