// One connection whose requests have all been canonical so far: one request after the other, each answered before the
// next is looked at. The first that is not canonical goes to node:http with all that came behind it, for good.
import type { Socket } from "node:net";
import { LeanRequest } from "./lean-request.ts";
import { LeanResponse } from "./lean-response.ts";
import { leanLimits } from "./limits.ts";
import { canonicalHead, type LeanPaths } from "./request-head.ts";

/** What a connection needs of its server. */
export interface LeanServer {
  paths: LeanPaths;
  keepAliveTimeoutMs: number;
  headersTimeoutMs: number;
  silenceTimeoutMs: number;
  serve(request: LeanRequest, response: LeanResponse): void;
  /** More has come behind a request that is not answered yet. */
  followed(response: LeanResponse): void;
  /** The connection is node:http's from here on. */
  handOver(socket: Socket): void;
  broken(code: string, socket: Socket): void;
  forget(connection: LeanConnection): void;
}

export class LeanConnection {
  readonly socket: Socket;
  readonly #server: LeanServer;
  #response: LeanResponse | undefined;
  /** What came behind the request that is being answered. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  /** Since when it has been silent or idle, and what had been sent either way by then. */
  #sinceMs = performance.now();
  #moved = 0;
  #isFresh = true;

  readonly #listeners = {
    data: (bytes: Buffer) => this.#take(bytes),
    end: () => this.#endHalf(),
    close: () => this.#close(),
    drain: () => this.#response?.drained(),
    error: () => {}, // `close` follows
  };

  constructor(socket: Socket, server: LeanServer) {
    this.socket = socket;
    this.#server = server;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.on(event, listener);
  }

  get isIdle(): boolean {
    return this.#response === undefined;
  }

  #take(bytes: Buffer): void {
    const response = this.#response;
    if (response === undefined) return this.#begin(bytes);
    const behind = response.req.complete ? bytes : response.req.take(bytes);
    if (behind !== undefined) this.#keep(response, behind);
  }

  #keep(response: LeanResponse, bytes: Buffer): void {
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    if (this.#keptBytes >= leanLimits.keptBytes) this.socket.pause();
    this.#server.followed(response);
  }

  #begin(bytes: Buffer): void {
    this.#isFresh = false;
    const head = canonicalHead(bytes, this.#server.paths);
    if (head === undefined) return this.#handOver(bytes);
    const request = new LeanRequest(this.socket, head);
    const finished = () => this.#finish(request, response);
    const response = new LeanResponse(request, this.#server.keepAliveTimeoutMs, finished);
    this.#response = response;
    const behind = request.take(bytes.subarray(head.headBytes));
    this.#server.serve(request, response);
    if (behind !== undefined) this.#keep(response, behind);
  }

  /** The answer is out: what came meanwhile is the next request. */
  #finish(request: LeanRequest, response: LeanResponse): void {
    const goesOn = !response.isLast && request.complete && this.socket.writable;
    if (goesOn) this.#response = undefined;
    else this.socket.destroySoon();
    response.close();
    if (!goesOn) return;
    this.#sinceMs = performance.now();
    const kept = this.#kept;
    if (kept.length === 0) return;
    this.#kept = [];
    this.#keptBytes = 0;
    if (this.socket.isPaused()) this.socket.resume();
    this.#begin(kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept));
  }

  #handOver(bytes: Buffer): void {
    const { socket } = this;
    for (const [event, listener] of Object.entries(this.#listeners)) socket.off(event, listener);
    this.#server.forget(this);
    this.#server.handOver(socket);
    socket.unshift(bytes);
  }

  /** A client that has said its last word is taken to be gone, as node:http takes it. */
  #endHalf(): void {
    const request = this.#response?.req;
    if (request === undefined || request.complete) this.socket.end();
    else this.#server.broken("HPE_INVALID_EOF_STATE", this.socket);
  }

  #close(): void {
    this.#server.forget(this);
    this.#kept = [];
    this.#response?.req.destroy();
    this.#response?.close();
  }

  /** Looks at the time limits; called every now and then. */
  check(nowMs: number): void {
    const { headersTimeoutMs, keepAliveTimeoutMs, silenceTimeoutMs } = this.#server;
    if (!this.isIdle) {
      const moved = this.socket.bytesRead + this.socket.bytesWritten;
      if (moved !== this.#moved) this.#sinceMs = nowMs;
      this.#moved = moved;
    }
    const silentMs = nowMs - this.#sinceMs;
    if (!this.isIdle) {
      if (silentMs > silenceTimeoutMs) this.socket.destroy();
    } else if (this.#isFresh) {
      if (silentMs > headersTimeoutMs) this.#server.broken("ERR_HTTP_REQUEST_TIMEOUT", this.socket);
    } else if (silentMs > keepAliveTimeoutMs + leanLimits.keepAliveGraceMs) this.socket.destroy();
  }
}
