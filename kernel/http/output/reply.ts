// What a handler gives back when plain JSON with status 200 is not enough.
import type { HttpResponse } from "../wire/http-exchange.ts";
import type { ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { clientGone, isBodyDeferred } from "../input/body.ts";
import { httpLimits } from "../limits.ts";

export type Headers = Record<string, string | string[]>;

/** A reply with its own status, headers or kind of body. */
export class Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReplyBody;

  constructor(status: number, headers: Headers, body: ReplyBody) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

export type ReplyBody =
  | { kind: "json"; value: unknown }
  | { kind: "bytes"; bytes: Buffer | string }
  | { kind: "stream"; stream: Readable }
  /** The handler writes to the socket itself: event streams. */
  | { kind: "write"; write: (response: HttpResponse, headers: Headers) => Promise<void> }
  | { kind: "none" };

export const json = (value: unknown, headers: Headers = {}, status = 200) =>
  new Reply(status, headers, { kind: "json", value });

export const noContent = (headers: Headers = {}) => new Reply(204, headers, { kind: "none" });

export const page = (html: string, headers: Headers = {}, status = 200) =>
  bytes(html, "text/html; charset=utf-8", headers, status);

export const text = (content: string, type = "text/plain; charset=utf-8", headers: Headers = {}) =>
  bytes(content, type, headers);

export const bytes = (
  content: Buffer | string,
  type: string,
  headers: Headers = {},
  status = 200,
) => new Reply(status, { "content-type": type, ...headers }, { kind: "bytes", bytes: content });

export const stream = (content: Readable, type: string, headers: Headers = {}, status = 200) =>
  new Reply(status, { "content-type": type, ...headers }, { kind: "stream", stream: content });

export const written = (write: (response: HttpResponse, headers: Headers) => Promise<void>) =>
  new Reply(200, {}, { kind: "write", write });

/** Puts a reply on the wire. `extra` holds the headers that every reply carries, and gets the others. */
export async function send(
  response: HttpResponse,
  reply: Reply,
  extra: Headers,
  jsonType?: string,
): Promise<void> {
  const headers = Object.assign(extra, reply.headers);
  switch (reply.body.kind) {
    case "json":
      return sendJson(response, reply.status, reply.body.value, headers, jsonType);
    case "bytes":
      headers["content-length"] = String(Buffer.byteLength(reply.body.bytes));
      response.writeHead(reply.status, headers);
      return finish(response, reply.body.bytes);
    case "stream":
      response.writeHead(reply.status, headers);
      return pour(reply.body.stream, response as ServerResponse);
    case "write":
      await reply.body.write(response, headers);
      return;
    case "none":
      if (reply.status !== 204) headers["content-length"] = "0";
      response.writeHead(reply.status, headers);
      finish(response, "");
  }
}

/** A client that goes away is no bug of this server; a source that breaks is, and the client sees a cut body. */
async function pour(source: Readable, response: ServerResponse): Promise<void> {
  if (response.req.method === "HEAD") {
    source.on("error", () => {}).destroy();
    response.end();
    return;
  }
  try {
    await pipeline(source, response);
  } catch (error) {
    // The pipeline destroys the response with the error when the source is what broke.
    throw response.errored ? error : clientGone();
  }
}

export function sendJson(
  response: HttpResponse,
  status: number,
  value: unknown,
  headers: Headers,
  contentType = "application/json",
): void {
  const content = JSON.stringify(value);
  headers["content-type"] = contentType;
  headers["content-length"] = String(Buffer.byteLength(content));
  response.writeHead(status, headers);
  finish(response, content);
}

/**
 * A client that is still sending an unwanted body would see a broken pipe instead of its answer if we
 * closed now: the answer goes out, and for a moment we read on and throw away.
 */
function finish(response: HttpResponse, content: Buffer | string): void {
  const request = response.req;
  if (request.complete || request.destroyed || isBodyDeferred(request)) {
    response.end(content);
    return;
  }
  let bytesLeft: number = httpLimits.lingerBytesMax;
  const end = () => {
    clearTimeout(timer);
    response.end();
    // Node forgets a request whose response is over: a reader that still waits for its body must be told.
    response.once("close", () => request.destroy());
  };
  const timer = setTimeout(end, httpLimits.lingerMs);
  if (content.length > 0) response.write(content);
  else response.flushHeaders();
  request
    .on("error", () => {})
    .once("end", end)
    .once("close", end);
  // A reader before us may have left in this tick; flowing starts only after it is forgotten.
  setImmediate(() => {
    request.on("data", (chunk: Buffer) => {
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) end();
    });
    request.resume();
  });
}
