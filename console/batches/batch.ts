// Batches and their results in words for people, and the numbers that are shown of them.
import { countsInWords, resultTypes } from "../../client/batches/counts.ts";
import type { Batch, BatchResult, ResultType } from "../kit/server/api.ts";

export const isResultType = (text: string | undefined): text is ResultType =>
  resultTypes.some((type) => type === text);

type State = Batch["processing_status"];
type Tone = "neutral" | "good" | "warn" | "bad" | "accent";

export const states: Record<State, { word: string; tone: Tone }> = {
  in_progress: { word: "In progress", tone: "accent" },
  canceling: { word: "Canceling", tone: "warn" },
  ended: { word: "Ended", tone: "neutral" },
};

export const results: Record<ResultType, { word: string; tone: Tone }> = {
  succeeded: { word: "Succeeded", tone: "good" },
  errored: { word: "Errored", tone: "bad" },
  canceled: { word: "Canceled", tone: "neutral" },
  expired: { word: "Expired", tone: "warn" },
};

export const isRunning = ({ processing_status: state }: Batch): boolean => state !== "ended";

/** `1,180 succeeded, 20 errored, 3,800 processing`: what there is none of is left out. */
export const countWords = ({ request_counts: counts }: Batch): string =>
  countsInWords(counts, [...resultTypes, "processing"]).join(", ");

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
  const { content, stop_reason: reason } = object(message);
  if (reason === "refusal") return "Refused";
  const blocks = Array.isArray(content) ? content.map(object) : [];
  const first = blocks.find(({ type }) => type === "text");
  if (first !== undefined) return text(first["text"]) ?? "";
  const call = blocks.find(({ type }) => type === "tool_use");
  return call === undefined ? "" : `Calls ${text(call["name"]) ?? "a tool"}`;
}
