// One event after the other leads to the state of a thread.
import assert from "node:assert/strict";
import {
  abandonCalls,
  addCall,
  answer,
  answerOfThread,
  answerQuestion,
  ask,
  callOf,
  closeRound,
  dropQuestion,
  followCall,
  takeAnswers,
} from "./calls.ts";
import { threadNamedIn } from "./events.ts";
import type { AgentEvent, ClientEvent, InternalEvent, LoggedEvent } from "./events.ts";
import type { ThreadState } from "./state.ts";
import { end, flush, grade, startTurn, takeAnswer } from "./turn-steps.ts";
import { textTurn } from "./turns.ts";

/** Names the state and the code that makes it: a change of either is another kind of snapshot. */
export const foldKind = "thread/12";

/** Steps in place: a long conversation is not copied for each of its events. */
export function step(state: ThreadState, { position, id, event }: LoggedEvent): ThreadState {
  assert(position > state.position, "a fold goes forward");
  state.position = position;
  const { type } = event;
  const other = otherThread(state, event);
  // Told here of another thread, which has it itself.
  if (other !== undefined) {
    if (type === "session.thread_status_terminated") abandonCalls(state, other);
    return state;
  }
  const told = sessionStatuses[type];
  if (told !== undefined) state.sessionStatus = told;
  else if (type.startsWith("user.") || type === "system.message")
    takeClientEvent(state, id ?? "", event as ClientEvent);
  else if (type.startsWith("internal.")) takeInternalEvent(state, event as InternalEvent);
  else takeAgentEvent(state, id ?? "", event as AgentEvent);
  return state;
}

const sessionStatuses: Record<string, ThreadState["status"] | undefined> = {
  "session.status_running": "running",
  "session.status_idle": "idle",
  "session.status_rescheduled": "rescheduling",
  "session.status_terminated": "terminated",
};

function otherThread({ id }: ThreadState, event: object): string | undefined {
  const threadId = threadNamedIn(event);
  return threadId === null || threadId === id ? undefined : threadId;
}

function takeClientEvent(state: ThreadState, id: string, event: ClientEvent): void {
  switch (event.type) {
    case "user.message":
      state.waiting.push({ id, position: state.position, kind: "message", content: event.content });
      return;
    case "system.message":
      // Right behind a result it belongs to the turn that goes on.
      if (state.calls.length > 0 && state.position === state.resultAt + 1)
        state.besideResults.push(...event.content);
      else
        state.waiting.push({
          id,
          position: state.position,
          kind: "system",
          content: event.content,
        });
      return;
    case "user.define_outcome": {
      const { type: _, ...outcome } = event;
      state.waiting.push({ id, position: state.position, kind: "outcome", outcome });
      return;
    }
    case "user.interrupt":
      interrupt(state);
      return;
    case "user.tool_confirmation": {
      const call = callOf(state, event.tool_use_id);
      if (call !== undefined)
        call.confirmation = { result: event.result, message: event.deny_message ?? null };
      return;
    }
    case "user.tool_result":
      answer(state, event.tool_use_id, event);
      state.resultAt = state.position;
      return;
    case "user.custom_tool_result":
      answer(state, event.custom_tool_use_id, event);
      answerQuestion(state, event.custom_tool_use_id, event.content ?? []);
      state.resultAt = state.position;
      return;
  }
}

function interrupt(state: ThreadState): void {
  state.isInterrupted = true;
  state.overtaken.push(...state.waiting.splice(0));
}

function takeAgentEvent(state: ThreadState, id: string, event: AgentEvent): void {
  switch (event.type) {
    case "agent.tool_result":
      answer(state, event.tool_use_id, event);
      return;
    case "agent.mcp_tool_result":
      answer(state, event.mcp_tool_use_id, event);
      return;
    case "agent.mcp_tool_use":
      addCall(state, id, { ...event, kind: "mcp", server: event.mcp_server_name });
      return;
    case "session.error":
      if ("mcp_server_name" in event.error)
        state.serverFaults[event.error.mcp_server_name] = event.error.type;
      if ("credential_id" in event.error)
        state.credentialFaults[event.error.credential_id] = event.error.message;
      return;
    case "agent.tool_use":
    case "agent.custom_tool_use":
      addCall(state, id, {
        ...event,
        kind: event.type === "agent.custom_tool_use" ? "custom" : "built_in",
      });
      return;
    case "agent.thread_message_sent":
      addCall(state, id, {
        kind: "agent",
        name: event.to_agent_name ?? "",
        input: {},
        threadId: event.to_session_thread_id,
      });
      return;
    case "agent.thread_message_received":
      if (answerOfThread(state, event.from_session_thread_id, event.content)) return;
      state.waiting.push({
        id,
        position: state.position,
        kind: "thread_message",
        from: event.from_session_thread_id,
        agentName: event.from_agent_name ?? null,
        content: event.content,
      });
      return;
    case "span.model_request_start":
      state.openSpan = id;
      return;
    case "span.model_request_end":
      state.openSpan = null;
      return;
    case "span.outcome_evaluation_start":
      if (state.outcome !== null) state.outcome.openSpan = id;
      return;
    case "session.thread_status_running":
      state.status = "running";
      state.stopReason = null;
      return;
    case "session.thread_status_rescheduled":
      state.status = "rescheduling";
      return;
    case "session.thread_status_idle":
      end(state, event.stop_reason);
      return;
    case "session.thread_status_terminated":
      state.status = "terminated";
      state.stopReason = null;
      return;
  }
}

function takeInternalEvent(state: ThreadState, event: InternalEvent): void {
  const { turn } = state;
  switch (event.type) {
    case "internal.turn_started":
      startTurn(state, event.inputs);
      return;
    case "internal.interrupted":
      interrupt(state);
      return;
    case "internal.inputs_flushed":
      flush(state, event.inputs);
      return;
    case "internal.model_answered":
      takeAnswer(state, event);
      return;
    case "internal.model_failed":
      if (turn === null) return;
      turn.failures += 1;
      turn.failingSinceMs ??= event.at_ms;
      turn.isHopeless = !event.is_transient;
      turn.error = event.error;
      return;
    case "internal.tools_listed":
      for (const name of event.mcp_servers) delete state.serverFaults[name];
      if (turn !== null) turn.servers = event.mcp_servers;
      return;
    case "internal.tools_failed":
      if (turn === null) return;
      turn.failures += 1;
      turn.hasNoTools = true;
      turn.error = event.error;
      return;
    case "internal.tool_started": {
      const call = callOf(state, event.tool_use_id);
      if (call !== undefined) call.isStarted = true;
      return;
    }
    case "internal.context_compacted":
      closeRound(state);
      state.turns = [textTurn(event.summary)];
      state.contextTokens = 0;
      if (turn === null) return;
      turn.compactions += 1;
      // The summary stays, whatever becomes of the turn.
      turn.turnsBefore = 1;
      return;
    case "internal.outcome_graded":
      grade(state, event);
      return;
    default:
      takeServerEvent(state, event);
  }
}

type ServerEvent = Extract<InternalEvent, { type: `internal.mcp_${string}` }>;

/** Of tools of MCP servers, and of calls of them. */
function takeServerEvent(state: ThreadState, event: ServerEvent): void {
  switch (event.type) {
    case "internal.mcp_server_asked":
      ask(state, event);
      return;
    case "internal.mcp_question_closed":
      dropQuestion(state, event.tool_use_id);
      return;
    case "internal.mcp_task_made":
      followCall(state, event);
      return;
    case "internal.mcp_task_answered":
      takeAnswers(state, event.tool_use_id);
      return;
    case "internal.mcp_tools_seen":
      for (const { key, ...tool } of event.tools) state.seenTools[key] = tool;
      return;
    case "internal.mcp_tools_named":
      for (const naming of event.names) state.toolNames[naming.name.toLowerCase()] = naming;
      return;
    case "internal.mcp_tool_changed": {
      const call = callOf(state, event.tool_use_id);
      if (call !== undefined) call.changed = event.tool;
      return;
    }
  }
}
