// How far a call of an MCP server is, as its server tells it while it runs.
import { formatCount } from "../text/words.ts";

export interface CallProgress {
  /** The event of the call. */
  id: string;
  done: number | undefined;
  total: number | undefined;
  message: string;
}

export function progressIn({ type, ...event }: { type: string; [field: string]: unknown }) {
  if (type !== "event_progress") return undefined;
  const count = (given: unknown) => (typeof given === "number" ? given : undefined);
  const { event_id: id, message } = event;
  return {
    id: String(id),
    done: count(event["progress"]),
    total: count(event["total"]),
    message: typeof message === "string" ? message : "",
  } satisfies CallProgress;
}

export function progressWords({ done, total, message }: CallProgress): string {
  const counts = [done, total].filter((each) => each !== undefined).map(formatCount);
  return [counts.join(" of "), message].filter((each) => each !== "").join(": ");
}
