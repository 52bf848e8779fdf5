// Answers to input that is no valid request: the same envelope as everywhere, written to the socket by hand.
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Socket } from "node:net";
import { Failure, invalid } from "../../base/failure.ts";
import type { Ids } from "../../base/ids.ts";
import { envelope } from "../output/envelope.ts";
import type { HttpRequest, HttpResponse } from "./http-exchange.ts";
import { sendJson } from "../output/reply.ts";

export interface RawAnswer {
  failure: Failure;
  requestId: string;
  bytes: string;
}

/** Undefined when the client is gone and would not read it. */
export function rawAnswer(
  error: NodeJS.ErrnoException,
  rules: { headersTimeoutMs: number; headerBytesMax: number },
  ids: Ids,
): RawAnswer | undefined {
  if (error.code === "ECONNRESET" || error.code === "EPIPE") return undefined;
  return compose(failureOf(error.code ?? "", rules), ids);
}

function failureOf(
  code: string,
  rules: { headersTimeoutMs: number; headerBytesMax: number },
): Failure {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return invalid(`The headers are larger than ${rules.headerBytesMax} bytes; send fewer.`, {
        status: 431,
      });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return invalid("The body's chunk extensions are too large; leave them out.", { status: 413 });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Failure(
        "timeout_error",
        `The headers did not arrive in time (${rules.headersTimeoutMs / 1000} s); send the request again.`,
      );
    default:
      return invalid("This is not a well-formed HTTP/1.1 request.");
  }
}

function compose(failure: Failure, ids: Ids): RawAnswer {
  const requestId = ids.next("req_");
  const body = JSON.stringify(envelope(failure, requestId));
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ""}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `request-id: ${requestId}`,
    "connection: close",
  ];
  return { failure, requestId, bytes: `${head.join("\r\n")}\r\n\r\n${body}` };
}

/**
 * A reply that is under way must not get a second one mixed in: garbage behind a good request waits
 * for that request's reply; a request that broke off half-way is answered only if nothing was sent.
 */
export function answerBroken(
  socket: Socket,
  latest: HttpResponse | undefined,
  answer: string | undefined,
): void {
  if (answer === undefined || !socket.writable) return void socket.destroy();
  if (latest === undefined || latest.closed || latest.writableFinished)
    return close(socket, answer);
  if (latest.req.complete) return void latest.once("close", () => close(socket, answer));
  if (latest.headersSent) return void socket.destroy();
  close(socket, answer);
}

function close(socket: Duplex, answer: string): void {
  if (!socket.writable) return;
  // Destroyed once it is written: further input is not read.
  socket.end(answer, () => socket.destroy());
}

/** CONNECT would make this server a proxy. */
export function refuseTunnel(socket: Duplex, ids: Ids): void {
  socket.on("error", () => {});
  close(socket, compose(invalid("This server is no proxy.", { status: 405 }), ids).bytes);
}

export function refuseExpectation(request: HttpRequest, response: HttpResponse, ids: Ids): void {
  const requestId = ids.next("req_");
  const expected = JSON.stringify((request.headers.expect ?? "").slice(0, 40));
  const failure = invalid(`The expect header ${expected} is not understood; leave it out.`, {
    status: 417,
  });
  sendJson(response, 417, envelope(failure, requestId), {
    "request-id": requestId,
    connection: "close",
  });
}
