// The time that a report covers: from any offset to whole buckets of UTC.
import { invalid } from "../../kernel/base/failure.ts";
import type { Width } from "../usage/module.ts";
import { limits } from "./limits.ts";

export const hourMs = 3_600_000;
export const widthMs: Readonly<Record<Width, number>> = {
  "1m": 60_000,
  "1h": hourMs,
  "1d": 24 * hourMs,
};

const down = (ms: number, step: number) => Math.floor(ms / step) * step;
const up = (ms: number, step: number) => Math.ceil(ms / step) * step;

export interface Range {
  from: Date;
  to: Date;
}

export interface AskedRange {
  starting_at: string;
  ending_at?: string | undefined;
  width: Width | null;
  now: Date;
  /** The console draws a year. */
  isConsole: boolean;
}

/** Rule REP2. */
export function rangeOf({ starting_at, ending_at, width, now, isConsole }: AskedRange): Range {
  const startMs = Date.parse(starting_at);
  const nowMs = now.getTime();
  const step = width === null ? hourMs : widthMs[width];
  // Whole buckets: the first of them may begin a little before what was asked for.
  if (startMs < nowMs - limits.backMsMax - widthMs["1d"])
    throw invalid("starting_at: lies more than 365 days back; begin later.");
  const longest = isConsole ? limits.consoleRangeMsMax : limits.rangeMsMax;
  const endMs =
    ending_at === undefined ? Math.min(nowMs, startMs + limits.rangeMsMax) : Date.parse(ending_at);
  if (ending_at === undefined && startMs > nowMs)
    throw invalid("starting_at: lies in the future; begin earlier.");
  if (endMs <= startMs && ending_at !== undefined)
    throw invalid("ending_at: must be later than starting_at.");
  if (endMs - startMs > longest)
    throw invalid(
      `ending_at: the range may span at most ${longest / widthMs["1d"]} days; ask for a shorter one.`,
    );
  if (width === "1m" && endMs - startMs > limits.minutesRangeMsMax)
    throw invalid("ending_at: by the minute the range may span at most 24 hours.");
  const from = down(startMs, step);
  return {
    from: new Date(from),
    to: new Date(width === null ? down(endMs, step) : up(endMs, step)),
  };
}

/** Rule REP7: whole buckets up to the present one, however many pages that is. */
export function bucketRangeOf({
  starting_at,
  ending_at,
  width,
  now,
}: Pick<AskedRange, "starting_at" | "ending_at" | "now"> & { width: Width }): Range {
  const step = widthMs[width];
  const startMs = Date.parse(starting_at);
  if (startMs < now.getTime() - limits.backMsMax - widthMs["1d"])
    throw invalid("starting_at: lies more than 365 days back; begin later.");
  const latestMs = now.getTime() + widthMs["1d"];
  const endMs = ending_at === undefined ? now.getTime() : Math.min(Date.parse(ending_at), latestMs);
  if (ending_at !== undefined && Date.parse(ending_at) <= startMs)
    throw invalid("ending_at: must be later than starting_at.");
  if (startMs > latestMs) throw invalid("starting_at: lies in the future.");
  return {
    from: new Date(down(startMs, step)),
    to: new Date(Math.max(up(endMs, step), up(startMs, step))),
  };
}
