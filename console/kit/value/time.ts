// Times for people: relative to now for reading, exact for the title.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const day = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });

export const now = (): Date => new Date();

export const inDays = (days: number, from: Date = now()): Date =>
  new Date(from.getTime() + days * dayMs);

export const exactTime = (iso: string): string =>
  new Date(iso)
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");

export function relativeTime(iso: string, from: Date = now()): string {
  const distance = new Date(iso).getTime() - from.getTime();
  const size = Math.abs(distance);
  if (size < 45_000) return "just now";
  if (size < hourMs) return relative.format(Math.round(distance / minuteMs), "minute");
  if (size < dayMs) return relative.format(Math.round(distance / hourMs), "hour");
  if (size < 14 * dayMs) return relative.format(Math.round(distance / dayMs), "day");
  return day.format(new Date(iso));
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
