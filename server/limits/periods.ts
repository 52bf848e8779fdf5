// Days, weeks and months of UTC, which limits of spending begin anew with.

export const periods = ["daily", "weekly", "monthly"] as const;
export type Period = (typeof periods)[number];

export interface Span {
  /** As slices are named by it: `2026-11`, `2026-11-21`, `2026-11-16/7`. */
  key: string;
  /** Days: the first, and the first that is not in it. */
  from: string;
  until: string;
}

const dayMs = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
export const nextDayMs = (now: Date) => (Math.floor(now.getTime() / dayMs) + 1) * dayMs;

/** Weeks begin on Monday. */
export function spanOf(period: Period, now: Date): Span {
  const todayMs = nextDayMs(now) - dayMs;
  if (period === "daily") {
    const from = dayOf(todayMs);
    return { key: from, from, until: dayOf(todayMs + dayMs) };
  }
  if (period === "weekly") {
    const mondayMs = todayMs - ((now.getUTCDay() + 6) % 7) * dayMs;
    const from = dayOf(mondayMs);
    return { key: `${from}/7`, from, until: dayOf(mondayMs + 7 * dayMs) };
  }
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const from = dayOf(Date.UTC(year, month));
  return { key: from.slice(0, 7), from, until: dayOf(Date.UTC(year, month + 1)) };
}

const words: Record<Period, string> = { daily: "day", weekly: "week", monthly: "month" };
export const wordOf = (period: Period) => words[period];
