// What the server of a call asks a person while the call goes on: this process alone can give it the answer.
import type { World } from "../../../../kernel/context.ts";
import type { QuestionAnswers, ServerHelp } from "../../../mcp_client/module.ts";
import { callOf } from "../../conversation/calls.ts";
import type { Call } from "../../conversation/state.ts";
import { limits } from "../../limits.ts";
import { serversPart } from "../../servers/servers.ts";
import type { StepContext } from "../../steps/context.ts";
import type { Draft } from "../../steps/drafts.ts";
import { addQuestion, dropQuestion } from "../../steps/questions.ts";
import { tellIdle, tellRunning } from "../../steps/statuses.ts";
import { openCallsOf } from "../../steps/waiting-calls.ts";
import type { OutsideContext } from "./context.ts";

type Holding = Pick<OutsideContext, "session" | "thread" | "signal" | "tell" | "heard">;

/** As many as a process keeps sessions for; further ones have no answer. */
export function personOf(world: World, holding: Holding, callId: string): ServerHelp["ask"] {
  const servers = serversPart.of(world);
  const ask = askPerson(holding, callId);
  return async (questions, closed) => {
    if (servers.heldQuestions >= limits.heldQuestionsMax) return null;
    servers.heldQuestions += 1;
    try {
      return await ask(questions, closed);
    } finally {
      servers.heldQuestions -= 1;
    }
  };
}

const askPerson =
  ({ session, thread, signal, tell, heard }: Holding, callId: string): ServerHelp["ask"] =>
  async (questions, closed) => {
    /** Of the call as it is by then, if it still has no result. */
    const withCall = (act: (call: Call, draft: Draft, context: StepContext) => void) =>
      tell((draft, context) => {
        const call = callOf(draft.state, callId);
        if (call !== undefined && call.result === null) act(call, draft, context);
      });
    await withCall((call, draft, context) => {
      const samples = call.question?.samples ?? 0;
      addQuestion(draft, context, call, { questions, samples, sealedState: null, isHeld: true });
      const ids = openCallsOf(draft.state, thread.id, session).map(({ eventId }) => eventId);
      tellIdle(draft, context, { type: "requires_action", event_ids: ids }, null);
    });
    const over = AbortSignal.any([closed, signal]);
    for (;;) {
      const sent = heard();
      let answers: QuestionAnswers | null = null;
      await withCall((call, draft, context) => {
        answers = call.question?.answers ?? null;
        // An interrupt ends the call, and its question with it.
        if (answers !== null || !closed.aborted || signal.aborted) return;
        dropQuestion(draft, context, call);
        tellRunning(draft, context);
      });
      if (answers !== null || over.aborted) return answers;
      await Promise.race([sent, aborted(over)]);
    }
  };

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
