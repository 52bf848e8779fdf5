// What a session gives the MCP server of a call that asks for it: answers of its model, and its directories.
import { isFailure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import {
  SampleProblem,
  type SampleAnswer,
  type SampleRequest,
  type ServerHelp,
} from "../../mcp_client/module.ts";
import { catalogOf, type Message, type MessageBody } from "../../models/module.ts";
import { textOf } from "../conversation/turns.ts";
import { agentOf } from "../steps/context.ts";
import type { Thread } from "../steps/thread.ts";
import { costSoFar } from "../steps/usage.ts";
import { askModel } from "./ask-model.ts";
import { actorOf, dimensionsOf, sessionAccounting } from "./caller.ts";
import { sumUp, type WorkedSession } from "./queries.ts";

interface HelpContext {
  session: WorkedSession;
  thread: Thread;
  signal: AbortSignal;
}

export const helpOf = (world: World, context: HelpContext): Omit<ServerHelp, "ask" | "tell"> => ({
  // Where tools run elsewhere, what is there is said by the worker.
  roots:
    context.session.environmentType === "cloud"
      ? [{ uri: "file:///workspace", name: "workspace" }]
      : [],
  sample: (request) => sample(world, context, request),
});

/** By the model of the thread's agent, without its words and its tools; paid for as all that it answers is. */
async function sample(
  world: World,
  { session, thread, signal }: HelpContext,
  { system, turns, maxTokens, stopSequences }: SampleRequest,
): Promise<SampleAnswer> {
  const { budgetNano } = session;
  if (budgetNano !== null && costSoFar(world, session) >= budgetNano)
    throw new SampleProblem("the budget of the session is used up.");
  const model = agentOf(thread, session).config.model.id;
  const known = catalogOf(world).resolve(model)?.maxTokens ?? maxTokens;
  const body: MessageBody = {
    model,
    max_tokens: Math.min(maxTokens, known),
    ...(system !== null && { system: [{ type: "text", text: system }] }),
    ...(stopSequences.length > 0 && { stop_sequences: stopSequences }),
    messages: turns,
  };
  const actor = await actorOf(world, session, signal);
  const accounting = sessionAccounting(thread.id, dimensionsOf(session), (settlement) =>
    sumUp(session.usage, settlement),
  );
  try {
    return answerOf(model, await askModel(actor, body, accounting));
  } catch (error) {
    if (signal.aborted || !isFailure(error)) throw error;
    world.logger.warn({ error, session: session.id }, "a model did not answer an MCP server");
    throw new SampleProblem("the model of the session could not be asked.");
  }
}

const stopReasons: Record<string, SampleAnswer["stopReason"]> = {
  max_tokens: "maxTokens",
  stop_sequence: "stopSequence",
};

const answerOf = (model: string, { content, stop_reason: reason }: Message): SampleAnswer => ({
  text: textOf(content),
  model,
  stopReason: stopReasons[reason ?? ""] ?? "endTurn",
});
