// The audit log as it is read: filters in the address, and what an event changed.
import type { Search } from "../kit/page/search.ts";

export interface AuditFilter {
  action?: string;
  actor_id?: string;
  target_id?: string;
  address?: string;
  from?: string;
  to?: string;
  q?: string;
}

const plain = ["action", "actor_id", "target_id", "address", "q"] as const;
export const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
const dayMs = 86_400_000;

/** What the server is asked for: days of the address become moments, the last day is in it whole. */
export function filterOf(search: Search): AuditFilter {
  const filter: AuditFilter = {};
  for (const name of plain) if (search[name] !== undefined) filter[name] = search[name];
  if (isDay(search["from"])) filter.from = `${search["from"]}T00:00:00Z`;
  if (isDay(search["to"])) filter.to = new Date(Date.parse(search["to"]) + dayMs).toISOString();
  return filter;
}

export const exportAddress = (filter: AuditFilter, format: "jsonl" | "csv"): string =>
  `/console/api/audit/export?${new URLSearchParams({ format, ...filter })}`;

export interface Change {
  name: string;
  before: unknown;
  after: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `name_before` stands beside `name`; `before` holds what several fields were. The rest is told as it is. */
export function changesOf(details: Record<string, unknown>): {
  changes: Change[];
  rest: Record<string, unknown>;
} {
  const rest = { ...details };
  const changes: Change[] = [];
  const take = (name: string, before: unknown) => {
    changes.push({ name, before, after: details[name] ?? null });
    delete rest[name];
  };
  for (const [key, before] of Object.entries(details)) {
    const name = /^(.+)_before$/.exec(key)?.[1];
    if (name === undefined) continue;
    delete rest[key];
    take(name, before);
  }
  if (isRecord(details["before"])) {
    delete rest["before"];
    for (const [name, before] of Object.entries(details["before"])) take(name, before);
  }
  return { changes, rest };
}

export const shownValue = (value: unknown): string =>
  value === null || value === undefined || value === ""
    ? "None"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
