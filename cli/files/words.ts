// Files in sentences and tables.
import type { FileMetadata } from "../../contract/types.ts";
import { harmless } from "../print-answer.ts";
import { duration } from "../words.ts";

/** Whoever uploaded it chose the name: a terminal obeys nothing in it. */
export const nameOf = ({ filename }: Pick<FileMetadata, "filename">): string => harmless(filename);

/** How long it is still there: `7 d`, `expired`, `-`. */
export function expiresIn({ expires_at: at }: FileMetadata, now: Date): string {
  if (at === null) return "-";
  const left = Date.parse(at) - now.getTime();
  return left <= 0 ? "expired" : duration(left);
}

/** The command to give next, to the same server. */
export const next = (command: string, { url }: { url?: string }): string =>
  `plinth files ${command}${url === undefined ? "" : ` --url ${url}`}`;
