// Errors of files, as sentences.
import { CliError, exitCodes } from "./terminal.ts";

const troubles: Record<string, string> = {
  ENOENT: "There is no such file or folder",
  EACCES: "This user may not open it",
  EPERM: "This user may not open it",
  EISDIR: "That is a folder",
  ENOTDIR: "There is no such folder",
  ENOSPC: "There is no space left for it",
};

export function fileError(error: NodeJS.ErrnoException, file: string): CliError {
  const { code = "" } = error;
  const isUsage = code !== "ENOSPC" && code in troubles;
  return new CliError(
    `${file}: ${troubles[code] ?? error.message}.`,
    isUsage ? exitCodes.usage : undefined,
  );
}
