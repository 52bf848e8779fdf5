// Keeps connections to one http address: one request at a time on each, the one used last serves first.
import type { Clock } from "../../../../kernel/base/clock.ts";
import { nextLoopIteration } from "../../../../kernel/base/event-loop.ts";
import {
  Http1Connection,
  PendingRequest,
  type ConnectionOwner,
  type ConnectionTimes,
} from "./connection.ts";
import { dueTimes, type DueTimes } from "./due-times.ts";
import { requestHeadOf, type RequestHead } from "./request-head.ts";
import { HttpFault, type HttpClient, type OutgoingRequest, type ReplyHandler } from "./types.ts";

/** It makes a connection wherever none is free: its caller limits the requests that are under way. */
export class Http1Client implements HttpClient, ConnectionOwner {
  readonly host: string;
  readonly port: number;
  readonly times: ConnectionTimes;
  readonly due: DueTimes;
  readonly #hostHeader: string;
  readonly #open = new Set<Http1Connection>();
  /** The one used last stands last. */
  readonly #idle: Http1Connection[] = [];
  #ended: Http1Connection[] = [];
  #waiting: PendingRequest[] = [];
  #isHandingOver = false;
  #closing: PromiseWithResolvers<void> | undefined;
  #known:
    | (Pick<OutgoingRequest, "headers" | "method" | "path"> & { head: RequestHead })
    | undefined;

  constructor(origin: string, times: ConnectionTimes, clock: Clock) {
    const { hostname, host, port } = new URL(origin);
    this.host = hostname.replace(/^\[|\]$/g, "");
    this.port = port === "" ? 80 : Number(port);
    this.times = times;
    this.due = dueTimes(clock);
    this.#hostHeader = host;
  }

  dispatch(request: OutgoingRequest, handler: ReplyHandler): void {
    let pending: PendingRequest;
    try {
      if (this.#closing !== undefined) throw clientClosed();
      pending = new PendingRequest(this.#headOf(request), bodyOf(request), handler);
    } catch (error) {
      handler.onResponseError(nothingToSteer, error as Error);
      return;
    }
    this.#waiting.push(pending);
    handler.onRequestWaiting(pending);
    this.#handOverSoon();
  }

  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    for (const connection of [...this.#idle, ...this.#ended]) connection.abandon();
    this.#settleClosing();
    return this.#closing.promise;
  }

  destroy(): Promise<void> {
    const closed = this.close();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { isAborted, handler } of waiting)
      if (!isAborted) handler.onResponseError(nothingToSteer, clientClosed());
    for (const connection of this.#open) connection.destroy();
    this.#settleClosing();
    return closed;
  }

  ended(connection: Http1Connection): void {
    if (this.#closing !== undefined) return connection.abandon();
    this.#ended.push(connection);
    this.#handOverSoon();
  }

  gone(connection: Http1Connection): void {
    this.#open.delete(connection);
    const at = this.#idle.lastIndexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    this.#settleClosing();
  }

  /**
   * Connections change hands between two polls of the event loop only. Whatever the poll has brought for one, its end
   * or bytes that no request asked for, is seen before the next request goes out on it.
   */
  #handOverSoon(): void {
    if (this.#isHandingOver) return;
    this.#isHandingOver = true;
    void this.#handOver();
  }

  async #handOver(): Promise<void> {
    await nextLoopIteration();
    this.#isHandingOver = false;
    for (const connection of this.#ended) if (connection.isOpen) this.#idle.push(connection);
    this.#ended = [];
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const pending of waiting) if (!pending.isAborted) this.#serve(pending);
    this.#settleClosing();
  }

  #serve(pending: PendingRequest): void {
    const connection = this.#idle.pop();
    if (connection === undefined) this.#open.add(new Http1Connection(this, pending));
    else connection.send(pending);
  }

  /** The headers of an adapter are the same array each time: checked and put together once. */
  #headOf({ headers, method, path }: OutgoingRequest): RequestHead {
    const known = this.#known;
    if (known?.headers === headers && known.path === path && known.method === method)
      return known.head;
    const head = requestHeadOf({ headers, method, path }, this.#hostHeader);
    this.#known = { headers, method, path, head };
    return head;
  }

  #settleClosing(): void {
    if (this.#open.size === 0 && this.#waiting.length === 0) this.#closing?.resolve();
  }
}

/** A method that can have a body says its length where that is 0, too. */
const bodyOf = ({ method, body }: OutgoingRequest) =>
  body !== null && body.length > 0 ? body : method === "GET" ? null : "";

const clientClosed = () => new HttpFault("CLIENT_CLOSED", "the client was closed");
const nothingToSteer = { paused: false, pause: () => {}, resume: () => {}, abort: () => {} };
