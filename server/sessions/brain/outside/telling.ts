// Between the steps of a session that are under way and its log: what they tell, and what ends them.
import type { World } from "../../../../kernel/context.ts";
import { read } from "../../../../kernel/log/log.ts";
import { threadNamedIn } from "../../conversation/events.ts";
import { limits } from "../../limits.ts";
import type { Thread } from "../../steps/thread.ts";
import type { Came } from "./context.ts";

/** Also where a client has sent it since the thread was read. */
export async function isInterrupted({ db, logger }: World, thread: Thread): Promise<boolean> {
  const types = ["user.interrupt", "session.thread_status_terminated"];
  try {
    const after = thread.state.position;
    const found = await read(db, thread.id, { after, types, limit: limits.threadsMax });
    // Those of other threads are told in the session's own too.
    return found.some(({ data }) => (threadNamedIn(data) ?? thread.id) === thread.id);
  } catch (error) {
    logger.warn({ error, thread: thread.id }, "an interrupt may be late");
    return false;
  }
}

/** What a step that goes on has to tell. */
export interface Told {
  thread: Thread;
  came: Came;
  written: PromiseWithResolvers<void>;
}

export class Telling {
  readonly #told: Told[] = [];
  #heard = Promise.withResolvers<void>();
  readonly #wake: () => void;

  constructor(wake: () => void) {
    this.#wake = wake;
  }

  /** Rejects where it cannot be written any more. */
  tell(thread: Thread, came: Came): Promise<void> {
    const written = Promise.withResolvers<void>();
    this.#told.push({ thread, came, written });
    this.#wake();
    return written.promise;
  }

  /** Resolves when a client has sent something. */
  get heard(): Promise<void> {
    return this.#heard.promise;
  }

  hear(): void {
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }

  /** Answers whether there was something. */
  async writeNext(write: (told: Told) => Promise<unknown>): Promise<boolean> {
    const told = this.#told.shift();
    if (told === undefined) return false;
    try {
      await write(told);
    } catch (error) {
      told.written.reject(error);
      throw error;
    }
    told.written.resolve();
    return true;
  }

  end(reason: Error): void {
    for (const { written } of this.#told.splice(0)) written.reject(reason);
  }
}
