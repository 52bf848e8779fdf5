// What servers of the older revisions ask a person: over the connection of a call, which waits meanwhile.
import { ProtocolError, ProtocolErrorCode, type Client } from "@modelcontextprotocol/client";
import type { World } from "../../../kernel/context.ts";
import { fieldsOf } from "../fields.ts";
import { limits } from "../limits.ts";
import type { Scrub } from "../lists/tools.ts";
import { McpFault } from "../wire.ts";
import { readAsked, type QuestionAnswer } from "./questions.ts";
import type { ServerHelp } from "./help.ts";

/** The time of a call, in which that of a person is not counted. */
export class CallTime {
  readonly #clock: World["clock"];
  readonly #late = new AbortController();
  readonly #callMs: number;
  #leftMs: number;
  #personMs: number = limits.personMsMax;
  #startedMs = 0;
  #isOver = false;
  #running: AbortController | undefined;

  constructor({ clock }: Pick<World, "clock">, callMs: number) {
    this.#clock = clock;
    this.#callMs = callMs;
    this.#leftMs = callMs;
    this.#run();
  }

  /** Aborts when the server has taken too long. */
  get signal(): AbortSignal {
    return this.#late.signal;
  }

  #run(): void {
    const running = new AbortController();
    this.#running = running;
    this.#startedMs = this.#clock.monotonicMs();
    const words = `did not answer within ${this.#callMs / 1000} seconds.`;
    const wait = async () => {
      if (await this.#clock.sleep(this.#leftMs, running.signal))
        this.#late.abort(new McpFault("connection", words));
    };
    void wait();
  }

  #pause(): void {
    this.#running?.abort();
    this.#running = undefined;
  }

  /** The call has ended. */
  end(): void {
    this.#isOver = true;
    this.#pause();
  }

  /** `work` is told when all that persons have in one call is over. */
  async ofPerson<T>(work: (over: AbortSignal) => Promise<T>): Promise<T> {
    this.#pause();
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonicMs() - this.#startedMs));
    const over = new AbortController();
    const done = new AbortController();
    const fromMs = this.#clock.monotonicMs();
    const wait = async () => {
      if (await this.#clock.sleep(this.#personMs, done.signal)) over.abort();
    };
    void wait();
    try {
      return await work(over.signal);
    } finally {
      done.abort();
      this.#personMs = Math.max(0, this.#personMs - (this.#clock.monotonicMs() - fromMs));
      if (!this.#isOver) this.#run();
    }
  }
}

interface OpenCall {
  help: ServerHelp;
  time: CallTime;
  times: number;
  ended: AbortController;
}

/** Of the call that is under way, if one is. */
export class PushedQuestions {
  #call: OpenCall | undefined;
  /** One question at a time is put to a person. */
  #last: Promise<unknown> = Promise.resolve();
  /** Addresses that wait, by the ids that the server has given them. */
  readonly #open = new Map<string, AbortController>();
  readonly #scrub: Scrub;

  constructor(scrub: Scrub) {
    this.#scrub = scrub;
  }

  /** While `work` lasts, which is told when the server has taken too long. */
  async during<T>(
    { help, time }: Pick<OpenCall, "help" | "time">,
    work: (late: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ended = new AbortController();
    this.#call = { help, time, times: 0, ended };
    try {
      return await work(time.signal);
    } finally {
      ended.abort();
      this.#call = undefined;
      time.end();
    }
  }

  listen(client: Client): void {
    client.setRequestHandler("elicitation/create", async (request, { mcpReq }) => ({
      ...(await this.#answer(request.params, mcpReq.signal)),
    }));
    client.setNotificationHandler("notifications/elicitation/complete", ({ params }) =>
      this.#open.get(params.elicitationId)?.abort(),
    );
  }

  async #answer(params: unknown, withdrawn: AbortSignal): Promise<QuestionAnswer> {
    const before = this.#last;
    const answer = before.then(() => this.#ask(params, withdrawn));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #ask(params: unknown, withdrawn: AbortSignal): Promise<QuestionAnswer> {
    const call = this.#call;
    if (call === undefined || withdrawn.aborted || call.times >= limits.pushedPerCallMax)
      return { action: "cancel" };
    call.times += 1;
    const { questions } = this.#read(params);
    const { elicitationId } = fieldsOf(params);
    const completed = new AbortController();
    if (typeof elicitationId === "string") this.#open.set(elicitationId, completed);
    try {
      const answers = await call.time.ofPerson((over) =>
        call.help.ask(
          questions,
          AbortSignal.any([over, withdrawn, completed.signal, call.ended.signal]),
        ),
      );
      const isDone = completed.signal.aborted;
      return answers?.[key] ?? { action: isDone ? "accept" : "cancel" };
    } finally {
      if (typeof elicitationId === "string") this.#open.delete(elicitationId);
    }
  }

  #read(params: unknown) {
    try {
      const request = { method: "elicitation/create", params };
      return readAsked({ inputRequests: { [key]: request } }, this.#scrub);
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The server ${error.message}`);
    }
  }
}

/** Such a server gives its question none. */
const key = "answer";
