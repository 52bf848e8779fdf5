// Sessions with the server behind a bridge: begun when first needed, ended when idle, never more than so many.
import { createHash } from "node:crypto";
import { systemClock, type Clock } from "../../../kernel/base/clock.ts";
import { SandboxError } from "../../sandboxes/module.ts";
import { limits } from "../limits.ts";
import { beginSession, type Behind, type Caller, type Session, type Upstream } from "./session.ts";

interface Place {
  key: string;
  session: Promise<Session>;
  calls: number;
  /** A call is under way whose client may be asked: what the server asks is of that call. */
  isOwned: boolean;
  /** It is ending, or has; it takes no calls, and counts until it has ended. */
  isLeaving: boolean;
  idle: AbortController | undefined;
}

export interface Lease {
  session: Session;
  /** Once, and again without effect. */
  release(): void;
  /** The server has forgotten the session. */
  forget(): void;
}

export class TooManySessions extends Error {}

/** The server cannot be reached, or does not begin a session. */
export class NoSession extends Error {}

interface UpstreamsOptions {
  sessionsMax?: number;
  version?: string;
  clock?: Clock;
}

export class Upstreams {
  readonly #places = new Set<Place>();
  readonly #waiting = new Set<() => void>();
  readonly #behind: Behind;
  readonly #sessionsMax: number;
  #isClosed = false;

  constructor(
    upstream: Upstream,
    { sessionsMax = limits.sessionsMax, version = "0", clock = systemClock }: UpstreamsOptions = {},
  ) {
    this.#behind = { upstream, version, clock };
    this.#sessionsMax = sessionsMax;
  }

  /** With `isOwn`, no other call of that kind is in the session until it is released. */
  async lease(caller: Caller, isOwn: boolean): Promise<Lease> {
    const place = await this.#take(caller, isOwn);
    let isReleased = false;
    const release = () => {
      if (!isReleased) this.#giveBack(place, isOwn);
      isReleased = true;
    };
    try {
      const session = await place.session;
      const forget = () => {
        // Nothing is said to the server: it has no such session.
        session.isEnded = true;
        void this.#retire(place);
      };
      return { session, release, forget };
    } catch (error) {
      this.#leave(place);
      release();
      const why = error instanceof SandboxError ? `: ${error.message}` : ".";
      throw new NoSession(`The server behind this bridge cannot be reached${why}`, {
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await Promise.all([...this.#places].map((place) => this.#retire(place)));
  }

  /** Sessions, those that end included. */
  get count(): number {
    return this.#places.size;
  }

  /** Callers that wait for one. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async #take(caller: Caller, isOwn: boolean): Promise<Place> {
    const { clock } = this.#behind;
    const key = keyOf(caller);
    const untilMs = clock.monotonicMs() + limits.waitMs;
    for (;;) {
      if (this.#isClosed) throw new NoSession("The bridge is ending.");
      const place = this.#find(key, caller, isOwn);
      if (place !== undefined) {
        place.calls += 1;
        place.isOwned ||= isOwn;
        place.idle?.abort();
        return place;
      }
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) throw new TooManySessions(tooMany(this.#sessionsMax));
      await this.#change(leftMs);
    }
  }

  /** Undefined where there is no room now. */
  #find(key: string, caller: Caller, isOwn: boolean): Place | undefined {
    const all = [...this.#places].filter(({ isLeaving }) => !isLeaving);
    const known = all.find((place) => place.key === key && !(isOwn && place.isOwned));
    if (known !== undefined) return known;
    if (this.#places.size < this.#sessionsMax) return this.#add(key, caller);
    const idle = all.find(({ calls }) => calls === 0);
    // Its place is free when it has ended.
    if (idle !== undefined) void this.#retire(idle);
    return undefined;
  }

  #add(key: string, caller: Caller): Place {
    const place: Place = {
      key,
      session: beginSession(this.#behind, caller, () => this.#leave(place)),
      calls: 0,
      isOwned: false,
      isLeaving: false,
      idle: undefined,
    };
    this.#places.add(place);
    return place;
  }

  #giveBack(place: Place, isOwn: boolean): void {
    place.calls -= 1;
    if (isOwn) place.isOwned = false;
    if (place.calls === 0 && !place.isLeaving) void this.#endLater(place);
    this.#wake();
  }

  async #endLater(place: Place): Promise<void> {
    const idle = (place.idle = new AbortController());
    if (await this.#behind.clock.sleep(limits.idleMs, idle.signal)) await this.#retire(place);
  }

  async #retire(place: Place): Promise<void> {
    place.isLeaving = true;
    place.idle?.abort();
    const session = await place.session.catch(() => undefined);
    await session?.end();
    this.#leave(place);
  }

  #leave(place: Place): void {
    place.isLeaving = true;
    place.idle?.abort();
    if (this.#places.delete(place)) this.#wake();
  }

  /** Until there may be room, or the time is over. */
  #change(ms: number): Promise<void> {
    const woken = new AbortController();
    return new Promise((resolve) => {
      const proceed = () => {
        woken.abort();
        this.#waiting.delete(proceed);
        resolve();
      };
      this.#waiting.add(proceed);
      void this.#behind.clock.sleep(ms, woken.signal).then(proceed);
    });
  }

  #wake(): void {
    for (const proceed of this.#waiting) proceed();
  }
}

const tooMany = (sessionsMax: number) =>
  `All ${sessionsMax} sessions with the server behind this bridge are in use. Try again later, or start the bridge with a higher --sessions-max.`;

const keyOf = ({ holder, authorization, capabilities: { elicitation, sampling, roots } }: Caller) =>
  createHash("sha256")
    .update(JSON.stringify([holder, authorization, elicitation, sampling, roots]))
    .digest("hex");
