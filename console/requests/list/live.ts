// What has just ended: asked for every two seconds, and put on top of the list without moving what is looked at.
import { useEffect, useRef, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { say } from "../../kit/page/say.ts";
import { ApiError, server, type LoggedRequest } from "../../kit/server/api.ts";
import type { RequestFilter } from "../requests.ts";
import { isTopSeen, keepPlace, showTop } from "./keep-place.ts";

const everyMs = 2_000;
/** Rows are written a moment after they ended, and by several processes. */
const overlapMs = 2_000;
const rowsPerAsk = 100;
/** More than these no reader looks at. */
export const liveRowsMax = 1_000;

export interface Live {
  /** The last that ended first. */
  rows: readonly LoggedRequest[];
  /** Rows above what the reader looks at. */
  above: number;
  toTop: () => void;
}

export function useLive(
  filter: RequestFilter,
  isOn: boolean,
  {
    box,
    onBegin,
    onRefused,
  }: {
    box: RefObject<HTMLElement | null>;
    /** The list is to be read again: it is followed from then on. */
    onBegin: () => void;
    onRefused: () => void;
  },
): Live {
  const [rows, setRows] = useState<readonly LoggedRequest[]>([]);
  const [above, setAbove] = useState(0);
  const key = JSON.stringify(filter);
  const latest = useRef({ onBegin, onRefused });
  latest.current = { onBegin, onRefused };
  useEffect(() => {
    setRows([]);
    setAbove(0);
    if (!isOn) return undefined;
    const leaving = new AbortController();
    const begin = () => latest.current.onBegin();
    void follow(filter, leaving.signal, begin, (found) => {
      let added = 0;
      const isKept = keepPlace(box.current, () =>
        flushSync(() =>
          setRows((before) => {
            const known = new Set(before.map(({ id }) => id));
            const fresh = found.filter(({ id }) => !known.has(id)).toReversed();
            added = fresh.length;
            return added === 0 ? before : [...fresh, ...before].slice(0, liveRowsMax);
          }),
        ),
      );
      if (isKept && added > 0) setAbove((before) => before + added);
    }).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      say.error(error);
      latest.current.onRefused();
    });
    return () => leaving.abort();
  }, [key, isOn, box]);
  useEffect(() => {
    if (above === 0) return undefined;
    const look = () => {
      if (box.current === null || isTopSeen(box.current)) setAbove(0);
    };
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, [above, box]);
  return {
    rows,
    above,
    toTop: () => {
      setAbove(0);
      if (box.current !== null) showTop(box.current);
    },
  };
}

/** Until the signal: what ended from now on, in the order in which it ended. What the server refuses ends it. */
async function follow(
  filter: RequestFilter,
  signal: AbortSignal,
  begin: () => void,
  tell: (rows: LoggedRequest[]) => void,
): Promise<void> {
  const { from: _from, to: _to, ...asked } = filter;
  let after: number | undefined;
  while (!signal.aborted) {
    const isSeen = !document.hidden;
    if (isSeen)
      try {
        const newest = await newestEnd(signal);
        if (after === undefined) begin();
        after ??= newest;
        const query = {
          ...asked,
          ended_after: new Date(after).toISOString(),
          limit: rowsPerAsk,
        };
        const { data } = await server.requests.list({ query, signal });
        if (data.length > 0) tell(data);
        const last = Math.max(...data.map(({ ended_at: at }) => Date.parse(at)), after);
        after = data.length === rowsPerAsk ? last : Math.max(after, newest - overlapMs);
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) throw error;
      }
    await pause(everyMs, signal);
  }
}

/**
 * When the newest request of all ended: up to there the log is whole, by the clock of the server, whatever the
 * filters let through and however wrong the clock of this browser is.
 */
async function newestEnd(signal: AbortSignal): Promise<number> {
  const { data } = await server.requests.list({ query: { limit: 1 }, signal });
  return Math.max(0, ...data.map(({ ended_at: at }) => Date.parse(at)));
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
