// What the webhooks of a workspace are told of its sessions: with the audit log, and with their own threads.
import type { Context, World } from "../../../kernel/context.ts";
import type { NewEvent } from "../../../kernel/log/log.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import { tellChanges, workspaceOf } from "../../workspaces/module.ts";
import {
  workspaceEvent,
  workspaceEvents,
  type WorkspaceEvent,
  type WorkspaceEventType,
} from "../../webhooks/module.ts";
import type { StopReason } from "../conversation/events.ts";
import { recordSessionEvent } from "../named-session.ts";

/** Rule WHK16: what the audit log and webhooks are told under one name. */
export async function recordChange(
  tx: Tx,
  context: Context,
  verb: "created" | "updated" | "archived" | "deleted",
  id: string,
): Promise<void> {
  await recordSessionEvent(tx, context, verb, id);
  const workspaceId = workspaceOf(context);
  await workspaceEvent(tx, context, { workspaceId, type: `session.${verb}`, id });
  tellSession(tx, context, workspaceId, id);
}

/** It is there, is named another way, or is gone. */
export const tellSession = (
  tx: Tx,
  world: Pick<World, "hints">,
  workspaceId: string,
  id: string,
): void =>
  tellChanges(tx, world, workspaceId, [
    { of: "session", id },
    { of: "list", list: "sessions" },
  ]);

export interface ToldSession {
  id: string;
  workspaceId: string;
  /** Its own thread. */
  threadId: string;
}

/** Rule WHK16. Costs no statement where nothing of it is told, and one where no endpoint wants it. */
export function tellWebhooks(
  tx: Tx,
  world: Pick<World, "clock" | "ids" | "hints">,
  told: readonly { session: ToldSession; events: readonly NewEvent[] }[],
): Promise<void> {
  return workspaceEvents(
    tx,
    world,
    told.flatMap(({ session, events }) => events.flatMap((event) => webhookEvents(session, event))),
  );
}

const always: Readonly<Record<string, readonly WorkspaceEventType[]>> = {
  "session.status_running": ["session.running", "session.status_run_started"],
  "session.status_idle": ["session.idled", "session.status_idled"],
  "session.status_rescheduled": ["session.status_rescheduled"],
  "session.status_terminated": ["session.status_terminated"],
  "session.thread_created": ["session.thread_created"],
  "session.thread_status_idle": ["session.thread_idled"],
  "session.thread_status_terminated": ["session.thread_terminated"],
  "span.outcome_evaluation_end": ["session.outcome_evaluation_ended"],
};

const byReason: Partial<Record<StopReason["type"], WorkspaceEventType>> = {
  requires_action: "session.requires_action",
  budget_reached: "session.budget_reached",
};

function webhookEvents(
  { id, workspaceId, threadId: own }: ToldSession,
  { type, data }: NewEvent,
): WorkspaceEvent[] {
  const types = always[type] ?? [];
  const { session_thread_id: threadId, stop_reason: reason } = data as {
    session_thread_id?: string;
    stop_reason?: StopReason;
  };
  if (type.startsWith("session.thread_")) {
    // What its own thread does is told as the session's.
    if (threadId === undefined || threadId === own) return [];
    return types.map((each) => ({ workspaceId, type: each, id, threadId }));
  }
  const more = type === "session.status_idle" && reason ? byReason[reason.type] : undefined;
  return [...types, ...(more === undefined ? [] : [more])].map((each) => ({
    workspaceId,
    type: each,
    id,
  }));
}
