// Fires schedules: what is due begins its session, and in the same transaction the next occurrence is written.
import { isFailure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import { nextCron, parseCron, type Cron } from "../../../kernel/cron/cron.ts";
import { every } from "../../../kernel/work/every.ts";
import { part } from "../../../kernel/work/parts.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { AuditActor } from "../../audit/module.ts";
import { makerOf } from "../../sessions/module.ts";
import { recordChange } from "../changes.ts";
import { limits } from "../limits.ts";
import { setState } from "../queries.ts";
import * as queries from "./queries.ts";
import { addRun, refusalOf, type Refusal } from "./runs.ts";
import { catchUpMsOf } from "./settings.ts";

export const firingPart = part("firing of deployments", {
  start: (world: World) =>
    every(world, limits.lookMs, {
      name: "firing what schedules of deployments name",
      act: () => fireDue(world),
    }),
});

/** Answers how many occurrences were dealt with; those that another process has at hand are left to it. */
export async function fireDue(world: World): Promise<number> {
  const { db, clock } = world;
  let all = 0;
  for (;;) {
    const due = await queries.listDue(db, clock.now(), limits.dueTogetherMax);
    let fired = 0;
    for (let at = 0; at < due.length; at += limits.firedAtOnce) {
      const together = due.slice(at, at + limits.firedAtOnce);
      const dealt = await Promise.all(together.map((id) => fireSafely(world, id)));
      fired += dealt.filter(Boolean).length;
    }
    all += fired;
    if (due.length < limits.dueTogetherMax || fired === 0) return all;
  }
}

/** The others are not to wait for one that cannot be fired. */
async function fireSafely(world: World, id: string): Promise<boolean> {
  const { db, logger } = world;
  try {
    return await db.tx((tx) => fire(tx, world, id));
  } catch (error) {
    try {
      const refusal = refusalOf(error);
      if (refusal !== undefined) return await db.tx((tx) => fire(tx, world, id, { refusal }));
      logger.warn({ error, deployment: id }, "a deployment could not be fired; it is tried again");
      // A database that is away comes back, and the occurrence waits for it.
      if (isFailure(error)) return false;
      return await db.tx((tx) => fire(tx, world, id, broken));
    } catch (second) {
      logger.warn({ error: second, deployment: id }, "a deployment could not be fired");
      return false;
    }
  }
}

interface Known {
  refusal: Refusal;
  /** Not before it has been due for so long. */
  afterMs?: number;
}

const broken: Known = {
  refusal: {
    type: "unknown_error",
    message:
      "The server could not begin the session; its log says why. Unpause the deployment when that is mended.",
  },
  afterMs: limits.brokenMs,
};

/** Errors that will not go away by themselves. */
const pausing: ReadonlySet<string> = new Set([
  "environment_archived_error",
  "agent_archived_error",
  "environment_not_found_error",
  "vault_not_found_error",
  "vault_archived_error",
  "file_not_found_error",
  "session_resource_not_found_error",
  "workspace_archived_error",
  "organization_disabled_error",
  "memory_store_archived_error",
  "skill_not_found_error",
  "self_hosted_resources_unsupported_error",
  "mcp_egress_blocked_error",
  "unknown_error",
]);

const schedule: AuditActor = {
  type: "system",
  id: null,
  name: "the schedule",
  address: "local",
  requestId: null,
};

async function fire(tx: Tx, world: World, id: string, known?: Known): Promise<boolean> {
  const now = world.clock.now();
  const due = await queries.lockDue(tx, id, now);
  if (due?.cron == null || due.timeZone === null) return false;
  if (now.getTime() - due.nominalAt.getTime() < (known?.afterMs ?? 0)) return false;
  const timing = { cron: parseCron(due.cron), timeZone: due.timeZone };
  const { runAt, missed } = passedOf(timing, due.nominalAt, now, catchUpMsOf(world));
  const actor = await makerOf(world, due, new AbortController().signal);
  await queries.deleteNext(tx, id);
  if (missed > 0) {
    const gap = { firstAt: due.nominalAt, until: runAt ?? now, count: missed };
    await queries.insertMissed(tx, id, { ...gap, kept: limits.missedKeptMax });
    const [first_at, until] = [gap.firstAt.toISOString(), gap.until.toISOString()];
    const details = { first_at, until, count: missed };
    await recordChange(tx, actor, schedule, { event: "deployment.missed", id, details });
  }
  const next = { ...due };
  // A clock that ran back, or a schedule that was changed and changed back, names a moment again.
  if (runAt !== undefined && !(await queries.isRun(tx, id, runAt))) {
    const gone: Refusal | undefined = due.isWorkspaceArchived
      ? { type: "workspace_archived_error", message: "The workspace is archived." }
      : undefined;
    const trigger = { scheduledAt: runAt, by: schedule, refusal: gone ?? known?.refusal };
    const { errorType, createdAt } = await addRun(tx, actor, due, trigger);
    next.lastRunAt = createdAt;
    if (errorType !== null && pausing.has(errorType)) {
      Object.assign(next, { pausedBy: errorType, updatedAt: now });
      const details = { reason: errorType };
      const event = "deployment.paused";
      await recordChange(tx, actor, schedule, { event, id, told: [event], details });
    }
  }
  await setState(tx, due.workspaceId, next);
  if (next.pausedBy === null) {
    const nextAt = nextCron(timing.cron, timing.timeZone, now);
    if (nextAt !== undefined) await queries.insertNext(tx, id, nextAt);
  }
  return true;
}

interface Timing {
  cron: Cron;
  timeZone: string;
}

interface Passed {
  /** The occurrence that runs now: the latest, if it is not too old. */
  runAt: Date | undefined;
  /** How many passed before it, the first one among them; counted up to a limit. */
  missed: number;
}

/** What of a schedule has passed since its next occurrence was written. */
export function passedOf(timing: Timing, first: Date, now: Date, catchUpMs: number): Passed {
  const { cron, timeZone } = timing;
  const oldest = new Date(now.getTime() - catchUpMs);
  let runAt: Date | undefined;
  let at: Date | undefined =
    first >= oldest ? first : nextCron(cron, timeZone, new Date(oldest.getTime() - 1));
  for (; at !== undefined && at <= now; at = nextCron(cron, timeZone, at)) runAt = at;
  let missed = 0;
  at = first;
  for (
    ;
    at !== undefined && (runAt === undefined ? at <= now : at < runAt);
    at = nextCron(cron, timeZone, at)
  )
    if (++missed === limits.missedCountedMax) break;
  return { runAt, missed };
}
