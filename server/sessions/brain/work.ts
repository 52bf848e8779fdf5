// Works on one session: what its threads need next is done, and what came of it appended, until there is nothing to do.
import { isFailure } from "../../../kernel/base/failure.ts";
import type { World } from "../../../kernel/context.ts";
import type { Held } from "../../../kernel/work/hold.ts";
import { LeaseLost, type Lease } from "../../../kernel/work/lease.ts";
import { newEventId, visible } from "../events/drafts.ts";
import { limits } from "../limits.ts";
import { describeFailure, isDatabaseAway, isDatabaseLost, pauseAfter } from "../model/failures.ts";
import type { WorkedSession } from "../model/queries.ts";
import { membersOf, type Member } from "../model/members.ts";
import { SessionDrafts } from "../steps/drafts.ts";
import type { Came } from "./outside/context.ts";
import { doStep, unwritten } from "./outside/outside.ts";
import { isInterrupted, Telling, type Told } from "./outside/telling.ts";
import type { ClaimedSession } from "./queries.ts";
import type { WriteSession } from "./write.ts";
import { closeSpan } from "../steps/spans.ts";
import { addFailure, advance, type OutsideStep } from "../steps/steps.ts";
import { usageSnapshot } from "../steps/usage.ts";
import { contextOf } from "../steps/context.ts";
import type { StateCache } from "./state-cache.ts";
import { Thread } from "../steps/thread.ts";

type HeldSession = Held<ClaimedSession & Lease>;

/** What the sessions of one process share. */
export interface BrainTools {
  states: StateCache;
  load: (id: string) => Promise<WorkedSession | undefined>;
  write: WriteSession;
}

/** Something outside that is under way. */
interface Calling {
  abort: AbortController;
  done: Promise<void>;
}

export class SessionWork {
  readonly #world: World;
  readonly #held: HeldSession;
  /** The session's own first. */
  #threads: readonly Thread[] = [];
  /** As it was when it was last read. */
  #session: WorkedSession | undefined;
  #members: Member[] | undefined;
  /** Threads that are to be looked at. */
  readonly #todo = new Set<Thread>();
  readonly #came = new Map<Thread, Came>();
  readonly #calling = new Map<Thread, Calling>();
  readonly #telling = new Telling(() => this.#wake());
  #woken = Promise.withResolvers<void>();

  readonly #brain: BrainTools;
  #usageToldMs: number;

  constructor(world: World, held: HeldSession, brain: BrainTools) {
    this.#world = world;
    this.#brain = brain;
    this.#held = held;
    this.#usageToldMs = world.clock.monotonicMs();
    held.signal.addEventListener("abort", () => this.#wake());
  }

  /** A client has sent something, or changed the session. */
  heard(): void {
    this.#session = undefined;
    for (const thread of this.#threads) this.#look(thread);
    this.#telling.hear();
    void this.#endInterrupted([...this.#calling]);
    this.#wake();
  }

  #wake(): void {
    this.#woken.resolve();
    this.#woken = Promise.withResolvers();
  }

  #look(thread: Thread): void {
    thread.markBehind();
    this.#todo.add(thread);
  }

  /** Resolves when there is nothing to do, or when the session is another process'. */
  async run(): Promise<void> {
    const { logger } = this.#world;
    try {
      await this.#open();
      while (!(await this.#turn())) this.#held.signal.throwIfAborted();
    } catch (error) {
      for (const thread of this.#threads) thread.reset();
      if (error instanceof LeaseLost || this.#held.signal.aborted) return;
      // The lease lapses, and another process goes on from the log.
      logger.error({ error, session: this.#held.lease.id }, "the work on a session failed");
    } finally {
      for (const { abort } of this.#calling.values()) abort.abort(ended);
      this.#telling.end(ended);
      await Promise.all([...this.#calling.values()].map(({ done }) => done));
      for (const thread of this.#threads) thread.keep();
      // What is lost is not ours to give back, and what is stopped the holder gives back.
      if (!this.#held.signal.aborted) this.#held.end();
    }
  }

  async #open(): Promise<void> {
    const { threads } = await this.#load();
    this.#threads = threads.map((each) => new Thread(this.#world, each, this.#brain.states));
    for (const thread of this.#threads) this.#todo.add(thread);
    if (this.#threads.length === 0) throw new LeaseLost("session", this.#held.lease);
  }

  /** True when the session was given back. */
  async #turn(): Promise<boolean> {
    const woken = this.#woken.promise;
    if (await this.#telling.writeNext((told) => this.#write(told.thread, told))) return false;
    const [first] = this.#threads;
    const thread = [...this.#todo].find((each) => !this.#calling.has(each));
    if (thread === undefined && this.#calling.size > 0) {
      await woken;
      return false;
    }
    const next = thread ?? first;
    if (next === undefined) return true;
    this.#todo.delete(next);
    const step = await this.#write(next);
    if (step === "left") return true;
    if (step.do !== "rest" && step.do !== "wait") this.#begin(next, step);
    return false;
  }

  #begin(thread: Thread, step: OutsideStep): void {
    this.#underWay(thread, new AbortController(), async (signal) => {
      const came = await this.#do(thread, step, signal);
      if (came !== undefined) this.#came.set(thread, came);
    });
    // Something came while the beginning was written: this call was not there to be ended by it.
    const calling = this.#calling.get(thread);
    if (calling !== undefined && this.#todo.has(thread))
      void this.#endInterrupted([[thread, calling]]);
  }

  /** The thread is looked at again when it is done, which an interrupt makes it sooner. */
  #underWay(
    thread: Thread,
    abort: AbortController,
    act: (signal: AbortSignal) => Promise<void>,
  ): void {
    const { signal } = this.#held;
    const stop = () => abort.abort(ended);
    signal.addEventListener("abort", stop);
    const run = async () => {
      await act(abort.signal);
      signal.removeEventListener("abort", stop);
      this.#calling.delete(thread);
      this.#todo.add(thread);
      this.#wake();
    };
    this.#calling.set(thread, { abort, done: run() });
  }

  /** Never rejects. Undefined where the session is no longer ours. */
  async #do(thread: Thread, step: OutsideStep, signal: AbortSignal): Promise<Came | undefined> {
    const { clock, logger } = this.#world;
    try {
      const session = await this.#load();
      const members = await this.#loadMembers(session);
      return await doStep(this.#world, step, {
        session,
        members,
        thread,
        signal,
        tell: (came) => this.#telling.tell(thread, came),
        heard: () => this.#telling.heard,
      });
    } catch (error) {
      if (this.#held.signal.aborted || error instanceof LeaseLost) return undefined;
      if (signal.aborted) return closeSpan;
      if (isDatabaseAway(error)) {
        await clock.sleep(limits.awayMs, this.#held.signal);
        // A call has not begun: it would be told as one whose outcome is unknown.
        return step.do === "run_tool" ? await this.#do(thread, step, signal) : closeSpan;
      }
      const failure = describeFailure(error);
      if (failure.type === "unknown_error")
        logger.error({ error, session: this.#held.lease.id }, "a model could not be asked");
      return (draft, context) => (addFailure(draft, context, failure) ? "later" : undefined);
    }
  }

  async #load(): Promise<WorkedSession> {
    const session = this.#session ?? (await this.#brain.load(this.#held.lease.id));
    if (session === undefined) throw new LeaseLost("session", this.#held.lease);
    return (this.#session = session);
  }

  async #loadMembers({ workspaceId, agent }: WorkedSession): Promise<Member[]> {
    return (this.#members ??= await membersOf(this.#world.db, workspaceId, agent));
  }

  /** Appends what came of a thread's last step and all that follows from it; answers what is to be done next. */
  async #write(thread: Thread, told?: Told): Promise<OutsideStep | "left"> {
    let came = told === undefined ? this.#came.get(thread) : told.came;
    for (;;) {
      try {
        const step = await this.#writeOnce(thread, came, told !== undefined);
        if (told === undefined) this.#came.delete(thread);
        return step;
      } catch (error) {
        for (const each of this.#threads) {
          each.reset();
          // What came first may be for any of them, and its hint may come late or never.
          if (each !== thread) this.#todo.add(each);
        }
        this.#session = undefined;
        const isBehind = isFailure(error) && error.status === 409;
        const isAway = isDatabaseLost(error);
        if (this.#held.signal.aborted || error instanceof LeaseLost) throw error;
        if (!isBehind && !isAway) {
          if (came === undefined || came === unwritten || told !== undefined) throw error;
          // Asked again the model would say it again, and be paid again.
          // One that is too large is the model's doing; all else is ours.
          const level = isFailure(error) ? "warn" : "error";
          this.#world.logger[level](
            { error, session: this.#held.lease.id },
            "an answer could not be kept",
          );
          came = unwritten;
        }
        if (isAway) await this.#world.clock.sleep(limits.awayMs, this.#held.signal);
      }
    }
  }

  async #writeOnce(
    thread: Thread,
    came: Came | undefined,
    goesOn: boolean,
  ): Promise<OutsideStep | "left"> {
    const [primary] = this.#threads;
    if (primary === undefined) return "left";
    const session = await this.#load();
    const members = await this.#loadMembers(session);
    for (const each of this.#threads) await each.catchUp();
    const drafts = new SessionDrafts(primary, this.#threads);
    const context = contextOf(this.#world, { drafts, session, members, thread });
    const draft = drafts.of(thread);
    // What comes too late for a thread that has ended is dropped; what it cost is in the ledger.
    const isOver = draft.state.status === "terminated";
    const later = isOver ? undefined : (came?.(draft, context) ?? undefined);
    if (came !== undefined && later === undefined) this.#tellUsage(drafts, session);
    const step: OutsideStep =
      later === undefined && !goesOn ? advance(draft, context) : { do: "rest" };
    const touched = drafts.all().filter((each) => each !== draft && each.events.length > 0);
    const isIdle = step.do === "rest" || step.do === "wait";
    const isLast =
      isIdle && touched.length === 0 && this.#todo.size === 0 && this.#calling.size === 0;
    const pauseMs =
      later === "later" ? pauseOf(thread, this.#world.random.fraction()) : later?.pauseMs;
    await this.#brain.write({ held: this.#held, drafts, session, isLast, pauseMs });
    this.#threads = drafts.threads;
    for (const each of touched) {
      this.#todo.add(each.thread);
      if (each.state.isInterrupted) this.#calling.get(each.thread)?.abort.abort(ended);
    }
    if (isLast) return "left";
    if (pauseMs !== undefined) this.#pause(thread, pauseMs);
    return step;
  }

  /** Those who look at a turn that takes long see what it costs. */
  #tellUsage({ primary }: SessionDrafts, session: WorkedSession): void {
    const { ids, clock } = this.#world;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#usageToldMs < limits.usageEveryMs) return;
    this.#usageToldMs = nowMs;
    primary.add(visible(newEventId(ids), usageSnapshot(this.#world, session), clock.now()));
  }

  /** Others of the session go on meanwhile. */
  #pause(thread: Thread, ms: number): void {
    this.#underWay(thread, new AbortController(), async (signal) => {
      await this.#world.clock.sleep(ms, signal);
    });
  }

  /** All at once: a call that waits for that of another thread must not begin because that one is ended first. */
  async #endInterrupted(callings: readonly (readonly [Thread, Calling])[]): Promise<void> {
    const areEnded = await Promise.all(
      callings.map(([thread]) => isInterrupted(this.#world, thread)),
    );
    for (const [at, [, { abort }]] of callings.entries()) if (areEnded[at]) abort.abort(ended);
  }
}

/** Made once: an abort without a reason makes an exception with a stack. */
const ended = new Error("the call was interrupted");

const pauseOf = ({ state, failure }: Thread, fraction: number): number =>
  pauseAfter(state.turn?.failures ?? 1, failure?.retryAfterMs ?? 0, fraction);
