// One call of a model on behalf of a thread, through the engine of messages; what it writes is previewed as it comes.
import { invalid, type Failure } from "../../../kernel/base/failure.ts";
import type { Actor } from "../../../kernel/context.ts";
import { parseOriginalBody } from "../../../kernel/http/input/body.ts";
import { toFailure } from "../../../kernel/http/output/envelope.ts";
import { answerRequest, prepareRequest } from "../../messages/module.ts";
import {
  accumulate,
  type Message,
  type MessageBody,
  type StreamEvent,
} from "../../models/module.ts";
import { requestLogOf } from "../../requests/module.ts";
import type { AnswerEvents } from "./answer-events.ts";
import type { SessionAccounting } from "./caller.ts";

/** `shown` hears of the answer while it is written; without it the answer comes whole. */
export async function askModel(
  actor: Actor,
  body: MessageBody,
  accounting: SessionAccounting,
  shown?: AnswerEvents,
): Promise<Message> {
  const { clock, requestId, who } = actor;
  const startMs = clock.monotonicMs();
  let failure: Failure | undefined;
  try {
    return await answered(actor, body, accounting, shown);
  } catch (error) {
    failure = actor.signal.aborted ? interrupted : toFailure(error);
    throw error;
  } finally {
    requestLogOf(actor).note({
      requestId,
      who,
      origin: "session",
      operation: "sessions.turn",
      method: null,
      path: null,
      status: failure?.status ?? 200,
      failure,
      startMs,
      endMs: clock.monotonicMs(),
      sessionId: accounting.sessionId,
    });
  }
}

/** By the user, by another process, or by the stop of this one. */
const interrupted = invalid("The turn was interrupted.", { status: 499 });

async function answered(
  actor: Actor,
  body: MessageBody,
  accounting: SessionAccounting,
  shown?: AnswerEvents,
): Promise<Message> {
  using held = new DisposableStack();
  const sent = shown === undefined ? body : { ...body, stream: true };
  const incoming = parseOriginalBody(Buffer.from(JSON.stringify(sent)));
  const prepared = await prepareRequest(actor, incoming, accounting, held);
  const sum = accumulate();
  const take = (event: StreamEvent) => {
    sum.add(event);
    shown?.preview(event);
  };
  const reader = {
    begin: () => {},
    take: (events: readonly { data(): StreamEvent }[]) => {
      for (const event of events) take(event.data());
      return undefined;
    },
  };
  await answerRequest(prepared, reader, { isWhole: shown === undefined });
  const message = sum.message();
  if (message === undefined) throw new Error("an answer that ended began with message_start");
  return message;
}
