// A call of the server behind a bridge, over as many rounds with its client as the server has questions.
import type { ClientCapabilities, LoggingLevel, Progress } from "@modelcontextprotocol/client";
import type { Clock } from "../../kernel/base/clock.ts";
import { systemRandom } from "../../kernel/base/random.ts";
import { brokenOff, type Caller, type QuestionMethod, type ServerQuestion } from "./session.ts";
import { limits } from "./limits.ts";
import type { Lease, Upstreams } from "./upstreams.ts";

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

export interface HeldCall {
  id: string;
  /** How many times its client was asked. */
  rounds: number;
  questions(): Questions;
  /** Until the server has answered or asks. Throws `CallEnded`, and what the packages throw. */
  next(round: Round): Promise<Outcome>;
  answer(answers: Record<string, object>): void;
}

export type Calls = ReturnType<typeof makeCalls>;

interface Settings {
  clock: Clock;
  callMs: number;
  heldMs: number;
}

export function makeCalls(upstreams: Upstreams, settings: Settings) {
  const held = new Map<string, HeldCall>();
  return {
    /** The call that waits for the answers of this round. */
    waiting(id: string, rounds: number): HeldCall | undefined {
      const call = held.get(id);
      return call?.rounds === rounds ? call : undefined;
    },
    /** Each round is answered once. */
    goOn(call: HeldCall, answers: Record<string, object>): void {
      held.delete(call.id);
      call.answer(answers);
    },
    /** A session that the server has forgotten took nothing: the request is made once more, in another. */
    async begin(
      caller: Caller,
      request: PassedRequest,
      { isOwn, level }: { isOwn: boolean; level: LoggingLevel | undefined },
    ): Promise<HeldCall> {
      const lease = await upstreams.lease(caller, isOwn);
      try {
        if (isOwn && level !== undefined) await lease.session.logFrom(level);
      } catch (error) {
        lease.release();
        throw error;
      }
      const again = () => upstreams.lease(caller, isOwn);
      return startCall(lease, request, { ...settings, held, isOwn, again });
    },
  };
}

interface Starting extends Settings {
  held: Map<string, HeldCall>;
  isOwn: boolean;
  again(): Promise<Lease>;
}

function startCall(first: Lease, request: PassedRequest, starting: Starting): HeldCall {
  const { clock, held, isOwn } = starting;
  const giveUp = new AbortController();
  const waiting = new Map<string, Waiting>();
  let round: Round | undefined;
  let asked = 0;
  let timer = new AbortController();
  let proceed = () => {};

  const within = (ms: number, kind: CallEnded["kind"]) => {
    timer.abort();
    const current = (timer = new AbortController());
    void clock
      .sleep(ms, current.signal)
      .then((slept) => slept && giveUp.abort(new CallEnded(kind)));
  };
  const works = () => within(starting.callMs, "slow");
  const listener = {
    ask: (question: ServerQuestion) =>
      new Promise<object>((answer, refuse) => {
        const key = `q${(asked += 1)}`;
        waiting.set(key, { ...question, answer, refuse });
        question.signal.addEventListener("abort", () => waiting.delete(key), { once: true });
        proceed();
      }),
    log: (message: Parameters<Round["log"]>[0]) => round?.log(message),
  };

  async function send(lease: Lease): Promise<object> {
    const { session } = lease;
    if (isOwn) session.listener = listener;
    try {
      return await session.client.request(request as never, {
        signal: giveUp.signal,
        // Time is measured here: it stands still while a person is asked.
        timeout: foreverMs,
        onprogress: (progress) => {
          if (waiting.size === 0) works();
          round?.progress?.(progress);
        },
      });
    } catch (error) {
      if (giveUp.signal.aborted) throw giveUp.signal.reason;
      if (session.isEnded || isBrokenOff(error)) throw new CallEnded("ended");
      throw error;
    } finally {
      if (session.listener === listener) session.listener = undefined;
    }
  }

  async function work(): Promise<object> {
    try {
      return await send(first);
    } catch (error) {
      if (!first.session.hasId || !isNotFound(error)) throw error;
      first.forget();
    } finally {
      first.release();
    }
    const second = await starting.again();
    try {
      return await send(second);
    } finally {
      second.release();
    }
  }

  works();
  const outcome = work().finally(() => {
    timer.abort();
    held.delete(call.id);
    for (const { refuse } of waiting.values()) refuse(new Error("The call has ended."));
  });
  // It may end while no client waits.
  outcome.catch(() => {});
  const call: HeldCall = {
    id: systemRandom.bytes(16).toString("hex"),
    rounds: 0,
    questions: () =>
      Object.fromEntries(
        [...waiting].map(([key, { method, params }]) => [key, { method, params }] as const),
      ),
    async next(given) {
      const cancel = () => giveUp.abort(given.signal.reason);
      if (given.signal.aborted) cancel();
      given.signal.addEventListener("abort", cancel, { once: true });
      round = given;
      try {
        const isAsking = new Promise<void>((resolve) => {
          proceed = resolve;
          if (waiting.size > 0) resolve();
        });
        const result = await Promise.race([outcome, isAsking]);
        if (result !== undefined) return { result };
        call.rounds += 1;
        held.set(call.id, call);
        within(starting.heldMs, "unanswered");
        return { questions: call.questions() };
      } finally {
        round = undefined;
        given.signal.removeEventListener("abort", cancel);
      }
    },
    answer(answers) {
      for (const [key, answer] of Object.entries(answers)) {
        waiting.get(key)?.answer(answer);
        waiting.delete(key);
      }
      if (waiting.size === 0) works();
    },
  };
  return call;
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
