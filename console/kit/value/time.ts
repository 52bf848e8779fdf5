// Times for people: relative to now for reading, exact for the title.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const short = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });

export const now = (): Date => new Date();

export const inDays = (days: number, from: Date = now()): Date =>
  new Date(from.getTime() + days * dayMs);

export const exactTime = (iso: string): string =>
  new Date(iso)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");

export function relativeTime(iso: string, { from = now(), isShort = false } = {}): string {
  const distance = new Date(iso).getTime() - from.getTime();
  const size = Math.abs(distance);
  const words = isShort ? short : relative;
  // With its point, `min.` ends a sentence in the middle of one.
  const text = (ms: number, unit: "minute" | "hour" | "day") =>
    words.format(Math.round(distance / ms), unit).replace(".", "");
  if (size < 45_000) return "just now";
  if (size < hourMs) return text(minuteMs, "minute");
  if (size < dayMs) return text(hourMs, "hour");
  if (size < 14 * dayMs) return text(dayMs, "day");
  return day.format(new Date(iso));
}

/** The same, and of what is long ago the days: `43 days ago`. */
export function agoText(iso: string): string {
  const days = Math.round((now().getTime() - new Date(iso).getTime()) / dayMs);
  return days < 14 ? relativeTime(iso) : relative.format(-days, "day");
}

/** How long something has been going on: `3 minutes`, `2 days`. */
export function durationSince(iso: string): string {
  const ms = Math.max(0, now().getTime() - new Date(iso).getTime());
  const [count, unit] =
    ms < hourMs
      ? [Math.max(1, Math.round(ms / minuteMs)), "minute"]
      : ms < 2 * dayMs
        ? [Math.round(ms / hourMs), "hour"]
        : [Math.round(ms / dayMs), "day"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const inUtc = { timeZone: "UTC" } as const;
const axisDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...inUtc });
const axisMonth = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", ...inUtc });
const axisClock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
  ...inUtc,
});
const daySeconds = dayMs / 1000;

/** Under a chart, in UTC: `28 Oct`; of steps within a day `09:00`, of whole months `Oct 2026`. */
export function axisTimes(seconds: readonly number[], step: number): string[] {
  return seconds.map((each) => {
    const moment = new Date(each * 1000);
    if (step >= 28 * daySeconds) return axisMonth.format(moment);
    const isWithin = step < daySeconds && each % daySeconds !== 0;
    return (isWithin ? axisClock : axisDay).format(moment);
  });
}
