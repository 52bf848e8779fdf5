// Works on one session: what its thread needs next is done, and what came of it appended, until there is nothing to do.
import type { World } from "../../../kernel/context.ts";
import { read } from "../../../kernel/log/log.ts";
import type { Queryable, Tx } from "../../../kernel/sql/database.ts";
import type { Held } from "../../../kernel/work/hold.ts";
import { LeaseLost } from "../../../kernel/work/lease.ts";
import { catalogOf, type Block, type Message } from "../../models/module.ts";
import { promptOf } from "../conversation/prompt.ts";
import type { ThreadState } from "../conversation/state.ts";
import { shownTurns, textTurn } from "../conversation/turns.ts";
import { publishPreview } from "../events/previews.ts";
import { limits } from "../limits.ts";
import { setCalls, setStatus } from "../events/queries.ts";
import { sessionAccounting } from "../model/accounting.ts";
import { actorOf } from "../model/actor.ts";
import { AnswerEvents } from "../model/answer-events.ts";
import { askModel } from "../model/ask-model.ts";
import { promptConfigOf } from "../model/config.ts";
import { describeFailure, isDatabaseAway, type ModelFailure } from "../model/failures.ts";
import { gradeWork, type Grade } from "../model/grading.ts";
import { loadSession, type WorkedSession } from "../model/queries.ts";
import type { ClaimedSession } from "./queries.ts";
import { addAnswer } from "./answers.ts";
import {
  addAborted,
  addFailure,
  addGraded,
  addSummary,
  advance,
  type OutsideStep,
  type StepContext,
} from "./steps.ts";
import { Thread, type Draft } from "./thread.ts";
import { openCallsOf, waitingCalls } from "./waiting-calls.ts";
import { offeredTools } from "../model/tools.ts";

type HeldSession = Held<ClaimedSession>;

/** What came of a step outside, as it is to be appended. */
type Came = (draft: Draft, context: StepContext) => "go_on" | "again_later";

export class SessionWork {
  readonly threadId: string;
  readonly #world: World;
  readonly #held: HeldSession;
  readonly #thread: Thread;
  /** As it was when it was last read. */
  #session: WorkedSession | undefined;
  /** What is under way may have to end. */
  #calling: AbortController | undefined;
  #failure: ModelFailure | undefined;

  constructor(world: World, held: HeldSession) {
    this.#world = world;
    this.#held = held;
    this.threadId = held.row.threadId;
    this.#thread = new Thread(world, this.threadId);
  }

  /** Somebody has sent something, or changed the session. */
  heard(): void {
    this.#thread.markBehind();
    this.#session = undefined;
    if (this.#calling !== undefined) void this.#endIfInterrupted(this.#calling);
  }

  /** Resolves when there is nothing to do, or when the session is somebody else's. */
  async run(): Promise<void> {
    const { logger } = this.#world;
    try {
      for (let came: Came | undefined; ;) {
        const step = await this.#write(came ?? nothing);
        if (step === "left") return;
        came = await this.#do(step);
      }
    } catch (error) {
      if (error instanceof LeaseLost || this.#held.signal.aborted) return;
      // The lease lapses, and another process goes on from the log.
      logger.error({ error, session: this.#held.lease.id }, "the work on a session failed");
    } finally {
      this.#held.end();
    }
  }

  async #do(step: OutsideStep): Promise<Came> {
    const calling = new AbortController();
    this.#calling = calling;
    const stop = () => calling.abort(ended);
    this.#held.signal.addEventListener("abort", stop);
    try {
      return await this.#ask(step, calling.signal);
    } catch (error) {
      this.#held.signal.throwIfAborted();
      if (calling.signal.aborted) return aborted;
      if (isDatabaseAway(error)) {
        await this.#world.clock.sleep(limits.awayMs, this.#held.signal);
        return aborted;
      }
      const failure = describeFailure(error);
      if (failure.type === "unknown_error")
        this.#world.logger.error(
          { error, session: this.#held.lease.id },
          "a model could not be asked",
        );
      return this.#failed(failure);
    } finally {
      this.#held.signal.removeEventListener("abort", stop);
      this.#calling = undefined;
    }
  }

  #failed(failure: ModelFailure): Came {
    this.#failure = failure;
    return (draft, context) =>
      addFailure(draft, { ...context, failure }, failure) ? "again_later" : "go_on";
  }

  async #ask(step: OutsideStep, signal: AbortSignal): Promise<Came> {
    const world = this.#world;
    const { state } = this.#thread;
    const session = await this.#load();
    const config = await promptConfigOf(session, { on: world.db, catalog: catalogOf(world) });
    const actor = await actorOf(world, session, signal);
    const accounting = sessionAccounting(this.threadId, dimensionsOf(session), (nano) => {
      session.listAmountNano += nano;
    });
    if (step.do === "grade") {
      const { outcome, turns } = state;
      if (outcome === null) return nothing;
      const { model, maxTokens } = config;
      const grade = await gradeWork(actor, { model, maxTokens, outcome, turns }, accounting);
      return graded(grade);
    }
    if (step.do === "compact") {
      const turns = [...shownTurns(state), textTurn(summaryRequest)];
      const body = promptOf(turns, {
        ...config,
        maxTokens: Math.min(config.maxTokens, limits.summaryTokensMax),
      });
      return summed(await askModel(actor, body, accounting));
    }
    const events = new AnswerEvents(world.ids, (preview) =>
      publishPreview(world, this.threadId, preview),
    );
    const message = await askModel(actor, promptOf(shownTurns(state), config), accounting, events);
    return (draft, context) => {
      addAnswer(draft, context, { message, events });
      return "go_on";
    };
  }

  async #load(on: Queryable = this.#world.db): Promise<WorkedSession> {
    const session = this.#session ?? (await loadSession(on, this.#held.lease.id));
    if (session === undefined) throw new LeaseLost("session", this.#held.lease);
    return (this.#session = session);
  }

  /** Appends what came of the last step and all that follows from it; answers what is to be done next. */
  async #write(came: Came): Promise<OutsideStep | "left"> {
    for (;;) {
      try {
        return await this.#writeOnce(came);
      } catch (error) {
        if (!isDatabaseAway(error) || this.#held.signal.aborted) throw error;
        await this.#world.clock.sleep(limits.awayMs, this.#held.signal);
      }
    }
  }

  async #writeOnce(came: Came): Promise<OutsideStep | "left"> {
    const { ids, clock } = this.#world;
    let step = { do: "rest" } as OutsideStep | "again_later";
    let before = { status: "idle" as ThreadState["status"], calls: "" };
    let session = await this.#load();
    await this.#thread.write(
      (draft) => {
        before = { status: draft.state.status, calls: waitingCalls(draft.state) };
        const context: StepContext = {
          ids,
          now: clock.now(),
          thread: { id: this.threadId, agentName: session.agent.config.name },
          tools: offeredTools(session.agent.config),
          facts: this.#factsOf(session),
          failure: this.#failure,
        };
        step = came(draft, context) === "go_on" ? advance(draft, context) : "again_later";
      },
      async (tx, { state }) => {
        await this.#held.fence(tx);
        session = await this.#load(tx);
        await this.#writeRows(tx, { session, before, state, step });
      },
    );
    return step === "again_later" || step.do === "rest" ? "left" : step;
  }

  async #writeRows(
    tx: Tx,
    {
      session,
      before,
      state,
      step,
    }: {
      session: WorkedSession;
      before: { status: ThreadState["status"]; calls: string };
      state: ThreadState;
      step: OutsideStep | "again_later";
    },
  ): Promise<void> {
    const { clock, random } = this.#world;
    const at = clock.now();
    const place = { sessionId: session.id, threadId: this.threadId };
    if (waitingCalls(state) !== before.calls)
      await setCalls(tx, place, openCallsOf(state, session));
    const row = { id: session.id, threadId: this.threadId };
    if (step === "again_later") {
      const due = new Date(at.getTime() + pauseMs(state, this.#failure, random.fraction()));
      await setStatus(tx, row, { status: state.status, at, due, isGivenBack: true });
    } else if (step.do === "rest")
      await setStatus(tx, row, {
        status: state.status,
        at,
        due: "never",
        isGivenBack: true,
      });
    else if (state.status !== before.status)
      await setStatus(tx, row, { status: state.status, at, due: "as_before" });
  }

  #factsOf({ agent, budgetNano, listAmountNano }: WorkedSession) {
    const window = catalogOf(this.#world).resolve(agent.config.model.id)?.maxInputTokens ?? null;
    return {
      hasHands: false,
      isBudgetReached: budgetNano !== null && listAmountNano >= budgetNano,
      compactAtTokens: window === null ? null : window * limits.compactAtShare,
      nowMs: this.#world.clock.now().getTime(),
    };
  }

  /** What was sent meanwhile is read when the call has ended, unless it ends it. */
  async #endIfInterrupted(calling: AbortController): Promise<void> {
    const { db, logger } = this.#world;
    const { position } = this.#thread.state;
    const types = ["user.interrupt", "session.thread_status_terminated"];
    try {
      const [found] = await read(db, this.threadId, { after: position, types, limit: 1 });
      if (found !== undefined) calling.abort(ended);
    } catch (error) {
      logger.warn({ error, session: this.#held.lease.id }, "an interrupt may be late");
    }
  }
}

/** Made once: an abort without a reason makes an exception with a stack. */
const ended = new Error("the call was interrupted");

const nothing: Came = () => "go_on";
const aborted: Came = (draft, context) => {
  addAborted(draft, context);
  return "go_on";
};

const graded =
  (grade: Grade): Came =>
  (draft, context) => {
    const { outcome } = draft.state;
    if (outcome !== null) addGraded(draft, context, outcome, grade);
    return "go_on";
  };

const summed =
  (message: Message): Came =>
  (draft, context) => {
    addSummary(draft, context, textOf(message.content), message.usage);
    return "go_on";
  };

const summaryRequest =
  "Sum up this conversation so that the work can go on from your summary alone: what was asked, what was done and found, what is open, and every name, path and number that is needed. Write nothing else.";

const textOf = (content: readonly Block[]) =>
  content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : [])).join("\n") ||
  "(nothing is known of what was said before)";

const dimensionsOf = ({ id, agent, deploymentId, environmentId }: WorkedSession) => ({
  sessionId: id,
  agentId: agent.id,
  deploymentId,
  environmentId,
});

/** It doubles, and is spread, so that sessions that failed together do not come back together. */
function pauseMs(
  { turn }: ThreadState,
  failure: ModelFailure | undefined,
  fraction: number,
): number {
  const failures = turn?.failures ?? 1;
  const doubled = Math.min(limits.retryMs * 2 ** (failures - 1), limits.retryMsMax);
  return Math.max(
    doubled * (0.75 + fraction / 2),
    Math.min(failure?.retryAfterMs ?? 0, limits.retryMsMax),
  );
}
