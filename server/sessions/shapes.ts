// What the routes and shapes of sessions are made of.
import Type, { type TSchema } from "typebox";
import { closed, type BetaRule } from "../../kernel/http/route.ts";

const beta: BetaRule = { name: "managed-agents-2026-04-01", gate: "always" };
export const ofSessions = { permission: "sessions:use", beta } as const;
/** What a worker does in the session that it works for. */
export const ofSessionsAndWorkers = {
  ...ofSessions,
  alsoCredentials: ["environment_key", "session_token"],
} as const;
export const sessionPath = "/v1/sessions/{session_id}";

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const optional = Type.Optional;
export const Time = Type.String({ format: "date-time" });
export const Id = Type.String({ minLength: 1, maxLength: 100 });

/** gt and lt leave the moment itself out. */
export const TimeRange = optional(
  closed({ gt: optional(Time), gte: optional(Time), lt: optional(Time), lte: optional(Time) }),
);

export const Status = Type.Enum(["idle", "running", "rescheduling", "terminated"]);
