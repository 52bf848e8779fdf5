// Servers of 2024-11-05: one stream for all answers, and an address that it names for what is asked (HTTP with SSE).
import { SSEClientTransport } from "@modelcontextprotocol/client";
import { untilAborted } from "../../kernel/base/until-aborted.ts";
import {
  brokenOff,
  noAnswer,
  questionOf,
  readAnswers,
  sendable,
  takeAnswer,
  type OpenTransport,
  type Question,
} from "./transport.ts";
import { McpFault, type Wire } from "./wire.ts";

/** What a server of that kind says to a POST at the address of its stream. */
export const oldStatuses: readonly (number | undefined)[] = [400, 404, 405];

/**
 * Its client keeps what is asked within the origin of the stream, and waits for the stream's first words without an
 * end: `signal` ends that. A stream that has ended is not opened again; who asks then makes another connection.
 */
export function openOldTransport(url: string, wire: Wire, signal: AbortSignal): OpenTransport {
  wire.isOneStream = true;
  let asked: Question | undefined;
  let isOver = false;
  const hasEnded = () => {
    isOver = true;
    if (asked?.isAnswered === false) transport.onmessage?.(noAnswer(asked, brokenOff));
  };
  let hasBegun = false;
  const transport = new SSEClientTransport(new URL(url), {
    fetch: async (given, init = {}) => {
      if (init.method === "POST") return wire.fetch(given, init);
      // Its source of events would come back again and again: this answer tells it to end.
      if (hasBegun) {
        hasEnded();
        return new Response(null, { status: 204 });
      }
      hasBegun = true;
      const response = await wire.fetch(given, init);
      return new Response(response.body?.pipeThrough(untilEnd(hasEnded)) ?? null, response);
    },
  });
  readAnswers(transport, (message) => (asked === undefined ? message : takeAnswer(message, asked)));
  const start = transport.start.bind(transport);
  transport.start = () => untilAborted(start(), signal);
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    if (isOver) throw new McpFault("session_gone", "has ended the stream of its answers.");
    if ("method" in message && "id" in message) asked = questionOf(message);
    await send(sendable(message));
  };
  return {
    transport,
    leftOut: () => asked?.leftOut ?? 0,
    taskGiven: () => asked?.task,
    hasSession: () => false,
    endSession: async () => {},
  };
}

const untilEnd = (end: () => void) => new TransformStream<Uint8Array, Uint8Array>({ flush: end });
