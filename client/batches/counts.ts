// How many requests of a batch there are, how many are done, and what became of them, in words.
import type { MessageBatch } from "../../contract/types.ts";
import { formatCount } from "../text/words.ts";

/** In the order in which they are listed. */
export const resultTypes = ["succeeded", "errored", "canceled", "expired"] as const;
export type ResultType = (typeof resultTypes)[number];

type Counts = MessageBatch["request_counts"];

/** How many requests have their result. */
export const doneOf = (counts: Counts): number =>
  resultTypes.reduce((sum, type) => sum + counts[type], 0);

/** How many requests it has. */
export const sizeOf = ({ request_counts: counts }: Pick<MessageBatch, "request_counts">): number =>
  counts.processing + doneOf(counts);

/** `988 succeeded`, `12 errored`: zero counts are left out. */
export const countsInWords = (counts: Counts, names: readonly (keyof Counts)[]): string[] =>
  names.flatMap((name) => (counts[name] === 0 ? [] : [`${formatCount(counts[name])} ${name}`]));
