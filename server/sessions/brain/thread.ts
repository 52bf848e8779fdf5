// A thread as its brain has it: the state that its log leads to, and what is appended to both at once.
import type { World } from "../../../kernel/context.ts";
import { conflict, isFailure } from "../../../kernel/base/failure.ts";
import {
  append,
  head,
  isFullPage,
  readPage,
  recordProcessed,
  type NewEvent,
  type StoredEvent,
} from "../../../kernel/log/log.ts";
import { foldStream } from "../../../kernel/log/snapshots.ts";
import type { Tx } from "../../../kernel/sql/database.ts";
import type { LoggedEvent } from "../conversation/events.ts";
import { foldKind, step } from "../conversation/fold.ts";
import { emptyThread, type ThreadState } from "../conversation/state.ts";

export class Thread {
  readonly id: string;
  readonly #world: World;
  #state: ThreadState = emptyThread();
  /** Somebody else may have appended. */
  #isBehind = true;

  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
  }

  get state(): ThreadState {
    return this.#state;
  }

  markBehind(): void {
    this.#isBehind = true;
  }

  /** Reads what is new. */
  async catchUp(): Promise<void> {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    if (this.#state.position === 0) this.#state = await foldThread(this.#world, this.id);
    else await this.#readNew();
  }

  async #readNew(): Promise<void> {
    for (;;) {
      const page = await readPage(this.#world.db, this.id, { after: this.#state.position });
      for (const stored of page) step(this.#state, loggedOf(stored));
      if (!isFullPage(page)) return;
    }
  }

  /**
   * Appends what `build` makes of the state, with what `more` writes beside it, in one transaction. The state has it
   * then; where somebody else was faster, what they appended is read first, and it is built anew.
   */
  async write(
    build: (draft: Draft) => void,
    more: (tx: Tx, draft: Draft) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      await this.catchUp();
      const draft = new Draft(this.#state);
      const from = this.#state.position;
      try {
        build(draft);
        await this.#world.db.tx(async (tx) => {
          await more(tx, draft);
          if (draft.events.length > 0)
            await append(tx, this.#world, this.id, draft.events, { expectedPosition: from });
          // Who finds nothing to do must have read all: what came meanwhile would wait for ever.
          else if ((await head(tx, this.id)) !== from)
            throw conflict(`${this.id} has events behind ${from}.`);
          if (draft.processed.length > 0)
            await recordProcessed(tx, this.id, draft.processed, this.#world.clock.now());
        });
        return;
      } catch (error) {
        // The state has steps that the log has not.
        this.#state = emptyThread();
        this.#isBehind = true;
        if (!isFailure(error) || error.status !== 409) throw error;
      }
    }
  }
}

/** Steps that the state has taken already, and the log takes next. */
export class Draft {
  readonly state: ThreadState;
  readonly events: NewEvent[] = [];
  /** Positions of inputs that are taken. */
  readonly processed: number[] = [];

  constructor(state: ThreadState) {
    this.state = state;
  }

  add(...events: readonly NewEvent[]): void {
    for (const event of events) {
      this.events.push(event);
      const { id = null, type, data } = event;
      step(this.state, { position: this.state.position + 1, id, event: { type, ...data } });
    }
  }

  take(inputs: readonly { position: number }[]): void {
    this.processed.push(...inputs.map(({ position }) => position));
  }
}

/** From the latest snapshot on. */
async function foldThread(world: World, id: string): Promise<ThreadState> {
  const { state } = await foldStream(world, id, {
    kind: foldKind,
    initial: emptyThread(),
    step: (to, stored) => step(to, loggedOf(stored)),
  });
  return state;
}

const loggedOf = ({ position, id, type, data }: Omit<StoredEvent, "processedAt">): LoggedEvent => ({
  position,
  id,
  event: { type, ...(data as object) },
});
