// The requested days, in ranges that the API takes.
import { CliError, exitCodes } from "../terminal.ts";
import type { UsageFlags } from "./options.ts";

const dayMs = 86_400_000;
/** Longer ranges are requested one after the other. */
const pieceDaysMax = 31;
const daysDefault = 7;
const backDaysMax = 365;

export interface DayRange {
  /** Both belong to the range. */
  from: string;
  to: string;
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

export function daysOf(flags: Pick<UsageFlags, "from" | "to" | "on">, now: Date): DayRange {
  const todayMs = startOf(dayOf(now.getTime()));
  const { from = flags.on, to = flags.on } = flags;
  const last = dateOf(to ?? "today", todayMs);
  const first =
    from === undefined ? dayOf(startOf(last) - (daysDefault - 1) * dayMs) : dateOf(from, todayMs);
  if (first > last)
    throw new CliError(
      `--from: ${first} is later than the last day, ${last}. Name an earlier one, or a later --to.`,
      exitCodes.usage,
    );
  const earliest = dayOf(todayMs - backDaysMax * dayMs);
  if (first < earliest)
    throw new CliError(
      `--from: reports begin at most ${backDaysMax} days back, which is ${earliest}.`,
      exitCodes.usage,
    );
  return { from: first, to: last };
}

function dateOf(day: string, todayMs: number): string {
  if (day === "today") return dayOf(todayMs);
  return day === "yesterday" ? dayOf(todayMs - dayMs) : day;
}

export function queryRangesOf({
  from,
  to,
}: DayRange): { starting_at: string; ending_at: string }[] {
  const pieces = [];
  const endMs = startOf(to) + dayMs;
  for (let atMs = startOf(from); atMs < endMs; atMs += pieceDaysMax * dayMs)
    pieces.push({
      starting_at: new Date(atMs).toISOString(),
      ending_at: new Date(Math.min(endMs, atMs + pieceDaysMax * dayMs)).toISOString(),
    });
  return pieces;
}

/** Each of them up to today, also those on which nothing happened. */
export function eachDay({ from, to }: DayRange, now: Date): string[] {
  const endMs = Math.min(startOf(to), now.getTime());
  const days = [];
  for (let atMs = startOf(from); atMs <= endMs; atMs += dayMs) days.push(dayOf(atMs));
  return days;
}
