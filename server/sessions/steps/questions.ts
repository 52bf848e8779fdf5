// What the MCP server of a call asks, told as a call that a client answers.
import type { Block } from "../../models/module.ts";
import type { ServerAsks } from "../../mcp_client/module.ts";
import { isAsked } from "../conversation/calls.ts";
import type { Call } from "../conversation/state.ts";
import { internal, newEventId, visible, type EventData } from "../events/drafts.ts";
import type { StepContext } from "./context.ts";
import type { Draft } from "./drafts.ts";

/** What the call is named that a client answers: no tool of the agent, and none that its model knows. */
export const questionName = "mcp_input";

export function addQuestion(
  draft: Draft,
  context: StepContext,
  { id, server, name }: Call,
  {
    questions,
    samples,
    sealedState,
    isHeld = false,
  }: Pick<ServerAsks, "questions" | "samples"> & { sealedState: string | null; isHeld?: boolean },
): void {
  const questionId = newEventId(context.ids);
  const input = { server, tool: name, mcp_tool_use_id: id, requests: questions };
  tell(draft, context, questionId, {
    type: "agent.custom_tool_use",
    name: questionName,
    input,
  });
  const asked = { tool_use_id: id, question_id: questionId, samples, is_held: isHeld };
  draft.add(internal({ type: "internal.mcp_server_asked", ...asked }));
  draft.questionStates.set(id, sealedState);
}

/** The call goes on without an answer. */
export function dropQuestion(draft: Draft, context: StepContext, call: Call): void {
  closeQuestion(draft, context, call, [{ type: "text", text: droppedWords }]);
  draft.add(internal({ type: "internal.mcp_question_closed", tool_use_id: call.id }));
}

const droppedWords = "No answer is waited for any more: the call goes on without.";

/** Of a call that has its result. Where its server waits, no client has to answer any more. */
export function closeQuestion(
  draft: Draft,
  context: StepContext,
  call: Call,
  content: readonly Block[],
): void {
  const { question } = call;
  if (question === null) return;
  draft.questionStates.set(call.id, null);
  if (!isAsked(call)) return;
  tell(draft, context, newEventId(context.ids), {
    type: "agent.tool_result",
    tool_use_id: question.id,
    content,
    is_error: true,
  });
}

/** Clients look for it in the session's own thread. */
function tell(draft: Draft, { drafts, now }: StepContext, id: string, data: EventData): void {
  const isPrimary = draft === drafts.primary;
  const event = visible(
    id,
    isPrimary ? data : { ...data, session_thread_id: draft.thread.id },
    now,
  );
  draft.add(event);
  if (!isPrimary) drafts.primary.add(event);
}
