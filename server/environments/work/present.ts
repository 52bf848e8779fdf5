// Work as the API shows it.
import type { WorkRow } from "./queries.ts";
import type { Work } from "./schema.ts";

export const present = (row: WorkRow, secret: string | null = null): Work => ({
  id: row.id,
  type: "work",
  environment_id: row.environmentId,
  state: row.state,
  data:
    row.sessionId === null
      ? { type: "healthcheck", id: row.checkId ?? "" }
      : { type: "session", id: row.sessionId },
  metadata: row.metadata,
  secret,
  created_at: row.createdAt.toISOString(),
  acknowledged_at: timeOf(row.acknowledgedAt),
  started_at: timeOf(row.startedAt),
  latest_heartbeat_at: timeOf(row.latestHeartbeatAt),
  stop_requested_at: timeOf(row.stopRequestedAt),
  stopped_at: timeOf(row.stoppedAt),
});

export const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null;
