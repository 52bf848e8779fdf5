// The response to a lean request: a whole answer is one write, a stream one a chunk.
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import type { Headers } from "../../output/reply.ts";
import type { HttpResponse } from "../http-exchange.ts";
import type { LeanRequest } from "./lean-request.ts";
import { responseHead, type ResponseHead } from "./response-head.ts";

export class LeanResponse implements HttpResponse {
  readonly req: LeanRequest;
  socket: Socket | null;
  statusCode = 200;
  chunkedEncoding = false;
  writableEnded = false;
  writableFinished = false;
  destroyed = false;
  closed = false;
  readonly #events = new EventEmitter();
  readonly #keepAliveTimeoutMs: number;
  readonly #finished: () => void;
  /** Set before the head is written, and standing first in it. */
  #early: Headers = {};
  #isConnectionUnsaid = false;
  #head: ResponseHead | undefined;
  /** Of the head, while it has not been written. */
  #unsent = "";

  constructor(request: LeanRequest, keepAliveTimeoutMs: number, finished: () => void) {
    this.req = request;
    this.socket = request.socket;
    this.#keepAliveTimeoutMs = keepAliveTimeoutMs;
    this.#finished = finished;
  }

  get headersSent(): boolean {
    return this.#head !== undefined;
  }

  /** Its connection ends with it. */
  get isLast(): boolean {
    return this.#head?.isLast === true;
  }

  get writableLength(): number {
    return this.#unsent.length + (this.socket?.writableLength ?? 0);
  }

  setHeader(name: string, value: string): void {
    this.#early[name] = value;
  }

  removeHeader(name: string): void {
    if (name === "connection") this.#isConnectionUnsaid = true;
    delete this.#early[name];
  }

  writeHead(status: number, headers: Headers): this {
    this.#writeHead(status, headers);
    return this;
  }

  #writeHead(status: number, headers: Headers): ResponseHead {
    if (this.#head !== undefined) throw new Error("the head of this response is written already");
    const head = responseHead(
      status,
      { ...this.#early, ...headers },
      {
        keepAliveTimeoutMs: this.#keepAliveTimeoutMs,
        isConnectionUnsaid: this.#isConnectionUnsaid,
      },
    );
    this.statusCode = status;
    this.chunkedEncoding = head.isChunked;
    this.#unsent = head.text;
    return (this.#head = head);
  }

  /** Two ticks later: what is put into a stream first is sent at the end of this tick, and goes out with it. */
  flushHeaders(): void {
    process.nextTick(() => process.nextTick(() => this.#send("")));
  }

  write(data: Buffer | string): boolean {
    if (this.writableEnded || data.length === 0 || !this.#begin().hasBody) return true;
    return this.chunkedEncoding ? this.#sendChunk(data, "") : this.#send(data);
  }

  end(body: Buffer | string = ""): void {
    if (this.writableEnded) return;
    const data = this.#begin().hasBody ? body : "";
    this.writableEnded = true;
    const done = (error?: Error | null) => {
      // With an error the client is gone, which closes the response.
      if (error || this.closed) return;
      this.writableFinished = true;
      this.#finished();
    };
    if (!this.chunkedEncoding) this.#send(data, "", done);
    else if (data.length === 0) this.#send(lastChunk, "", done);
    else this.#sendChunk(data, lastChunk, done);
  }

  #begin(): ResponseHead {
    return this.#head ?? this.#writeHead(this.statusCode, {});
  }

  #sendChunk(data: Buffer | string, last: string, done?: Done): boolean {
    this.#unsent += `${Buffer.byteLength(data).toString(16)}\r\n`;
    return this.#send(data, `\r\n${last}`, done);
  }

  /** With all that has to stand before it. */
  #send(data: Buffer | string, after = "", done?: Done): boolean {
    const { socket } = this;
    const before = this.#unsent;
    // Where the other side has left, the connection's end is what closes the response.
    if (socket === null || !socket.writable) return false;
    this.#unsent = "";
    if (typeof data === "string") {
      const text = before + data + after;
      if (text === "" && done === undefined) return true;
      // As long in bytes as in characters: then one byte stands for each.
      const isAscii = this.#head?.bodyBytes === data.length;
      return socket.write(text, isAscii ? "latin1" : "utf8", done);
    }
    socket.cork();
    if (before !== "") socket.write(before, "latin1");
    const hasRoom = socket.write(data, after === "" ? done : undefined);
    if (after !== "") socket.write(after, "latin1", done);
    socket.uncork();
    return hasRoom;
  }

  /** The connection has room again. */
  drained(): void {
    if (!this.writableEnded) this.#events.emit("drain");
  }

  /** It is over, whether or not it was sent. */
  close(): void {
    if (this.closed) return;
    this.destroyed = true;
    this.closed = true;
    this.socket = null;
    this.#events.emit("close");
  }

  destroy(): void {
    this.destroyed = true;
    this.socket?.destroy();
  }

  on(...[event, listener]: Parameters<HttpResponse["on"]>): this {
    this.#events.on(event, listener);
    return this;
  }

  once(...[event, listener]: Parameters<HttpResponse["once"]>): this {
    this.#events.once(event, listener);
    return this;
  }

  off(...[event, listener]: Parameters<HttpResponse["off"]>): this {
    this.#events.off(event, listener);
    return this;
  }
}

type Done = (error?: Error | null) => void;

const lastChunk = "0\r\n\r\n";
