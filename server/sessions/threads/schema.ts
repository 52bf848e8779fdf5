// Shapes of a session's threads.
import Type, { type Static } from "typebox";
import { cursorPage, cursorQuery } from "../../../kernel/http/pages.ts";
import { closed } from "../../../kernel/http/route.ts";
import { SessionAgent, SessionStats, SessionUsage } from "../schema.ts";
import { nullable, optional, Status, Time } from "../shapes.ts";

export const SessionThread = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("session_thread"),
    session_id: Type.String(),
    parent_thread_id: nullable(Type.String()),
    status: Status,
    agent: Type.Omit(SessionAgent, ["multiagent"]),
    workflow_run_id: Type.Null(),
    stats: SessionStats,
    usage: SessionUsage,
    created_at: Time,
    updated_at: Time,
    archived_at: nullable(Time),
  },
  { $id: "SessionThread" },
);
export type SessionThread = Static<typeof SessionThread>;
export const ThreadPage = cursorPage(SessionThread);
export const ThreadQuery = closed({ ...cursorQuery, statuses: optional(Type.Array(Status)) });
export type ThreadQuery = Static<typeof ThreadQuery>;
