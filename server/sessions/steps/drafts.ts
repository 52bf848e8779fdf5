// What is about to be appended to the threads of a session, in one transaction: the states have it already.
import type { NewEvent, ProcessedEvent } from "../../../kernel/log/log.ts";
import { step } from "../conversation/fold.ts";
import type { ThreadState } from "../conversation/state.ts";
import type { OutcomeRow } from "../queries.ts";
import { sessionStatus } from "./session-status.ts";
import type { Thread } from "./thread.ts";
import { waitingCalls } from "./waiting-calls.ts";

export class Draft {
  readonly thread: Thread;
  /** Where the thread's log must stand. */
  readonly from: number;
  readonly events: NewEvent[] = [];
  /** Inputs that are taken. */
  readonly processed: ProcessedEvent[] = [];
  /** As they stand now, by their ids. */
  readonly outcomes = new Map<string, OutcomeRow>();
  /** What the servers of calls want back, sealed, by the calls; null where nothing is to be kept any more. */
  readonly questionStates = new Map<string, string | null>();

  /** As the thread was. */
  readonly before: { status: ThreadState["status"]; calls: string };

  constructor(thread: Thread) {
    this.thread = thread;
    this.before = { status: thread.state.status, calls: waitingCalls(thread.state) };
    this.from = thread.state.position;
  }

  get state(): ThreadState {
    return this.thread.state;
  }

  add(...events: readonly NewEvent[]): void {
    const { state } = this.thread;
    for (const event of events) {
      this.events.push(event);
      const { id = null, type, data } = event;
      step(state, { position: state.position + 1, id, event: { type, ...data } });
    }
  }

  take(inputs: readonly { position: number }[], at: Date): void {
    const stream = this.thread.id;
    this.processed.push(...inputs.map(({ position }) => ({ stream, position, at })));
  }
}

/** One draft for each thread that something is appended to. */
export class SessionDrafts {
  readonly #drafts = new Map<Thread, Draft>();
  readonly primary: Draft;
  readonly #threads: Thread[];
  /** Of the session, before anything is added. */
  readonly statusBefore: ThreadState["status"];
  /** What its clients had been told then. */
  readonly toldBefore: ThreadState["status"];

  constructor(primary: Thread, threads: readonly Thread[]) {
    this.#threads = [...threads];
    this.statusBefore = sessionStatus(threads.map(({ state }) => state));
    this.primary = this.of(primary);
    this.toldBefore = this.statusTold;
  }

  /** What its clients have been told last. */
  get statusTold(): ThreadState["status"] {
    return this.primary.state.sessionStatus;
  }

  /** All of the session, those that begin with what is drafted among them. */
  get threads(): readonly Thread[] {
    return this.#threads;
  }

  begin(thread: Thread): void {
    this.#threads.push(thread);
  }

  of(thread: Thread): Draft {
    const known = this.#drafts.get(thread);
    if (known !== undefined) return known;
    const draft = new Draft(thread);
    this.#drafts.set(thread, draft);
    return draft;
  }

  all(): Draft[] {
    return [...this.#drafts.values()];
  }
}
