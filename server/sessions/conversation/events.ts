// What stands in the log of a thread: events as clients see them, and those of the brain that no client sees.
import type { Block } from "../../models/module.ts";

/** Types that begin so are the brain's own: they are in no list and no stream. */
export const internalPrefix = "internal.";

export type Permission = "allow" | "ask" | "deny";

export type StopReason =
  | { type: "end_turn" }
  | { type: "requires_action"; event_ids: string[] }
  | { type: "retries_exhausted" }
  | { type: "budget_reached" }
  | { type: "refusal" };

/** Why a model refused. */
export interface StopDetails {
  type: "refusal";
  category: string | null;
  explanation: string | null;
}

export interface OutcomeDefinition {
  outcome_id: string;
  description: string;
  rubric: { type: "text"; content: string } | { type: "file"; file_id: string };
  max_iterations: number;
}

export type GradeResult =
  | "satisfied"
  | "needs_revision"
  | "failed"
  | "max_iterations_reached"
  | "interrupted";

/** What a client sends. All but messages and outcomes apply as they come; these wait for their turn. */
export type ClientEvent =
  | { type: "user.message"; content: Block[] }
  | { type: "system.message"; content: Block[] }
  | ({ type: "user.define_outcome" } & OutcomeDefinition)
  | { type: "user.interrupt" }
  | {
      type: "user.tool_confirmation";
      tool_use_id: string;
      result: "allow" | "deny";
      deny_message?: string | null;
    }
  | { type: "user.tool_result"; tool_use_id: string; content?: Block[]; is_error?: boolean | null }
  | {
      type: "user.custom_tool_result";
      custom_tool_use_id: string;
      content?: Block[];
      is_error?: boolean | null;
    };

/** A call as its event tells of it. */
export interface CallData {
  name: string;
  input: Record<string, unknown>;
  evaluated_permission?: Permission;
  /** Of the policy of a tool that the agent has. */
  evaluation?: object;
  /** Of a tool of an MCP server that has one (Apps). */
  tool_page?: ToolPagePlace;
}

/** Where the page of a tool is read. */
export interface ToolPagePlace {
  uri: string;
  server_url: string;
}

/** What a model is told of a tool. */
export interface ToolDefinition {
  description: string;
  input_schema: Record<string, unknown>;
}

/** A tool of an MCP server as the session knows it. */
export interface SeenTool {
  /** Stands for the name and the address of the server, and the name of the tool. */
  key: string;
  /** Of its definition. */
  sum: string;
  /** Null where it is too large to be kept. */
  definition: ToolDefinition | null;
}

/** A name of tools of MCP servers, and the server whose tool the model calls so; null where it is that of none. */
export interface ToolNaming {
  name: string;
  server: string | null;
}

/** That an MCP server does not work. Other errors of a session change nothing of its state. */
export interface ServerError {
  type: "mcp_connection_failed_error" | "mcp_authentication_failed_error";
  message: string;
  mcp_server_name: string;
}

/** That a credential of the session's vaults is of no use in it. */
export interface CredentialError {
  type: "credential_host_unreachable_error";
  message: string;
  credential_id: string;
  vault_id: string;
}

/** Events of other threads are told in the session's own too, and name theirs; null: the one whose log it is. */
export function threadNamedIn(event: unknown): string | null {
  const { session_thread_id: named = null } = event as { session_thread_id?: string | null };
  return named;
}

export type AgentEvent =
  | ({ type: "agent.tool_use" } & CallData)
  | ({ type: "agent.custom_tool_use" } & CallData)
  | ({ type: "agent.mcp_tool_use"; mcp_server_name: string } & CallData)
  | {
      type: "agent.mcp_tool_result";
      mcp_tool_use_id: string;
      content: Block[];
      is_error: boolean;
      /** For the page of the tool; its model is not shown it. */
      structured_content?: Record<string, unknown>;
    }
  | { type: "session.error"; error: ServerError | CredentialError | { type: string } }
  | { type: "agent.tool_result"; tool_use_id: string; content: Block[]; is_error: boolean }
  | {
      type: "agent.thread_message_sent";
      to_session_thread_id: string;
      to_agent_name?: string | null;
      content: Block[];
    }
  | {
      type: "agent.thread_message_received";
      from_session_thread_id: string;
      from_agent_name?: string | null;
      content: Block[];
    }
  | { type: "span.model_request_start" }
  | { type: "span.model_request_end" }
  | { type: "span.outcome_evaluation_start" }
  | {
      type: "session.thread_status_idle";
      stop_reason: StopReason;
      stop_details: StopDetails | null;
    }
  | { type: "session.thread_status_running" }
  | { type: "session.thread_status_rescheduled" }
  | { type: "session.thread_status_terminated" };

/** The brain's own. */
export type InternalEvent =
  /** A turn takes what has waited: by the ids of its events. */
  | { type: "internal.turn_started"; inputs: string[] }
  /**
   * A model has answered. The calls in its content stand in the events after this one; each by the id of its event, in
   * the order of the content.
   */
  | {
      type: "internal.model_answered";
      content: Block[];
      stop_reason: string | null;
      stop_details: StopDetails | null;
      /** The name of the tool whose call was too long for one answer; absent in old events. */
      cut_off?: string | null;
      calls: string[];
      /** As much of the window as the model has read and written. */
      context_tokens: number;
    }
  /** A failure that is not transient comes again however often it is tried. */
  | {
      type: "internal.model_failed";
      is_transient: boolean;
      at_ms: number;
      /** As clients are told of it. */
      error: { type: string; message: string };
    }
  /** The turn goes on with the tools of these MCP servers: the agent's others did not answer. */
  | { type: "internal.tools_listed"; mcp_servers: string[] }
  /** What tools need cannot be had: the turn ends once its calls have their results. */
  | { type: "internal.tools_failed"; error: { type: string; message: string } }
  /** The thread that had given it work was interrupted: no thread waits for that work any more. */
  | { type: "internal.interrupted" }
  /** What waited is put into the conversation without a turn of its own: the turn before it ended too early. */
  | { type: "internal.inputs_flushed"; inputs: string[] }
  /** From here on a call may have had its effect. */
  | { type: "internal.tool_started"; tool_use_id: string }
  /**
   * The MCP server of a call wants to know something first: `question_id` is the event that a client answers. What the
   * server wants back along with the answer is sealed in a row beside the log.
   */
  | {
      type: "internal.mcp_server_asked";
      tool_use_id: string;
      question_id: string;
      /** Of the call until then; an older log does not say. */
      samples?: number;
      /** The call goes on with the answer in the process that made it, and in no other. */
      is_held?: boolean;
    }
  /** A person's answer is not waited for any more, and the call goes on. */
  | { type: "internal.mcp_question_closed"; tool_use_id: string }
  /** The MCP server of a call goes on with it as a task: whichever process asks it finds what comes of it. */
  | {
      type: "internal.mcp_task_made";
      tool_use_id: string;
      task_id: string;
      poll_ms: number;
      until_ms: number;
    }
  /** The server of a task has what it had asked for. */
  | { type: "internal.mcp_task_answered"; tool_use_id: string }
  /** In the session's own thread: its agents go by these definitions, which replace those that it knew. */
  | { type: "internal.mcp_tools_seen"; tools: SeenTool[] }
  /** Decided for this thread: which tools of MCP servers its model is offered by their own names alone. */
  | { type: "internal.mcp_tools_named"; names: ToolNaming[] }
  /** The tool of this call is not as the session knows it: who allows the call allows the tool as it is. */
  | { type: "internal.mcp_tool_changed"; tool_use_id: string; tool: SeenTool }
  /** What came before is told by this summary. */
  | { type: "internal.context_compacted"; summary: string }
  | {
      type: "internal.outcome_graded";
      outcome_id: string;
      iteration: number;
      result: GradeResult;
      explanation: string;
    };

export type ThreadEvent = ClientEvent | AgentEvent | InternalEvent;

/** One event of the log as a fold takes it. Types that no fold knows change nothing. */
export interface LoggedEvent {
  position: number;
  id: string | null;
  event: ThreadEvent | { type: string };
}
