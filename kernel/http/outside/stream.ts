// Requests to addresses that clients chose whose answers are read as they come: in the shape of `fetch`, for packages.
import { Readable } from "node:stream";
import type { World } from "../../context.ts";
import type { OutsideConnection } from "./connections.ts";
import { asFailure, OutsideFailure, tooLate } from "./failure.ts";
import { openOutside, outsideProblem, type Reach } from "./fetch.ts";

export interface StreamLimits extends Reach {
  /** Of the answer; more breaks it off. */
  bytesMax: number;
  /** Hears why there is no answer, or no whole one: a package may throw something else. */
  onFailure?: (failure: OutsideFailure) => void;
  /** Hears that a connection was made: until then nothing of the request was sent. */
  onConnect?: () => void;
}

export interface StreamAsk {
  method: string;
  headers: Headers;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Over a connection of its own, which ends with the answer. A redirect is an answer: who follows it asks anew, and is
 * judged anew. `timeoutMs` is from the first look at the name to the last byte.
 */
export async function streamOutside(
  world: Pick<World, "sections" | "outside">,
  url: URL,
  { method, headers, body, signal }: StreamAsk,
  limits: StreamLimits,
): Promise<Response> {
  const late = new AbortController();
  const fail = (error: unknown): OutsideFailure => {
    const failure = late.signal.aborted ? tooLate(limits.timeoutMs) : asFailure(error);
    if (signal?.aborted !== true) limits.onFailure?.(failure);
    return failure;
  };
  const problem = outsideProblem(world, url.href, limits);
  if (problem !== undefined) throw fail(problem);
  signal?.throwIfAborted();
  const timer = setTimeout(() => late.abort(), limits.timeoutMs);
  const connection = openOutside(world, url, limits);
  connection.client.once("connect", () => limits.onConnect?.());
  const end = () => {
    clearTimeout(timer);
    connection.destroy();
  };
  try {
    const answer = await connection.client.request({
      path: `${url.pathname}${url.search}`,
      method,
      signal: signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
      // `timeoutMs` alone: a tool may take long before it says a word.
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: { "accept-encoding": "identity", ...Object.fromEntries(headers) },
      ...(body !== undefined && { body }),
    });
    const pieces = bounded(answer.body, { bytesMax: limits.bytesMax, fail, end });
    const isEmpty = answer.statusCode === 204 || answer.statusCode === 304;
    if (isEmpty) end();
    return new Response(isEmpty ? null : (Readable.toWeb(pieces) as ReadableStream), {
      status: answer.statusCode,
      headers: headersOf(answer.headers),
    });
  } catch (error) {
    end();
    if (signal?.aborted === true) throw signal.reason;
    throw fail(error);
  }
}

type AnswerBody = Awaited<ReturnType<OutsideConnection["client"]["request"]>>["body"];

function bounded(
  body: AnswerBody,
  {
    bytesMax,
    fail,
    end,
  }: { bytesMax: number; fail: (error: unknown) => OutsideFailure; end: () => void },
): Readable {
  async function* pieces() {
    let length = 0;
    try {
      for await (const piece of body as AsyncIterable<Buffer>) {
        length += piece.length;
        if (length > bytesMax)
          throw new OutsideFailure("too_large", `answered with more than ${bytesMax} bytes.`);
        yield piece;
      }
    } catch (error) {
      throw fail(error);
    }
  }
  // Also where nothing of it was read: what has not begun has no end of its own.
  return Readable.from(pieces(), { objectMode: false }).once("close", end);
}

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  return headers;
}
