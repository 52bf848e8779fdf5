// A canonical request. Its body is there when it came with the head; else it is a stream.
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { HttpRequest } from "../http-exchange.ts";
import type { RequestHead } from "./request-head.ts";

export class LeanRequest implements HttpRequest {
  readonly method = "POST";
  readonly httpVersion = "1.1";
  url: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly socket: Socket;
  #bytesLeft: number;
  /** The whole body, until it is read; most requests need no stream, which costs more than all the rest of them. */
  #whole: Buffer | undefined;
  #stream: Readable | undefined;

  constructor(socket: Socket, head: RequestHead) {
    this.socket = socket;
    this.url = head.target;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.#bytesLeft = head.bodyBytes;
  }

  /** The next bytes of the connection; returns those behind the body. */
  take(bytes: Buffer): Buffer | undefined {
    const own = bytes.length > this.#bytesLeft ? bytes.subarray(0, this.#bytesLeft) : bytes;
    const isWhole = this.#stream === undefined && own.length === this.#bytesLeft;
    this.#bytesLeft -= own.length;
    if (isWhole) this.#whole = own;
    else this.#push(own);
    return own.length === bytes.length ? undefined : bytes.subarray(own.length);
  }

  #push(own: Buffer): void {
    const stream = (this.#stream ??= this.#openStream());
    if (stream.destroyed) return;
    const hasRoom = own.length === 0 || stream.push(own);
    if (this.#bytesLeft === 0) stream.push(null);
    else if (!hasRoom) this.socket.pause();
  }

  #openStream(): Readable {
    // The rest of a body that is not wanted any more is read all the same, and thrown away.
    const go = () => {
      if (this.#bytesLeft > 0) this.socket.resume();
    };
    return new Readable({ read: go, destroy: (error, done) => (go(), done(error)) });
  }

  get #body(): Readable {
    if (this.#stream === undefined) {
      this.#stream = this.#openStream();
      if (this.#whole !== undefined) this.#stream.push(this.#whole);
      if (this.complete) this.#stream.push(null);
      this.#whole = undefined;
    }
    return this.#stream;
  }

  get complete(): boolean {
    return this.#bytesLeft === 0;
  }

  get destroyed(): boolean {
    return this.#stream?.destroyed === true;
  }

  get readableEnded(): boolean {
    return this.#stream?.readableEnded === true;
  }

  read(): Buffer | null {
    if (this.#stream !== undefined) return this.#stream.read() as Buffer | null;
    const whole = this.#whole ?? null;
    this.#whole = undefined;
    return whole;
  }

  resume(): void {
    this.#body.resume();
  }

  /** A body that is there can still be read: a handler must not take it for an empty one. */
  destroy(): void {
    this.#stream?.destroy();
  }

  on(...[event, listener]: Parameters<HttpRequest["on"]>): this {
    this.#body.on(event, listener);
    return this;
  }

  once(...[event, listener]: Parameters<HttpRequest["once"]>): this {
    this.#body.once(event, listener);
    return this;
  }

  off(...[event, listener]: Parameters<HttpRequest["off"]>): this {
    this.#body.off(event, listener);
    return this;
  }
}
