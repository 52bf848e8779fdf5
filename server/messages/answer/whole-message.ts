// A whole answer: the same events, added up to the message that they are of.
import assert from "node:assert/strict";
import { accumulate, type Message } from "../../models/module.ts";
import type { PreparedRequest } from "../prepare/prepared-request.ts";
import { answerRequest } from "./answer.ts";
import type { AnswerReader } from "./hops.ts";

export interface WholeAnswer {
  message: Message;
  headers: Readonly<Record<string, string>>;
}

export async function answerWhole(prepared: PreparedRequest): Promise<WholeAnswer> {
  const sum = accumulate();
  let headers: WholeAnswer["headers"] = {};
  const begin = (known: WholeAnswer["headers"]) => {
    headers = known;
  };
  const take = (events: Parameters<AnswerReader["take"]>[0]) => {
    for (const event of events) sum.add(event.data());
    return undefined;
  };
  await answerRequest(prepared, { begin, take }, { isWhole: true });
  const message = sum.message();
  assert(message !== undefined, "an answer that ended began with message_start");
  return { message, headers };
}
