// Heartbeats: each keeps work for its worker, if that is still the one who holds it.
import { Failure } from "../../../kernel/base/failure.ts";
import type { Context } from "../../../kernel/context.ts";
import { limits } from "./limits.ts";
import { timeOf } from "./present.ts";
import * as queries from "./queries.ts";
import { expectEnvironment, expectWork, isHeldByOther } from "./reach.ts";
import type { HeartbeatQuery, WorkHeartbeat } from "./schema.ts";

/** What stands in place of the heartbeat before, where there was none. */
const none = "NO_HEARTBEAT";

export async function beat(
  context: Context,
  environmentId: string,
  id: string,
  query: HeartbeatQuery,
): Promise<WorkHeartbeat> {
  const { db, who } = context;
  await expectEnvironment(context, environmentId);
  return db.tx(async (tx) => {
    const row = expectWork(who, id, await queries.lockWork(tx, environmentId, id));
    // A worker is told that it is over, whoever it is, and sends no more.
    if (row.state === "stopped") return present(row, false);
    const isCompared = row.state !== "stopping";
    if (
      row.state === "queued" ||
      isHeldByOther(who, row) ||
      (isCompared && !isExpected(row, query))
    )
      throw refused(row);
    const { desired_ttl_seconds: desired = limits.ttlSecondsMax } = query;
    const ttlSeconds = Math.min(Math.max(desired, limits.ttlSecondsMin), limits.ttlSecondsMax);
    const epoch = who.worker?.epoch ?? row.epoch;
    return present(await queries.setBeaten(tx, id, { epoch, ttlSeconds }), true);
  });
}

function isExpected(row: queries.WorkRow, { expected_last_heartbeat: told }: HeartbeatQuery) {
  return told === undefined || told === (timeOf(row.latestHeartbeatAt) ?? none);
}

const present = (row: queries.WorkRow, isExtended: boolean): WorkHeartbeat => ({
  type: "work_heartbeat",
  state: row.state,
  last_heartbeat: timeOf(row.latestHeartbeatAt) ?? "",
  ttl_seconds: row.ttlSeconds,
  lease_extended: isExtended,
});

const refused = (row: queries.WorkRow) =>
  new Failure(
    "invalid_request_error",
    `expected_last_heartbeat: is not the last heartbeat of the work ${row.id}, so another worker may hold it. Leave it, and poll for more.`,
    {
      status: 412,
      code: "heartbeat_precondition_failed",
      details: {
        current_state: {
          state: row.state,
          last_heartbeat: timeOf(row.latestHeartbeatAt),
          ttl_seconds: row.ttlSeconds,
          lease_extended: false,
        },
      },
    },
  );
