// Files in sentences and tables.
import type { FileMetadata } from "../../contract/types.ts";
import { escapeControls } from "../print-answer.ts";
import { formatDuration } from "../format.ts";

/** The uploader chose the name: no control character of it reaches the terminal. */
export const nameOf = ({ filename }: Pick<FileMetadata, "filename">): string =>
  escapeControls(filename);

/** How long the file still exists: `7 d`, `expired`, `-`. */
export function expiresIn({ expires_at: at }: FileMetadata, now: Date): string {
  if (at === null) return "-";
  const left = Date.parse(at) - now.getTime();
  return left <= 0 ? "expired" : formatDuration(left);
}

/** The command to run next, with the same server. */
export const nextCommand = (command: string, { url }: { url?: string }): string =>
  `plinth files ${command}${url === undefined ? "" : ` --url ${url}`}`;
