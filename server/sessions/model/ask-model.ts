// One call of a model on behalf of a thread, through the engine of messages; what it writes is previewed as it comes.
import type { Actor } from "../../../kernel/context.ts";
import { parseOriginalBody } from "../../../kernel/http/input/body.ts";
import { answerRequest, prepareRequest } from "../../messages/module.ts";
import {
  accumulate,
  type Message,
  type MessageBody,
  type StreamEvent,
} from "../../models/module.ts";
import type { AnswerEvents } from "./answer-events.ts";
import type { SessionAccounting } from "./caller.ts";
import { logged } from "./logged.ts";

/** `shown` hears of the answer while it is written; without it the answer comes whole. */
export function askModel(
  actor: Actor,
  body: MessageBody,
  accounting: SessionAccounting,
  shown?: AnswerEvents,
): Promise<Message> {
  const { requestId, notes, who, signal } = actor;
  const { sessionId } = accounting;
  const asked = { requestId, notes, who, sessionId, signal };
  return logged(actor, { ...asked, operation: "sessions.turn", tool: null }, () =>
    answered(actor, body, accounting, shown),
  );
}

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
