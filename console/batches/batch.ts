// Batches and their results in words for people, and the numbers that are shown of them.
import { formatCount } from "../../client/text/words.ts";
import type { Batch, BatchResult, BatchTotals, Outcome } from "../kit/server/api.ts";

/** A batch with what it cost and who made it; without that, as long as it is not known. */
export interface ToldBatch extends Batch {
  totals?: BatchTotals | undefined;
}

/** In the order in which they are listed. A refusal is a success on the wire, and none to the person who reads it. */
export const outcomes = ["succeeded", "refused", "errored", "canceled", "expired"] as const;

export const isOutcome = (text: string | undefined): text is Outcome =>
  outcomes.some((outcome) => outcome === text);

export type Part = Outcome | "processing";
export const parts: readonly Part[] = [...outcomes, "processing"];

/** How many requests came to what. */
export function partsOf({ request_counts: counts, totals }: ToldBatch): Record<Part, number> {
  const refused = Math.min(counts.succeeded, totals?.refused ?? 0);
  return { ...counts, succeeded: counts.succeeded - refused, refused };
}

type State = Batch["processing_status"];
type Tone = "neutral" | "good" | "warn" | "bad" | "accent";

export const states: Record<State, { word: string; tone: Tone }> = {
  in_progress: { word: "In progress", tone: "accent" },
  canceling: { word: "Canceling", tone: "warn" },
  ended: { word: "Ended", tone: "neutral" },
};

export const results: Record<Outcome, { word: string; tone: Tone }> = {
  succeeded: { word: "Succeeded", tone: "good" },
  refused: { word: "Refused", tone: "warn" },
  errored: { word: "Errored", tone: "bad" },
  canceled: { word: "Canceled", tone: "neutral" },
  expired: { word: "Expired", tone: "warn" },
};

export const isRunning = ({ processing_status: state }: Batch): boolean => state !== "ended";

/** `1,180 succeeded, 20 errored, 3,800 processing`: what there is none of is left out. */
export function countWords(batch: ToldBatch): string {
  const counts = partsOf(batch);
  return parts
    .filter((part) => counts[part] > 0)
    .map((part) => `${formatCount(counts[part])} ${part}`)
    .join(", ");
}

/** Results from before refusals were counted say it themselves. */
export function outcomeOf({ outcome, result }: BatchResult): Outcome {
  const isRefusal = object(object(result)["message"])["stop_reason"] === "refusal";
  return isRefusal ? "refused" : outcome;
}

/** What became of a request that no model answered. */
export const fates = {
  canceled:
    "The batch was canceled before this request ran. It was sent to no model, and costs nothing.",
  expired:
    "The 24 hours of the batch were over before this request ran. It was sent to no model, and costs nothing. Send it again in another batch.",
} as const;

export interface Errored {
  type: string;
  message: string;
  code: string | undefined;
  requestId: string | undefined;
}

const object = (value: unknown) => (value ?? {}) as Record<string, unknown>;
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The error of a result: the whole envelope stands in it. */
export function errorOf(result: BatchResult["result"]): Errored {
  const envelope = object(object(result)["error"]);
  const error = object(envelope["error"]);
  return {
    type: text(error["type"]) ?? "api_error",
    message: text(error["message"]) ?? "Nothing is said about it.",
    code: text(object(error["details"])["error_code"]),
    requestId: text(envelope["request_id"]),
  };
}

const shownCharacters = 160;

/** One line of what a result says; undefined where it is too long to have come with the list. */
export function summaryOf({ type, result }: BatchResult): string | undefined {
  if (type === "canceled" || type === "expired") return "";
  if (result === null) return undefined;
  const said = type === "errored" ? errorOf(result).message : saidIn(object(result)["message"]);
  const line = said.replaceAll(/\s+/g, " ").trim();
  return line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line;
}

function saidIn(message: unknown): string {
  const { content, stop_reason: reason, stop_details: details } = object(message);
  if (reason === "refusal") return whyRefused(object(details));
  const blocks = Array.isArray(content) ? content.map(object) : [];
  const first = blocks.find(({ type }) => type === "text");
  if (first !== undefined) return text(first["text"]) ?? "";
  const call = blocks.find(({ type }) => type === "tool_use");
  return call === undefined ? "" : `Calls ${text(call["name"]) ?? "a tool"}`;
}

function whyRefused({ category, explanation }: Record<string, unknown>): string {
  const named = text(category);
  return text(explanation) ?? (named === undefined ? "No reason is given." : `For ${named}.`);
}
