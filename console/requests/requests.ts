// The request log as it is read: filters in the address are those of the route, and words for what a row is.
import type { Search } from "../kit/page/search.ts";
import type { LoggedRequest, RequestsQuery } from "../kit/server/api.ts";
import { spaced } from "../kit/value/words.ts";

export type RequestFilter = Omit<RequestsQuery, "limit" | "page" | "ended_after">;

export const slowMs = "10000";
/** In cents. */
export const expensiveCents = "10";

const texts = [
  "model",
  "upstream",
  "credential_id",
  "user_id",
  "workspace_id",
  "session_id",
  "batch_id",
  "operation",
  "stop_reason",
  "error",
] as const;

const origins = ["api", "batch", "console", "session"] as const;

const isStatus = (text: string) => /^(ok|error|[2-5]xx|[2-5][0-9][0-9])$/.test(text);
const isCents = (text: string) => /^[0-9]{1,9}([.][0-9]{1,7})?$/.test(text);
const isMs = (text: string) => /^[0-9]{1,9}$/.test(text);

/** What the server would take; what it would refuse counts as none. */
export function filterOf(search: Search): RequestFilter {
  const filter: RequestFilter = {};
  for (const name of texts) if (search[name] !== undefined) filter[name] = search[name];
  const { status, min_duration_ms: ms, min_cost: cents, fell_back: fell } = search;
  if (status !== undefined && isStatus(status)) filter.status = status;
  if (ms !== undefined && isMs(ms)) filter.min_duration_ms = Number(ms);
  if (cents !== undefined && isCents(cents)) filter.min_cost = cents;
  if (fell === "true" || fell === "false") filter.fell_back = fell === "true";
  const origin = origins.find((each) => each === search["origin"]);
  if (origin !== undefined) filter.origin = origin;
  const [from, to] = [momentOf(search["from"], 0), momentOf(search["to"], dayMs)];
  if (from !== undefined) filter.from = from;
  if (to !== undefined) filter.to = to;
  return filter;
}

const dayMs = 86_400_000;
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

/** A day or a moment; of the last day all of it counts. */
function momentOf(text: string | undefined, addedMs: number): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d/.test(text)) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return undefined;
  return new Date(isDay(text) ? ms + addedMs : ms).toISOString();
}

export const exportAddress = (filter: RequestFilter, format: "jsonl" | "csv"): string =>
  `/console/api/requests/export?${new URLSearchParams({
    format,
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
  })}`;

const kinds: Record<string, string> = {
  "messages.create": "Message",
  "messages.count_tokens": "Token count",
  "batches.item": "Batch item",
  "sessions.turn": "Agent turn",
  "sessions.tool_call": "Tool call",
};

/** What it was: `Batch item`, `Administration`, or what it was about. */
export function kindOf({ operation, path }: Pick<LoggedRequest, "operation" | "path">): string {
  const known = kinds[operation];
  if (known !== undefined) return known;
  if (path?.startsWith("/v1/organizations/") === true) return "Administration";
  return spaced(operation.replace(/^console\./, "").replace(/\.[^.]*$/, ""));
}

/** It asked a model, and can be asked again by hand. */
export const asksModel = ({ operation }: Pick<LoggedRequest, "operation">): boolean =>
  ["messages.create", "batches.item", "sessions.turn"].includes(operation);

export const statusTone = (status: number) =>
  status < 400 ? "good" : status < 500 ? "warn" : "bad";

/** `340 ms`, `1.24 s`, `2 min 5 s`. */
export function msText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const tokensIn = (usage: NonNullable<LoggedRequest["usage"]>): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
