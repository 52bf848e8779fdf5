// How the export of the audit log goes: for /metrics, /readyz and the doctor.
import { plural } from "../../../kernel/base/plural.ts";
import type { World } from "../../../kernel/context.ts";
import { ok, warn, type DoctorCheck } from "../../../kernel/observe/doctor/check.ts";
import type { Metrics } from "../../../kernel/observe/metrics.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import { startExport } from "./exporter.ts";
import { exportLimits } from "./limits.ts";
import { readExportState, type ExportState } from "./queries.ts";
import { auditExportOf, targetInWords, type AuditExportSettings } from "./settings.ts";

/** `behind`: an event waits for longer than it may. */
export type ExportHealth = "ok" | "behind" | "failing";

interface KnownHealth {
  /** Undefined where nothing is exported, or until it was looked at. */
  health: ExportHealth | undefined;
}

function healthOf({ failingSince, oldestAt }: ExportState, now: Date): ExportHealth {
  if (failingSince !== null) return "failing";
  const waitedMs = oldestAt === null ? 0 : now.getTime() - oldestAt.getTime();
  return waitedMs > exportLimits.lateMs ? "behind" : "ok";
}

export const openExportGauges = (metrics: Metrics) => ({
  waiting: metrics.gauge({
    name: "plinth_audit_export_waiting_events",
    help: "Events of the audit log that are not exported yet.",
    labels: [],
    aggregator: "max",
  }),
  lag: metrics.gauge({
    name: "plinth_audit_export_lag_seconds",
    help: "For how long the oldest event of the audit log that is not exported yet has waited.",
    labels: [],
    aggregator: "max",
  }),
});

/** Rule AUD18: each process looks, whichever exports; so it is seen also where none does. */
function keepMeasuring(
  world: World,
  known: KnownHealth,
  { name }: AuditExportSettings,
): () => Promise<void> {
  const { db, clock } = world;
  const { waiting, lag } = openExportGauges(world.metrics);
  return every(world, exportLimits.measureEveryMs, {
    name: "looking how the export of the audit log goes",
    act: async () => {
      const state = await readExportState(db, name);
      const now = clock.now();
      waiting.with().set(state.waiting);
      const waitedMs = state.oldestAt === null ? 0 : now.getTime() - state.oldestAt.getTime();
      lag.with().set(Math.max(0, waitedMs / 1000));
      known.health = healthOf(state, now);
    },
  });
}

/** Rule AUD15: nothing at all without the section of the settings. */
export const auditExportPart = part("export of the audit log", {
  make: (): KnownHealth => ({ health: undefined }),
  start: (world: World, known) => {
    const settings = auditExportOf(world);
    if (settings === null) return () => {};
    const stops = [startExport(world, settings), keepMeasuring(world, known, settings)];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  },
});

export const exportHealthOf = (world: World): ExportHealth | undefined =>
  auditExportPart.of(world).health;

/** One line for the doctor, where there is an export. */
export async function checkAuditExport(
  world: Pick<World, "db" | "clock" | "sections">,
): Promise<DoctorCheck[]> {
  const settings = auditExportOf(world);
  if (settings === null) return [];
  const name = "audit export";
  const place = targetInWords(settings.target);
  const state = await readExportState(world.db, settings.name);
  const { waiting, oldestAt, error, failingSince } = state;
  const left =
    oldestAt === null
      ? "all events are there"
      : `${plural(waiting, "event")} to come, the oldest from ${oldestAt.toISOString()}`;
  const health = healthOf(state, world.clock.now());
  if (health === "ok") return [ok(name, `${place}: ${left}`)];
  if (health === "behind")
    return [
      warn(name, `${place}: ${left}`, "It goes on while a server runs; else look at its log."),
    ];
  return [
    warn(
      name,
      `${place}, since ${failingSince?.toISOString()}: it ${error ?? "takes nothing."} ${left}`,
      "Mend it there: nothing is lost, and the export goes on by itself.",
    ),
  ];
}
