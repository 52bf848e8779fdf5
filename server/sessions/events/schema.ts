// Shapes of events as clients see them, and of what they ask for.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { Id, nullable, optional, Time, TimeRange } from "../shapes.ts";

/** Every type of event that a list or a stream can show. */
export const eventTypes = [
  "user.message",
  "user.interrupt",
  "user.tool_confirmation",
  "user.custom_tool_result",
  "user.tool_result",
  "user.define_outcome",
  "system.message",
  "agent.message",
  "agent.thinking",
  "agent.tool_use",
  "agent.tool_result",
  "agent.mcp_tool_use",
  "agent.mcp_tool_result",
  "agent.custom_tool_use",
  "agent.thread_context_compacted",
  "agent.thread_message_sent",
  "agent.thread_message_received",
  "session.status_running",
  "session.status_idle",
  "session.status_rescheduled",
  "session.status_terminated",
  "session.error",
  "session.updated",
  "session.usage",
  "session.deleted",
  "session.thread_created",
  "session.thread_status_running",
  "session.thread_status_idle",
  "session.thread_status_rescheduled",
  "session.thread_status_terminated",
  "span.model_request_start",
  "span.model_request_end",
  "span.outcome_evaluation_start",
  "span.outcome_evaluation_ongoing",
  "span.outcome_evaluation_end",
  "workflow_run.created",
  "workflow_run.status_running",
  "workflow_run.status_idle",
  "workflow_run.phase_started",
  "workflow_run.phase_ended",
  "workflow_run.error",
  "workflow_run.status_ended",
] as const;

const EventType = Type.Enum([...eventTypes]);

/** What else an event holds depends on its type: docs/AGENTS.md lists it. */
export const SessionEvent = Type.Object(
  {
    id: Type.String(),
    type: EventType,
    /** Null while an event of a client waits. */
    processed_at: nullable(Time),
  },
  { $id: "SessionEvent", additionalProperties: true },
);
export type SessionEvent = Static<typeof SessionEvent>;

export const SentEvents = Type.Object({ data: Type.Array(SessionEvent) }, { $id: "SentEvents" });
export const EventPage = cursorPage(SessionEvent);

export const EventQuery = closed({
  ...cursorQuery,
  order: optional(Type.Enum(["asc", "desc"])),
  types: optional(Type.Array(EventType)),
  /** Compared with when an event was processed; what waits has no such time. */
  created_at: TimeRange,
});
export type EventQuery = Static<typeof EventQuery>;

export const ThreadEventQuery = closed(cursorQuery);

export const StreamQuery = closed({
  event_deltas: optional(
    Type.Array(Type.Enum(["agent.message", "agent.thinking", "agent.mcp_tool_use"])),
  ),
});
export type StreamQuery = Static<typeof StreamQuery>;

export const ThreadParams = closed({ session_id: Id, thread_id: Id });
