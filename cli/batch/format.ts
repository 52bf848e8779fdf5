// Batches in words.
import { countsInWords, resultTypes } from "../../client/batches/counts.ts";
import type { MessageBatch } from "../../contract/types.ts";

/** `988 succeeded, 12 errored`. */
export const outcome = ({ request_counts: counts }: MessageBatch): string =>
  countsInWords(counts, resultTypes).join(", ");

/** The command to run next, with the same server. */
export const nextCommand = (command: string, { url }: { url?: string }): string =>
  `plinth batch ${command}${url === undefined ? "" : ` --url ${url}`}`;
