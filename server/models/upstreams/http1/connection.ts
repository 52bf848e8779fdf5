// One connection to an upstream: a request goes out, its reply is read, and it waits for the next one.
import { connect, type Socket } from "node:net";
import type { DueTimes, Due } from "./due-times.ts";
import { http1Limits as limits } from "./limits.ts";
import { ReplyReader, type ReplyReceiver } from "./reply-reader.ts";
import type { ReplyHead } from "./reply-head.ts";
import type { RequestHead } from "./request-head.ts";
import { HttpFault, type ReplyController, type ReplyHandler } from "./types.ts";

export interface ConnectionTimes {
  connectMs: number;
  /** Until the whole head of the reply. */
  firstByteMs: number;
  betweenBytesMs: number;
  /** Where the server names no time of its own. */
  keepAliveMs: number;
}

export interface ConnectionOwner {
  readonly host: string;
  readonly port: number;
  readonly times: ConnectionTimes;
  readonly due: DueTimes;
  /** Its reply has ended, and it may serve the next request. */
  ended(connection: Http1Connection): void;
  /** It will not serve again. */
  gone(connection: Http1Connection): void;
}

/** A request from its dispatch to the end of its reply. Then it has no connection, and steers nothing. */
export class PendingRequest implements ReplyController {
  readonly head: RequestHead;
  readonly handler: ReplyHandler;
  /** Until it was written to the connection: whoever holds the request until its reply ends holds no long body. */
  body: Buffer | string | null;
  connection: Http1Connection | undefined;
  paused = false;
  isAborted = false;

  constructor(head: RequestHead, body: Buffer | string | null, handler: ReplyHandler) {
    this.head = head;
    this.body = body;
    this.handler = handler;
  }

  pause(): void {
    if (this.paused || this.connection === undefined) return;
    this.paused = true;
    this.connection.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.connection?.resume();
  }

  abort(): void {
    this.isAborted = true;
    this.connection?.abandon();
  }
}

/** Each read is over before the next one begins, so all connections of a process read into the same bytes. */
const readBuffer = Buffer.allocUnsafeSlow(limits.readBytes);

export class Http1Connection implements Due, ReplyReceiver {
  dueMs = Number.POSITIVE_INFINITY;
  readonly #owner: ConnectionOwner;
  readonly #socket: Socket;
  readonly #reader = new ReplyReader(this);
  #pending: PendingRequest | undefined;
  #isReplying = false;
  #isOpen = true;
  /** What the reply's head says of the time after it. */
  #keptMs = 0;

  /** Connects for this request and sends it then. */
  constructor(owner: ConnectionOwner, pending: PendingRequest) {
    this.#owner = owner;
    this.#pending = pending;
    pending.connection = this;
    this.#socket = connect({
      host: owner.host,
      port: owner.port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: limits.tcpKeepAliveMs,
      onread: {
        buffer: readBuffer,
        callback: (length) => {
          this.#read(length === readBuffer.length ? readBuffer : readBuffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket
      .once("connect", () => this.#connected())
      .once("end", () => this.#closedByOther())
      .on("error", (error) => this.#fail(asTimeout(error)))
      .once("close", () => this.#closedByOther());
    owner.due.add(this);
    owner.due.set(this, owner.times.connectMs);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(pending: PendingRequest): void {
    this.#pending = pending;
    pending.connection = this;
    this.#send(pending);
  }

  pause(): void {
    this.#socket.pause();
    this.dueMs = Number.POSITIVE_INFINITY;
  }

  resume(): void {
    if (!this.#isOpen) return;
    this.#owner.due.set(this, this.#owner.times.betweenBytesMs);
    this.#socket.resume();
  }

  /** Closes at once; the handler of its request hears nothing. */
  abandon(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#reader.stop();
    this.#socket.destroy();
    this.#leavePending();
    this.#owner.due.remove(this);
    this.#owner.gone(this);
  }

  destroy(): void {
    this.#fail(new HttpFault("CLIENT_CLOSED", "the client was closed"));
  }

  passed(): void {
    this.#fail(
      this.#socket.connecting
        ? new HttpFault("CONNECT_TIMEOUT", "no connection was made in time")
        : this.#isReplying
          ? new HttpFault("BETWEEN_BYTES_TIMEOUT", "the reply fell silent")
          : new HttpFault("FIRST_BYTE_TIMEOUT", "no reply began in time"),
    );
  }

  head({ status, headers, keptMs }: ReplyHead): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#isReplying = true;
    this.#keptMs = pending.head.isLastOfConnection ? 0 : (keptMs ?? this.#owner.times.keepAliveMs);
    pending.handler.onResponseStart(pending, status, headers);
  }

  data(bytes: Buffer): void {
    const pending = this.#pending;
    pending?.handler.onResponseData(pending, bytes);
  }

  end(isSurplus: boolean): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#leavePending();
    // A server that answers early reads the rest of the request, or not: that cannot be seen.
    const isKept = this.#keptMs > 0 && !isSurplus && this.#socket.writableLength === 0;
    if (!isKept) this.abandon();
    else {
      if (pending.paused) this.#socket.resume();
      this.#owner.due.set(this, this.#keptMs);
      this.#owner.ended(this);
    }
    pending.handler.onResponseEnd(pending);
  }

  #connected(): void {
    if (this.#pending !== undefined) this.#send(this.#pending);
  }

  #send(pending: PendingRequest): void {
    this.#isReplying = false;
    this.#reader.expectReply();
    this.#owner.due.set(this, this.#owner.times.firstByteMs);
    pending.handler.onRequestStart(pending);
    if (this.#isOpen) write(this.#socket, pending);
    pending.body = null;
  }

  #read(bytes: Buffer): void {
    // No request asked for them: they would be read as the reply of the next request.
    if (this.#pending === undefined) return this.abandon();
    try {
      this.#reader.read(bytes);
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    if (this.#isReplying && this.#pending !== undefined && !this.#pending.paused)
      this.#owner.due.set(this, this.#owner.times.betweenBytesMs);
  }

  #closedByOther(): void {
    if (!this.#isOpen) return;
    try {
      this.#reader.closed();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    const pending = this.#pending;
    this.abandon();
    pending?.handler.onResponseError(pending, error);
  }

  #leavePending(): void {
    if (this.#pending !== undefined) this.#pending.connection = undefined;
    this.#pending = undefined;
  }
}

function write(socket: Socket, { head, body }: PendingRequest): void {
  if (body === null) {
    socket.write(`${head.text}\r\n`, "latin1");
    return;
  }
  const length = Buffer.byteLength(body);
  const text = `${head.text}content-length: ${length}\r\n\r\n`;
  if (text.length + length > limits.joinedBytesMax) {
    socket.cork();
    socket.write(text, "latin1");
    socket.write(body);
    socket.uncork();
    return;
  }
  const all = Buffer.allocUnsafe(text.length + length);
  all.write(text, 0, "latin1");
  if (typeof body === "string") all.write(body, text.length);
  else body.copy(all, text.length);
  socket.write(all);
}

/** Where one of several addresses did not answer in time, that is what went wrong. */
function asTimeout(error: Error): Error {
  const isOut = (one: unknown) => (one as { code?: unknown } | null)?.code === "ETIMEDOUT";
  if (!(error instanceof AggregateError) || ![error, ...error.errors].some(isOut)) return error;
  return new HttpFault("CONNECT_TIMEOUT", "no connection was made in time");
}
