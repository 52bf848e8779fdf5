// One request of a client that has a session: what the server says and asks meanwhile goes on the stream of the answer.
import {
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServer,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server";
import type { Clock } from "../../../kernel/base/clock.ts";
import { limits } from "../limits.ts";

type Id = string | number;

export interface ExchangeOptions {
  server: Server | McpServer;
  clock: Clock;
  message: JSONRPCRequest;
  /** What the client said when its session began; undefined where this request begins it. */
  began: Record<string, unknown> | undefined;
  /** The client has gone. */
  signal: AbortSignal;
  headers?: Record<string, string>;
  /** The server asks its client, under an id that no other request has. */
  asked(id: Id): string;
  ended(): void;
}

export interface Exchange {
  response: Promise<Response>;
  /** What the client sent beside the request: an answer to what it was asked, or that it is not interested any more. */
  receive(message: JSONRPCMessage): void;
}

const beginning = "initialize";

export async function openExchange(options: ExchangeOptions): Promise<Exchange> {
  const { server, message, began, asked } = options;
  const answer = makeAnswer(options, () => void server.close());
  const isReady = Promise.withResolvers<void>();
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => {
      options.ended();
      answer.end();
      transport.onclose?.();
      return Promise.resolve();
    },
    send: (sent) => {
      const isOfBeginning = isJSONRPCResponse(sent) && began !== undefined && sent.id === beginning;
      if (isOfBeginning) isReady.resolve();
      else if (isJSONRPCRequest(sent)) answer.say({ ...sent, id: asked(sent.id) });
      else if (isJSONRPCResponse(sent)) answer.say(sent, "last");
      else answer.say(sent);
      return Promise.resolve();
    },
  };
  await server.connect(transport);
  const receive = (given: JSONRPCMessage) => transport.onmessage?.(given);
  if (began !== undefined) {
    receive({ jsonrpc: "2.0", id: beginning, method: "initialize", params: began });
    await isReady.promise;
    receive({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  receive(message);
  return { response: answer.response, receive };
}

/** JSON where there is nothing else to say, and a stream of events from the first other message on. */
function makeAnswer({ clock, signal, headers = {} }: ExchangeOptions, close: () => void) {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const over = new AbortController();
  let stream: Events | undefined;
  if (signal.aborted) queueMicrotask(close);
  else signal.addEventListener("abort", close, { once: true, signal: over.signal });
  const openStream = (): Events => {
    const opened = openEvents(clock, headers, close);
    resolve(opened.response);
    return opened;
  };
  return {
    response: promise,
    end: () => {
      over.abort();
      stream?.end();
      // One that never answered: the client has gone, or the server was closed.
      resolve(new Response(null, { status: 499 }));
    },
    say: (message: JSONRPCMessage, which?: "last") => {
      if (over.signal.aborted) return;
      if (which === "last" && stream === undefined) resolve(Response.json(message, { headers }));
      else (stream ??= openStream()).write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      if (which === "last") close();
    },
  };
}

export interface Events {
  response: Response;
  write(text: string): void;
  end(): void;
}

/** Stays alive, for proxies that close what says nothing, until it is ended or its reader leaves. */
export function openEvents(
  clock: Clock,
  headers: Record<string, string>,
  left: () => void,
): Events {
  const over = new AbortController();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => {
      over.abort();
      left();
    },
  });
  const write = (text: string) => {
    if (!over.signal.aborted) controller?.enqueue(Buffer.from(text));
  };
  const stayAlive = async () => {
    while (await clock.sleep(limits.streamAliveMs, over.signal)) write(": alive\n\n");
  };
  void stayAlive();
  const type = { "content-type": "text/event-stream", "cache-control": "no-store" };
  return {
    response: new Response(body, { headers: { ...headers, ...type } }),
    write,
    end: () => {
      if (over.signal.aborted) return;
      over.abort();
      controller?.close();
    },
  };
}
