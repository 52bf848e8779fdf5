// The time that usage is looked at: whole buckets of UTC, and as long a time before it.

export const spans = {
  "24h": { title: "24 hours", days: 1 },
  "7d": { title: "7 days", days: 7 },
  "30d": { title: "30 days", days: 30 },
  "90d": { title: "90 days", days: 90 },
  "365d": { title: "365 days", days: 365 },
} as const;
export type SpanName = keyof typeof spans;

export interface Range {
  from: number;
  to: number;
  width: "1m" | "1h" | "1d";
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const up = (ms: number, step: number) => Math.ceil(ms / step) * step;

/** Whole buckets of UTC, the present one too. */
export function rangeOf(span: SpanName, nowMs: number): Range {
  const { days } = spans[span];
  const step = days === 1 ? hourMs : dayMs;
  const to = up(nowMs + 1, step);
  return { from: to - days * dayMs, to, width: days === 1 ? "1h" : "1d" };
}

/** What somebody drew or typed, in buckets that are neither few nor many. */
export function rangeBetween(fromMs: number, toMs: number): Range {
  const length = toMs - fromMs;
  const width = length <= 6 * hourMs ? "1m" : length <= 4 * dayMs ? "1h" : "1d";
  const step = stepOf(width);
  return { from: Math.floor(fromMs / step) * step, to: up(toMs, step), width };
}

export const stepOf = (width: Range["width"]) =>
  width === "1m" ? 60_000 : width === "1h" ? hourMs : dayMs;

/** As long a time, right before it. */
export const before = ({ from, to, width }: Range): Range => ({
  from: from - (to - from),
  to: from,
  width,
});
