// Asks a client for HTTP by itself, our own or undici's pool, and tells what its handler heard.
import type { TestContext } from "node:test";
import type { Clock } from "../../kernel/base/clock.ts";
import { systemClock } from "../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../kernel/base/event-loop.ts";
import { Http1Client } from "../../server/models/upstreams/http1/client.ts";
import type { ConnectionTimes } from "../../server/models/upstreams/http1/connection.ts";
import type {
  HttpClient,
  OutgoingRequest,
  ReplyController,
  ReplyHandler,
  ReplyHeaders,
} from "../../server/models/upstreams/http1/types.ts";
import { fakeUpstream, type AnswerHandler, type FakeUpstream } from "./fake.ts";

export const longTimes: ConnectionTimes = {
  connectMs: 60_000,
  firstByteMs: 60_000,
  betweenBytesMs: 60_000,
  keepAliveMs: 60_000,
};

export function clientOf(
  t: TestContext,
  url: string,
  { clock = systemClock, ...times }: Partial<ConnectionTimes> & { clock?: Clock } = {},
): HttpClient {
  const client = new Http1Client(url, { ...longTimes, ...times }, clock);
  t.after(() => client.destroy());
  return client;
}

export interface Heard {
  controller: ReplyController | undefined;
  isSent: boolean;
  status: number | undefined;
  headers: ReplyHeaders | undefined;
  /** As they came: what is written over them later is seen. */
  chunks: Buffer[];
  end: "none" | "end" | "error";
  error: Error | undefined;
  /** The code of the error, or the body. */
  over: Promise<string>;
}

export const textOf = (chunks: readonly Buffer[]) => Buffer.concat(chunks).toString("latin1");

/** `during` is called with each event, before what was heard of it can be read. */
export function ask(
  client: Pick<HttpClient, "dispatch">,
  given: Partial<OutgoingRequest> = {},
  during: (event: keyof ReplyHandler, heard: Heard) => void = () => {},
): Heard {
  const { promise, resolve } = Promise.withResolvers<string>();
  const heard: Heard = {
    controller: undefined,
    isSent: false,
    status: undefined,
    headers: undefined,
    chunks: [],
    end: "none",
    error: undefined,
    over: promise,
  };
  const asked: OutgoingRequest = { method: "POST", path: "/", headers: [], body: "{}", ...given };
  client.dispatch(asked, {
    onRequestWaiting: (controller) => {
      heard.controller = controller;
      during("onRequestWaiting", heard);
    },
    onRequestStart: (controller) => {
      heard.controller = controller;
      heard.isSent = true;
      during("onRequestStart", heard);
    },
    onResponseStart: (_, status, headers) => {
      if (status < 200) return;
      Object.assign(heard, { status, headers: { ...headers } });
      during("onResponseStart", heard);
    },
    onResponseData: (_, bytes) => {
      heard.chunks.push(bytes);
      during("onResponseData", heard);
    },
    onResponseEnd: () => {
      heard.end = "end";
      resolve(textOf(heard.chunks));
      during("onResponseEnd", heard);
    },
    onResponseError: (_, error) => {
      Object.assign(heard, { end: "error", error });
      resolve((error as { code?: string }).code ?? error.name);
      during("onResponseError", heard);
    },
  });
  return heard;
}

/** A few iterations of the event loop: what has come by now has been handled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextLoopIteration();
}

export async function serverOf(t: TestContext, answer?: AnswerHandler): Promise<FakeUpstream> {
  const fake = await fakeUpstream(answer);
  t.after(() => fake[Symbol.asyncDispose]());
  return fake;
}

/** A whole reply that keeps its connection. */
export const ok = (body: string, lines = "") =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${lines}\r\n${body}`;
