// One request to an upstream and its reply, as a client for HTTP reports them: no streams in between.
import type { AttemptProgress } from "../types.ts";
import type { Deadlines } from "./deadlines.ts";
import type { ReplyController, ReplyHandler, ReplyHeaders } from "./http1/types.ts";
import { upstreamLimits as limits } from "./limits.ts";

/** The body of a reply. Its holder reads it to its end, cancels it or releases it. */
export interface ReplyBody {
  /** What has come since, undefined at the end. Rejects where the reply breaks. */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Closes the connection at once, unless the reply has ended. */
  cancel(): void;
  /** The end has come but for the last event, which is waited for only a short time. */
  expectEndSoon(): void;
  /** The caller reads no further, but the reply is as good as over: the connection is kept if it ends soon. */
  release(): void;
}

export interface UpstreamReply {
  status: number;
  headers: ReplyHeaders;
  body: ReplyBody;
}

/** The time for the whole reply is over. */
export class TotalTimeout extends Error {
  readonly code = "TOTAL_TIMEOUT";
}

/** The last event of a stream did not follow its end. */
export class EndTimeout extends Error {
  readonly code = "END_TIMEOUT";
}

export interface ExchangeHooks {
  /** Called once, when neither side will send more. */
  closed(): void;
  ends: Deadlines;
  lingers: Deadlines;
}

/** Owns the connection for as long as the reply takes. Never throws into the client. */
export class Exchange implements ReplyHandler, ReplyBody {
  readonly #started = Promise.withResolvers<UpstreamReply>();
  readonly #signal: AbortSignal;
  readonly #hooks: ExchangeHooks;
  readonly #progress: AttemptProgress | undefined;
  #controller: ReplyController | undefined;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #waiting: { resolve: () => void } | undefined;
  #state: "open" | "released" | "over" = "open";
  #error: { reason: unknown } | undefined;
  #untimed: (() => void) | undefined;
  #unhurried: (() => void) | undefined;
  #unlingered: (() => void) | undefined;
  readonly #aborted = () => this.fail(this.#signal.reason);

  constructor(signal: AbortSignal, hooks: ExchangeHooks, progress?: AttemptProgress) {
    this.#signal = signal;
    this.#hooks = hooks;
    this.#progress = progress;
    signal.addEventListener("abort", this.#aborted, { once: true });
    if (signal.aborted) this.#aborted();
  }

  /** The head of the reply. */
  get reply(): Promise<UpstreamReply> {
    return this.#started.promise;
  }

  /** Fails when the time of `totals` is over before the exchange is. */
  endsAt(totals: Deadlines): void {
    this.#untimed = totals.add(() => this.fail(new TotalTimeout()));
  }

  /** Ends the exchange in any state: the connection closes, readers learn the reason. */
  fail(reason: unknown): void {
    if (this.#state === "over") return;
    this.#error = { reason };
    this.#over();
    this.#controller?.abort(reason instanceof Error ? reason : new Error("aborted"));
  }

  onRequestWaiting(controller: ReplyController): void {
    this.#controller = controller;
  }

  onRequestStart(controller: ReplyController): void {
    this.#controller = controller;
    if (this.#state === "over") controller.abort(new Error("aborted"));
    else if (this.#progress !== undefined) this.#progress.isSent = true;
  }

  onResponseStart(_: unknown, status: number, headers: ReplyHeaders): void {
    if (status < 200) return;
    this.#started.resolve({ status, headers, body: this });
  }

  onResponseData(controller: ReplyController, chunk: Buffer): void {
    if (this.#state === "over") return;
    this.#unreadBytes += chunk.length;
    if (this.#state === "released") {
      if (this.#unreadBytes > limits.lingerBytesMax) this.cancel();
      return;
    }
    this.#chunks.push(chunk);
    if (this.#unreadBytes > limits.unreadBytesMax) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.#over();
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#state === "over") return;
    this.#error = { reason: error };
    this.#over();
  }

  async read(): Promise<readonly Buffer[] | undefined> {
    // All chunks of one read of the socket are here before the promise that we wait for goes on.
    if (this.#chunks.length === 0 && this.#state === "open")
      await new Promise<void>((resolve) => (this.#waiting = { resolve }));
    if (this.#chunks.length > 0) {
      const chunks = this.#chunks;
      this.#chunks = [];
      this.#unreadBytes = 0;
      if (this.#controller?.paused === true) this.#controller.resume();
      return chunks;
    }
    if (this.#error !== undefined) throw this.#error.reason;
    return undefined;
  }

  cancel(): void {
    this.#chunks = [];
    this.fail(new Error("nobody reads on"));
  }

  expectEndSoon(): void {
    if (this.#state === "open")
      this.#unhurried ??= this.#hooks.ends.add(() => this.fail(new EndTimeout()));
  }

  release(): void {
    if (this.#state !== "open") return;
    this.#state = "released";
    this.#chunks = [];
    this.#unreadBytes = 0;
    if (this.#controller?.paused === true) this.#controller.resume();
    this.#unlingered = this.#hooks.lingers.add(() => this.cancel());
    this.#wake();
  }

  #over(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#signal.removeEventListener("abort", this.#aborted);
    this.#untimed?.();
    this.#unhurried?.();
    this.#unlingered?.();
    if (this.#error !== undefined) {
      // After the head only readers of the body learn it, from #error.
      this.#started.promise.catch(() => {});
      this.#started.reject(this.#error.reason);
    }
    this.#wake();
    this.#hooks.closed();
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}
