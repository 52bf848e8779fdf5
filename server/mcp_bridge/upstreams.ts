// Sessions with the server behind a bridge: begun when first needed, ended when idle, never more than so many.
import { createHash } from "node:crypto";
import { systemClock } from "../../kernel/base/clock.ts";
import { limits } from "./limits.ts";
import { beginSession, type Caller, type Session, type Upstream } from "./session.ts";

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

export type Upstreams = ReturnType<typeof makeUpstreams>;

export function makeUpstreams(
  upstream: Upstream,
  { sessionsMax = limits.sessionsMax as number, version = "0", clock = systemClock } = {},
) {
  const places = new Set<Place>();
  const waiting = new Set<() => void>();
  let isClosed = false;

  const leave = (place: Place) => {
    place.isLeaving = true;
    place.idle?.abort();
    if (places.delete(place)) wake();
  };
  const wake = () => {
    for (const proceed of waiting) proceed();
    waiting.clear();
  };

  function add(key: string, caller: Caller): Place {
    const behind = { upstream, version, clock };
    const place: Place = {
      key,
      session: beginSession(behind, caller, () => leave(place)),
      calls: 0,
      isOwned: false,
      isLeaving: false,
      idle: undefined,
    };
    places.add(place);
    return place;
  }

  async function retire(place: Place): Promise<void> {
    place.isLeaving = true;
    place.idle?.abort();
    const session = await place.session.catch(() => undefined);
    await session?.end();
    leave(place);
  }

  /** Undefined where there is no room now. */
  function find(key: string, caller: Caller, isOwn: boolean): Place | undefined {
    const all = [...places].filter(({ isLeaving }) => !isLeaving);
    const known = all.find((place) => place.key === key && !(isOwn && place.isOwned));
    if (known !== undefined) return known;
    if (places.size < sessionsMax) return add(key, caller);
    const idle = all.find(({ calls }) => calls === 0);
    // Its place is free when it has ended.
    if (idle !== undefined) void retire(idle);
    return undefined;
  }

  async function take(caller: Caller, isOwn: boolean): Promise<Place> {
    const key = keyOf(caller);
    const untilMs = clock.monotonicMs() + limits.waitMs;
    for (;;) {
      if (isClosed) throw new NoSession("The bridge is ending.");
      const place = find(key, caller, isOwn);
      if (place !== undefined) {
        place.calls += 1;
        place.isOwned ||= isOwn;
        place.idle?.abort();
        return place;
      }
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) throw new TooManySessions(tooMany(sessionsMax));
      await new Promise<void>((resolve) => {
        const woken = new AbortController();
        const proceed = () => {
          woken.abort();
          waiting.delete(proceed);
          resolve();
        };
        waiting.add(proceed);
        void clock.sleep(leftMs, woken.signal).then(proceed);
      });
    }
  }

  function giveBack(place: Place, isOwn: boolean): void {
    place.calls -= 1;
    if (isOwn) place.isOwned = false;
    if (place.calls === 0 && !place.isLeaving) {
      const idle = (place.idle = new AbortController());
      void clock.sleep(limits.idleMs, idle.signal).then((slept) => {
        if (slept) void retire(place);
      });
    }
    wake();
  }

  return {
    /** With `isOwn`, no other call of that kind is in the session until it is released. */
    async lease(caller: Caller, isOwn: boolean): Promise<Lease> {
      const place = await take(caller, isOwn);
      let isReleased = false;
      const release = () => {
        if (!isReleased) giveBack(place, isOwn);
        isReleased = true;
      };
      try {
        const session = await place.session;
        const forget = () => {
          // Nothing is said to the server: it has no such session.
          session.isEnded = true;
          void retire(place);
        };
        return { session, release, forget };
      } catch (error) {
        leave(place);
        release();
        throw new NoSession("The server behind this bridge cannot be reached.", { cause: error });
      }
    },
    async close(): Promise<void> {
      isClosed = true;
      wake();
      await Promise.all([...places].map(retire));
    },
    count: () => places.size,
    /** Callers that wait for one. */
    waiting: () => waiting.size,
  };
}

const tooMany = (sessionsMax: number) =>
  `All ${sessionsMax} sessions with the server behind this bridge are in use. Try again later, or start the bridge with a higher --sessions-max.`;

const keyOf = ({ authorization, capabilities: { elicitation, sampling, roots } }: Caller) =>
  createHash("sha256")
    .update(JSON.stringify([authorization ?? null, elicitation, sampling, roots]))
    .digest("hex");
