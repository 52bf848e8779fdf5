// A thread as its brain has it: the state that its log leads to.
import type { World } from "../../../kernel/context.ts";
import { isFullPage, readPage, type StoredEvent } from "../../../kernel/log/log.ts";
import { foldStream } from "../../../kernel/log/snapshots.ts";
import type { LoggedEvent } from "../conversation/events.ts";
import { foldKind, step } from "../conversation/fold.ts";
import { emptyThread, type ThreadState } from "../conversation/state.ts";
import type { ThreadFacts } from "../threads/queries.ts";
import type { StateCache } from "../brain/state-cache.ts";
import type { ModelFailure } from "../model/failures.ts";

export class Thread {
  readonly facts: ThreadFacts;
  readonly #world: World;
  #state: ThreadState;
  /** A client or another process may have appended. */
  #isBehind = true;
  /** The newest. */
  failure: ModelFailure | undefined;

  readonly #cache: StateCache;

  constructor(world: World, facts: ThreadFacts, cache: StateCache) {
    this.#world = world;
    this.facts = facts;
    this.#cache = cache;
    this.#state = cache.take(facts.id) ?? emptyThread(facts.id);
  }

  /** For the next turn, when this one is over and all of it stands in the log. */
  keep(): void {
    if (this.#state.position > 0) this.#cache.keep(this.#state);
  }

  get cache(): StateCache {
    return this.#cache;
  }

  get id(): string {
    return this.facts.id;
  }

  get state(): ThreadState {
    return this.#state;
  }

  markBehind(): void {
    this.#isBehind = true;
  }

  /** The state has steps that the log has not: it is made anew. */
  reset(): void {
    this.#state = emptyThread(this.id);
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
}

/** From the latest snapshot on. */
async function foldThread(world: World, id: string): Promise<ThreadState> {
  const { state } = await foldStream(world, id, {
    kind: foldKind,
    initial: emptyThread(id),
    step: (to, stored) => step(to, loggedOf(stored)),
  });
  return state;
}

const loggedOf = ({ position, id, type, data }: Omit<StoredEvent, "processedAt">): LoggedEvent => ({
  position,
  id,
  event: { type, ...(data as object) },
});
