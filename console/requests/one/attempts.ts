// The attempts of a request as they are drawn and said.
import type { LoggedRequest } from "../../kit/server/api.ts";
import { spaced } from "../../kit/value/words.ts";

export type Attempt = LoggedRequest["attempts"][number];

export type Ending = "answered" | "refused" | "failed" | "left" | "unknown";

export function endingOf({ outcome, why }: Attempt): Ending {
  switch (outcome) {
    case "served":
      return why === null ? "answered" : "refused";
    case "declined":
      return "refused";
    case "failed":
      return "failed";
    case "cut":
      return "left";
    default:
      return "unknown";
  }
}

/** How it ended and why, in words. */
export function endingWords(attempt: Attempt): string {
  const { why, is_guard: isGuard, outcome } = attempt;
  const because = why === null || why === "refusal" ? "" : `: ${spaced(why).toLowerCase()}`;
  switch (endingOf(attempt)) {
    case "answered":
      return isGuard ? "Was asked and gave its word" : "Answered";
    case "refused":
      return outcome === "declined" ? `Refused${because}; the next was asked` : `Refused${because}`;
    case "failed":
      return `Failed${because}`;
    case "left":
      return "Cut off: the client left";
    default:
      return "Not known";
  }
}

export interface Bar {
  /** Shares of the whole time, from 0 to 1. */
  from: number;
  first: number;
  to: number;
}

/** Until its first word it waits; what came whole was waited for to its end. */
export function barOf({ start_ms, first_ms, end_ms }: Attempt, wholeMs: number): Bar {
  const share = (ms: number) => (wholeMs === 0 ? 0 : Math.min(1, Math.max(0, ms / wholeMs)));
  const from = share(start_ms);
  const to = Math.max(from, share(end_ms ?? wholeMs));
  return { from, first: Math.min(to, Math.max(from, share(first_ms ?? end_ms ?? wholeMs))), to };
}

/** The whole of the time axis: attempts may end a moment after the answer. */
export const wholeOf = ({ duration_ms, attempts }: LoggedRequest): number =>
  Math.max(duration_ms, ...attempts.map(({ start_ms, end_ms }) => end_ms ?? start_ms));
