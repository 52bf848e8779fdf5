// How many requests of batches an upstream gets at a time: one more while it answers, half when it is too much.
import type { Clock } from "../../../kernel/base/clock.ts";
import { workLimits } from "../work/limits.ts";

/** What an attempt says about its upstream. */
export type UpstreamSignal = "answered" | "overloaded" | "nothing";

export interface ConcurrencyLimit {
  /** Whether one more of that workspace may begin now. */
  hasRoom(workspaceId: string): boolean;
  /** When it opens again by itself, by the monotonic clock; 0 where it waits for an answer. */
  hasRoomAtMs(workspaceId: string): number;
  /** One begins; the result ends it. */
  begin(workspaceId: string): (signal: UpstreamSignal, retryAfterMs?: number) => void;
  /** How many may be under way. */
  readonly width: number;
}

/** `underWay`: all that the upstream has from this process, messages too. `paused` is called with long pauses. */
export function makeConcurrencyLimit(
  clock: Pick<Clock, "monotonicMs">,
  widthMax: number = workLimits.widthMax,
  underWay: () => number = () => 0,
  paused: (ms: number) => void = () => {},
): ConcurrencyLimit {
  let open = 0;
  const openByWorkspace = new Map<string, number>();
  let width = Math.min(workLimits.widthAtFirst, widthMax);
  /** Until it was too much once, each answer makes room for one more; later, a whole round of answers does. */
  let wasNarrowed = false;
  let narrowedMs = -Infinity;
  let pausedUntilMs = 0;
  let refusedInARow = 0;

  function narrow(startedMs: number, nowMs: number): void {
    // What began before the last change says nothing about what holds since.
    if (startedMs < narrowedMs) return;
    wasNarrowed = true;
    narrowedMs = nowMs;
    refusedInARow += 1;
    if (width > 1) width = Math.max(1, width / 2);
    else pause(nowMs, Math.min(workLimits.pauseMs * 2 ** refusedInARow, workLimits.pauseMsMax));
  }

  const pause = (nowMs: number, ms: number) => {
    const isLonger = nowMs + ms > pausedUntilMs + workLimits.pauseLoggedMs;
    if (isLonger && ms >= workLimits.pauseLoggedMs) paused(ms);
    pausedUntilMs = Math.max(pausedUntilMs, nowMs + ms);
  };

  /** While messages wait for the upstream too, batches step back. */
  const isRoom = () => {
    const share = underWay() > open ? workLimits.shareBesidePeople : 1;
    return open < Math.max(1, Math.floor(width * share));
  };

  /**
   * Requests that are slow, or never answered, stay under way: so a workspace with nothing under way here begins one
   * though the others have filled it, and the last one that may begin is no workspace's second.
   */
  const mayBegin = (workspaceId: string) => {
    const openHere = openByWorkspace.get(workspaceId) ?? 0;
    // An upstream that signalled what it takes gets one more than that, and no more.
    if (openHere === 0) return open < (wasNarrowed ? Math.min(widthMax, width + 1) : widthMax);
    const most = widthMax < workLimits.widthAtFirst ? widthMax : widthMax - 1;
    return isRoom() && openHere < most;
  };

  const count = (workspaceId: string, by: 1 | -1) => {
    open += by;
    const openHere = (openByWorkspace.get(workspaceId) ?? 0) + by;
    if (openHere === 0) openByWorkspace.delete(workspaceId);
    else openByWorkspace.set(workspaceId, openHere);
  };

  return {
    get width() {
      return Math.floor(width);
    },
    hasRoom: (workspaceId) => mayBegin(workspaceId) && clock.monotonicMs() >= pausedUntilMs,
    hasRoomAtMs: (workspaceId) => (mayBegin(workspaceId) ? pausedUntilMs : 0),
    begin: (workspaceId) => {
      const startedMs = clock.monotonicMs();
      count(workspaceId, 1);
      return (signal, retryAfterMs = 0) => {
        count(workspaceId, -1);
        const nowMs = clock.monotonicMs();
        if (signal === "answered") {
          refusedInARow = 0;
          width = Math.min(widthMax, width + (wasNarrowed ? 1 / width : 1));
        }
        if (signal !== "overloaded") return;
        pause(nowMs, Math.min(retryAfterMs, workLimits.retryAfterMsMax));
        narrow(startedMs, nowMs);
      };
    },
  };
}
