// Batches in words.
import type { MessageBatch } from "../../contract/types.ts";
import { formatCount } from "../format.ts";

export const resultTypes = ["succeeded", "errored", "canceled", "expired"] as const;
export type ResultType = (typeof resultTypes)[number];

/** The number of requests, and of those with a result. */
export function requestTally({ request_counts: counts }: MessageBatch): {
  all: number;
  done: number;
} {
  const done = resultTypes.reduce((sum, type) => sum + counts[type], 0);
  return { all: done + counts.processing, done };
}

/** `988 succeeded, 12 errored`: zero counts are left out. */
export function outcome({ request_counts: counts }: MessageBatch): string {
  const parts = resultTypes.flatMap((type) =>
    counts[type] === 0 ? [] : [`${formatCount(counts[type])} ${type}`],
  );
  return parts.join(", ");
}

/** The command to run next, with the same server. */
export const nextCommand = (command: string, { url }: { url?: string }): string =>
  `plinth batch ${command}${url === undefined ? "" : ` --url ${url}`}`;
