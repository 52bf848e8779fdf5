// A call of the server behind a bridge, over as many rounds with its client as the server has questions.
import type { ClientCapabilities, LoggingLevel, Progress } from "@modelcontextprotocol/client";
import type { Clock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import {
  brokenOff,
  type CallListener,
  type Caller,
  type QuestionMethod,
  type ServerQuestion,
} from "./behind/session.ts";
import { limits } from "./limits.ts";
import type { Lease, Upstreams } from "./behind/upstreams.ts";

export interface PassedRequest {
  method: string;
  params: Record<string, unknown>;
}

/** The client's side of one round. */
export interface Round {
  signal: AbortSignal;
  progress: ((progress: Progress) => void) | undefined;
  log(message: { level: LoggingLevel; data: unknown; logger?: string | undefined }): void;
}

export type Questions = Record<string, { method: QuestionMethod; params: object }>;
export type Outcome = { result: object } | { questions: Questions };

/** How a call ended that the server did not answer. */
export class CallEnded extends Error {
  readonly kind: "ended" | "slow" | "unanswered";
  constructor(kind: CallEnded["kind"]) {
    super(kind);
    this.kind = kind;
  }
}

interface Waiting extends ServerQuestion {
  answer(answer: object): void;
  refuse(error: Error): void;
}

interface Settings {
  clock: Clock;
  callMs: number;
  heldMs: number;
}

/** What a bridge has under way, and what of it waits for its clients. */
export class Calls {
  readonly #upstreams: Upstreams;
  readonly #settings: Settings;
  readonly #held = new Map<string, Call>();

  constructor(upstreams: Upstreams, settings: Settings) {
    this.#upstreams = upstreams;
    this.#settings = settings;
  }

  /** An own session is one in which the server can ask and log. */
  async begin(
    caller: Caller,
    request: PassedRequest,
    { isOwn, level }: { isOwn: boolean; level: LoggingLevel | undefined },
  ): Promise<Call> {
    const lease = () => this.#upstreams.lease(caller, isOwn);
    const first = await lease();
    try {
      if (isOwn && level !== undefined) await first.session.logFrom(level);
    } catch (error) {
      first.release();
      throw error;
    }
    return new Call(request, { first, lease, isOwn, held: this.#held, ...this.#settings });
  }

  /** The call that waits for the answers of this round. */
  waiting(id: string, rounds: number): Call | undefined {
    const call = this.#held.get(id);
    return call?.rounds === rounds ? call : undefined;
  }

  /** Each round is answered once. */
  goOn(call: Call, answers: Record<string, object>): void {
    this.#held.delete(call.id);
    call.answer(answers);
  }
}

interface CallOptions extends Settings {
  first: Lease;
  lease(): Promise<Lease>;
  isOwn: boolean;
  held: Map<string, Call>;
}

export class Call {
  readonly id = systemRandom.bytes(16).toString("hex");
  /** How many times its client was asked. */
  rounds = 0;
  readonly #request: PassedRequest;
  readonly #options: CallOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #giveUp = new AbortController();
  readonly #outcome: Promise<object>;
  #asked = 0;
  #round: Round | undefined;
  #timer = new AbortController();
  #onQuestion = () => {};

  constructor(request: PassedRequest, options: CallOptions) {
    this.#request = request;
    this.#options = options;
    this.#works();
    this.#outcome = this.#work();
    // It may end while no client waits.
    this.#outcome.catch(() => {});
  }

  questions(): Questions {
    const all = [...this.#waiting].map(
      ([key, { method, params }]) => [key, { method, params }] as const,
    );
    return Object.fromEntries(all);
  }

  /** Until the server has answered or asks. Throws `CallEnded`, and what the packages throw. */
  async next(round: Round): Promise<Outcome> {
    const { signal } = round;
    const cancel = () => this.#giveUp.abort(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });
    this.#round = round;
    try {
      const result = await Promise.race([this.#outcome, this.#asks()]);
      if (result !== undefined) return { result };
      this.rounds += 1;
      this.#options.held.set(this.id, this);
      this.#within(this.#options.heldMs, "unanswered");
      return { questions: this.questions() };
    } finally {
      this.#round = undefined;
      signal.removeEventListener("abort", cancel);
    }
  }

  answer(answers: Record<string, object>): void {
    for (const [key, answer] of Object.entries(answers)) {
      this.#waiting.get(key)?.answer(answer);
      this.#waiting.delete(key);
    }
    if (this.#waiting.size === 0) this.#works();
  }

  async #work(): Promise<object> {
    const { first, lease, held } = this.#options;
    try {
      const result = await this.#send(first);
      if (result !== undefined) return result;
      const second = await this.#send(await lease());
      if (second !== undefined) return second;
      throw new CallEnded("ended");
    } finally {
      this.#timer.abort();
      held.delete(this.id);
      for (const { refuse } of this.#waiting.values()) refuse(new Error("The call has ended."));
    }
  }

  /** Undefined where the server has forgotten the session, and has taken nothing. */
  async #send({ session, release, forget }: Lease): Promise<object | undefined> {
    const listener: CallListener = {
      ask: (question) => this.#ask(question),
      log: (message) => this.#round?.log(message),
    };
    if (this.#options.isOwn) session.listener = listener;
    const { signal } = this.#giveUp;
    try {
      return await session.client.request(this.#request as never, {
        signal,
        // Time is measured here: it stands still while a person is asked.
        timeout: foreverMs,
        onprogress: (progress) => {
          if (this.#waiting.size === 0) this.#works();
          this.#round?.progress?.(progress);
        },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (session.isEnded || isBrokenOff(error)) throw new CallEnded("ended");
      if (!session.hasId || !isNotFound(error)) throw error;
      forget();
      return undefined;
    } finally {
      if (session.listener === listener) session.listener = undefined;
      release();
    }
  }

  #ask(question: ServerQuestion): Promise<object> {
    return new Promise((answer, refuse) => {
      const key = `q${(this.#asked += 1)}`;
      this.#waiting.set(key, { ...question, answer, refuse });
      question.signal.addEventListener("abort", () => this.#waiting.delete(key), { once: true });
      this.#onQuestion();
    });
  }

  /** Until there are questions: what a server asks at once comes one after the other. */
  async #asks(): Promise<void> {
    do {
      if (this.#waiting.size === 0) await new Promise<void>((asked) => (this.#onQuestion = asked));
      await this.#options.clock.sleep(limits.gatherMs);
    } while (this.#waiting.size === 0);
  }

  #works(): void {
    this.#within(this.#options.callMs, "slow");
  }

  #within(ms: number, kind: CallEnded["kind"]): void {
    this.#timer.abort();
    this.#timer = new AbortController();
    void this.#endAfter(ms, kind, this.#timer.signal);
  }

  async #endAfter(ms: number, kind: CallEnded["kind"], signal: AbortSignal): Promise<void> {
    if (await this.#options.clock.sleep(ms, signal)) this.#giveUp.abort(new CallEnded(kind));
  }
}

const foreverMs = 2 ** 31 - 1;

const isBrokenOff = (error: unknown) => (error as { data?: unknown }).data === brokenOff;
const isNotFound = (error: unknown) => (error as { status?: unknown }).status === 404;

/** What a client can be asked, as it said. */
export function askable({ elicitation, sampling, roots }: ClientCapabilities = {}) {
  return {
    ...(elicitation !== undefined && { elicitation }),
    ...(sampling !== undefined && { sampling }),
    ...(roots !== undefined && { roots }),
  };
}
