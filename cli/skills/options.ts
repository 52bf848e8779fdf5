// Options of the `plinth skills` commands, as commander hands them over.
import type { Flags, YesFlags } from "../options.ts";

export interface VersionFlags extends Flags {
  version?: string;
}

export interface UploadFlags extends Flags {
  displayName?: string;
  /** Hidden files too. */
  all?: boolean;
}

export interface DownloadFlags extends VersionFlags {
  to: string;
}

export interface DeleteFlags extends YesFlags {
  version?: string;
}

/** The API's limits of one skill, unpacked. */
export const folderBytesMax = 31_457_280;
export const filesMax = 500;
/** More than any zip of such a skill has. */
export const archiveBytesMax = 33_554_432;
