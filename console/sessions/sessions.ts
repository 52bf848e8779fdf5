// Sessions in words for people: how one stands, what it is called, what it has cost.
import type { Session } from "../kit/server/api.ts";
import { amountText, dollarsOf } from "../kit/value/money.ts";

/** As the server has them. */
export const limits = {
  titleCharactersMax: 256,
  denyCharactersMax: 10_000,
  storesMax: 8,
} as const;

export type Status = Session["status"];
export type Tone = "neutral" | "good" | "warn" | "bad" | "accent";

export const statuses: Record<Status, { word: string; tone: Tone }> = {
  idle: { word: "Idle", tone: "neutral" },
  running: { word: "Running", tone: "accent" },
  rescheduling: { word: "Rescheduling", tone: "warn" },
  terminated: { word: "Terminated", tone: "bad" },
};
const statusNames = Object.keys(statuses) as Status[];

export const statusChoices = statusNames.map((value) => ({ value, label: statuses[value].word }));

export const statusOf = (text: string | undefined): Status | undefined =>
  statusNames.find((name) => name === text);

export const isActive = ({ status }: Pick<Session, "status">): boolean =>
  status === "running" || status === "rescheduling";

/** The server counts in whole cents, rounded up. */
export const costText = ({ usage }: Pick<Session, "usage">): string =>
  amountText(dollarsOf(usage.list_cost.amount));

/** `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}

/** What it is called where it has no title and nothing was said in it yet. */
export const untitled = "Untitled session";

const wordsMax = 80;

/** The beginning of a text, in one line. */
export function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > wordsMax ? `${line.slice(0, wordsMax)}…` : line;
}
