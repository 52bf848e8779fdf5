// What the log of a thread leads to: its conversation, what waits, the calls that are open. Plain JSON.
import type { QuestionAnswers } from "../../mcp_client/module.ts";
import type { Block, Turn } from "../../models/module.ts";
import type {
  OutcomeDefinition,
  Permission,
  SeenTool,
  StopDetails,
  StopReason,
  ToolNaming,
} from "./events.ts";

/** Who answers a call: the client alone, hands where there are some, the thread of another agent, or an MCP server. */
export type CallKind = "custom" | "built_in" | "agent" | "mcp";

export interface Call {
  /** The event that tells of it: what confirmations and results name. */
  id: string;
  /** What the model calls it by. */
  blockId: string;
  kind: CallKind;
  /** That answers it, where it is a call of another agent. */
  threadId: string | null;
  /** The name of the MCP server whose tool it is. */
  server: string | null;
  name: string;
  input: Record<string, unknown>;
  permission: Permission;
  /** The agent had no such tool when it was called. */
  isUnknown: boolean;
  confirmation: { result: "allow" | "deny"; message: string | null } | null;
  /** It may have had its effect. */
  isStarted: boolean;
  /** The thread that was to answer it was archived. */
  isAbandoned: boolean;
  /** Its tool shows what it answers on a page. */
  hasPage: boolean;
  /** Its tool as it was called, where its MCP server had changed it. */
  changed: SeenTool | null;
  /** What its MCP server has asked last. */
  question: CallQuestion | null;
  /** What its MCP server works on in place of a result. */
  task: CallTask | null;
  result: { content: Block[]; isError: boolean } | null;
}

/** Any process can ask the server about it. */
export interface CallTask {
  id: string;
  pollMs: number;
  /** By the clock of the wall: then it is given up. */
  untilMs: number;
}

export interface CallQuestion {
  /** The event that a client answers. */
  id: string;
  /** Until it comes, the call waits and does not run. */
  answers: QuestionAnswers | null;
  /** The server of a task has them; other calls are made anew with them. */
  isTaken: boolean;
  /** How often the server has asked for this call. */
  times: number;
  /** How often it has had the session's model answer in it. */
  samples: number;
}

/** An input, and where its event stands. */
export type Input = { id: string; position: number } & (
  | { kind: "message"; content: Block[] }
  | { kind: "system"; content: Block[] }
  | { kind: "outcome"; outcome: OutcomeDefinition }
  | { kind: "thread_message"; from: string; agentName: string | null; content: Block[] }
);

export interface TurnState {
  /** Answers of the model, counted for the limit of tool rounds. */
  rounds: number;
  compactions: number;
  /** Failures in a row, when the first of them was, and whether it is worth another try. */
  failures: number;
  failingSinceMs: number | null;
  isHopeless: boolean;
  /** Answers in a row whose last call was too long for one answer. */
  cutOffs: number;
  /** The MCP servers whose tools it has: those that answered when they were asked; null before that. */
  servers: string[] | null;
  /** Its tools cannot be run: it ends, and what was said in it stays. */
  hasNoTools: boolean;
  /** The newest, as clients are told of it. */
  error: { type: string; message: string } | null;
  /** The conversation was as long before this turn: what is refused is taken out again. */
  turnsBefore: number;
  /** At its end, those of inputs that have no turn of their own: they are no part of it. */
  turnsFlushed: number;
}

export interface OutcomeState extends OutcomeDefinition {
  iteration: number;
  /** The last round is over: one closing answer, and nothing is graded any more. */
  isClosing: boolean;
  /** The event with which its grading began. */
  openSpan: string | null;
}

export interface ThreadState {
  id: string;
  position: number;
  status: "idle" | "running" | "rescheduling" | "terminated";
  /** Of the session, as its clients were told last; only its own thread knows. */
  sessionStatus: ThreadState["status"];
  stopReason: StopReason | null;
  /** What the model is shown. */
  turns: Turn[];
  waiting: Input[];
  turn: TurnState | null;
  /** Of the last answer, in its order; none once the model has been shown their results. */
  calls: Call[];
  /** What the system says beside the results of this round, and the newest result that a client sent. */
  besideResults: Block[];
  resultAt: number;
  isInterrupted: boolean;
  /** What had waited when the interrupt came. */
  overtaken: Input[];
  /** The last answer was a refusal. */
  refusal: StopDetails | null;
  outcome: OutcomeState | null;
  /** The event with which a call of the model began that has not ended. */
  openSpan: string | null;
  /** As much of the window as the last answer has read and written. */
  contextTokens: number;
  /** Calls of an answer whose own events have not come yet. */
  announced: { id: string; blockId: string }[];
  /** MCP servers that do not work, as clients were told: by name, the type of the error. */
  serverFaults: Record<string, string>;
  /** Credentials that are of no use, as clients were told: by id, why. */
  credentialFaults: Record<string, string>;
  /** In the session's own thread: the tools of MCP servers that its agents were offered, by their keys. */
  seenTools: Record<string, Omit<SeenTool, "key">>;
  /** What is decided of the names of tools of MCP servers, by the names in small letters. */
  toolNames: Record<string, ToolNaming>;
}

export const emptyThread = (id: string): ThreadState => ({
  id,
  position: 0,
  status: "idle",
  sessionStatus: "idle",
  stopReason: null,
  turns: [],
  waiting: [],
  turn: null,
  calls: [],
  besideResults: [],
  resultAt: 0,
  isInterrupted: false,
  overtaken: [],
  refusal: null,
  outcome: null,
  openSpan: null,
  contextTokens: 0,
  announced: [],
  serverFaults: {},
  credentialFaults: {},
  seenTools: {},
  toolNames: {},
});
