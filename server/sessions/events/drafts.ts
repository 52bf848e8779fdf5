// Events that are about to be appended.
import type { Ids } from "../../../kernel/base/ids.ts";
import type { Dialect } from "../../../kernel/context.ts";
import type { NewEvent, StoredEvent } from "../../../kernel/log/log.ts";
import { reshownModel, type Agent } from "../../agents/module.ts";
import type { Usage } from "../../models/module.ts";
import type { StopDetails, StopReason, ThreadEvent } from "../conversation/events.ts";
import type { SessionEvent } from "./schema.ts";

/** What an event is, beside its id and its times. */
export interface EventData {
  type: string;
  [field: string]: unknown;
}

export const newEventId = (ids: Ids) => ids.next("sevt_");

/** One that clients see; without a time it waits. */
export const visible = (
  id: string,
  { type, ...data }: EventData,
  processedAt?: Date,
): NewEvent & { id: string } => ({
  id,
  type,
  data,
  ...(processedAt !== undefined && { processedAt }),
});

/** One that no client sees. */
export const internal = ({
  type,
  ...data
}: ThreadEvent & { type: `internal.${string}` }): NewEvent => ({
  type,
  data,
});

export const presentEvent = (
  { id, type, data, processedAt }: Pick<StoredEvent, "id" | "type" | "data" | "processedAt">,
  dialect: Dialect,
): SessionEvent =>
  ({
    id,
    type,
    ...(type === "session.updated" ? presentUpdate(data as UpdateData, dialect) : (data as object)),
    processed_at: processedAt?.toISOString() ?? null,
  }) as SessionEvent;

interface UpdateData {
  agent?: { model: Agent["model"] };
}

/** The one event that holds what the versions of the API have in two shapes. */
const presentUpdate = ({ agent, ...data }: UpdateData, dialect: Dialect): UpdateData =>
  agent === undefined
    ? data
    : { ...data, agent: { ...agent, model: reshownModel(agent.model, dialect) } };

/** Which thread's status changes, and as whose it is shown. */
export interface ThreadName {
  id: string;
  agentName: string;
}

const ofThread = ({ id, agentName }: ThreadName) => ({
  session_thread_id: id,
  agent_name: agentName,
});

export const threadStatus = (
  status: "running" | "rescheduled" | "terminated",
  thread: ThreadName,
): EventData => ({ type: `session.thread_status_${status}`, ...ofThread(thread) });

export const threadIdle = (
  thread: ThreadName,
  reason: StopReason,
  details: StopDetails | null = null,
): EventData => ({
  type: "session.thread_status_idle",
  ...ofThread(thread),
  stop_reason: reason,
  stop_details: details,
});

export const requiresAction = (calls: readonly { eventId: string }[]): StopReason => ({
  type: "requires_action",
  event_ids: calls.map(({ eventId }) => eventId),
});

export const sessionIdle = (reason: StopReason, details: StopDetails | null = null): EventData => ({
  type: "session.status_idle",
  stop_reason: reason,
  stop_details: details,
});

const noUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

export const spanUsage = (usage: Usage | undefined) =>
  usage === undefined
    ? noUsage
    : {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens ?? 0,
        cache_read_input_tokens: usage.cache_read_input_tokens ?? 0,
      };

/** Without a usage it gave nothing: it failed, or was ended from outside. */
export const spanEnd = (startId: string | null, usage: Usage | undefined): EventData => ({
  type: "span.model_request_end",
  model_request_start_id: startId,
  is_error: usage === undefined,
  model_usage: spanUsage(usage),
});
