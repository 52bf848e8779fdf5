// Shapes of the work of self-hosted environments.
import Type, { type Static, type TSchema } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { limits } from "./limits.ts";

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
const Time = Type.String({ format: "date-time" });
const Id = Type.String({ minLength: 1, maxLength: 100 });

export const WorkState = Type.Enum(["queued", "starting", "active", "stopping", "stopped"]);
export type WorkState = Static<typeof WorkState>;

export const Work = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("work"),
    environment_id: Type.String(),
    state: WorkState,
    data: Type.Object({ type: Type.Enum(["session", "healthcheck"]), id: Type.String() }),
    metadata: Type.Record(Type.String(), Type.String()),
    /** base64url of JSON with sessions_token and api_base_url; in the replies of polls alone. */
    secret: nullable(Type.String()),
    created_at: Time,
    acknowledged_at: nullable(Time),
    started_at: nullable(Time),
    latest_heartbeat_at: nullable(Time),
    stop_requested_at: nullable(Time),
    stopped_at: nullable(Time),
  },
  { $id: "Work" },
);
export type Work = Static<typeof Work>;
export const WorkPage = cursorPage(Work);

export const WorkHeartbeat = Type.Object(
  {
    type: Type.Literal("work_heartbeat"),
    state: WorkState,
    /** Empty where there was none. */
    last_heartbeat: Type.String(),
    ttl_seconds: Type.Integer(),
    lease_extended: Type.Boolean(),
  },
  { $id: "WorkHeartbeat" },
);
export type WorkHeartbeat = Static<typeof WorkHeartbeat>;

export const WorkQueueStats = Type.Object(
  {
    type: Type.Literal("work_queue_stats"),
    /** Waiting for a worker. */
    depth: Type.Integer(),
    /** Handed out and not acknowledged. */
    pending: Type.Integer(),
    oldest_queued_at: nullable(Time),
    /** Workers that have polled within 30 seconds and said who they are. */
    workers_polling: nullable(Type.Integer()),
  },
  { $id: "WorkQueueStats" },
);
export type WorkQueueStats = Static<typeof WorkQueueStats>;

export const QueueParams = closed({ environment_id: Id });
export const WorkParams = closed({ environment_id: Id, work_id: Id });
export const WorkQuery = closed(cursorQuery);
export type WorkQuery = Static<typeof WorkQuery>;
export const PollQuery = closed({
  block_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.blockMsMax })),
  reclaim_older_than_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: limits.reclaimMsMax })),
});
export type PollQuery = Static<typeof PollQuery>;
export const HeartbeatQuery = closed({
  /** NO_HEARTBEAT for the first one, then last_heartbeat of the reply before. */
  expected_last_heartbeat: Type.Optional(Type.String({ maxLength: 100 })),
  desired_ttl_seconds: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type HeartbeatQuery = Static<typeof HeartbeatQuery>;
export const StopWork = closed({ force: optional(Type.Boolean()) });
export type StopWork = Static<typeof StopWork>;
/** A key that is null or empty goes; one that is not named stays. */
export const UpdateWork = closed({
  metadata: optional(Type.Record(Type.String(), nullable(Type.String()))),
});
export type UpdateWork = Static<typeof UpdateWork>;
