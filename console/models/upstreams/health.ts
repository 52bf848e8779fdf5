// How an upstream fares, in words for people.
import type { UpstreamHealth } from "../../kit/server/api.ts";
import { plural } from "../../../client/text/words.ts";

const faults: Record<string, string> = {
  "status 401": "refuses this server's key",
  "status 402": "wants to be paid",
  "status 403": "forbids it to this server's key",
  "status 404": "knows no such address or model",
  "status 429": "says it is asked too often",
  "status 529": "says it is overloaded",
  BETWEEN_BYTES_TIMEOUT: "falls silent in the middle of an answer",
  CONNECTION_CLOSED: "breaks connections off",
  CONNECT_TIMEOUT: "takes no connection in time",
  ECONNREFUSED: "refuses connections",
  ECONNRESET: "breaks connections off",
  EAI_AGAIN: "has a name that is not found",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  ENOTFOUND: "has a name that is not found",
  EPIPE: "breaks connections off",
  ETIMEDOUT: "takes no connection in time",
  ENDED_EARLY: "ends answers too early",
  FIRST_BYTE_TIMEOUT: "does not answer in time",
  INVALID_REPLY: "sends what is no HTTP",
  TOTAL_TIMEOUT: "takes too long for a whole answer",
  TOO_MANY_OPEN: "has all the requests under way that this server sends at a time",
  api_error: "sends answers that cannot be read, or that hold an error",
  overloaded_error: "says it is overloaded",
  rate_limit_error: "says it is asked too often",
};

/** `says it is overloaded (status 529)`. */
export function faultWords(code: string): string {
  const redirect = /^status 3\d\d$/.test(code) ? "sends to another address" : undefined;
  const own = /^status 5\d\d$/.test(code) ? "answers with an error of its own" : undefined;
  return `${faults[code] ?? redirect ?? own ?? "fails"} (${code})`;
}

/** `2 of 14 failed in 30 minutes (14%)`. */
export function shareWords({ lately }: UpstreamHealth): string {
  const { answered, failed, by_minute: minutes } = lately;
  const all = answered + failed;
  const span = `in ${minutes.length} minutes`;
  if (all === 0) return `Nothing asked ${span}`;
  if (failed === 0) return `${plural(all, "answer")}, no failure ${span}`;
  const share = Math.max(1, Math.round((failed / all) * 100));
  return `${failed.toLocaleString("en")} of ${all.toLocaleString("en")} failed ${span} (${share}%)`;
}

export const milliseconds = (ms: number): string =>
  ms < 1_000 ? `${Math.max(1, ms)} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
