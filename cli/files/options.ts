// Options of the `plinth files` commands, as commander hands them over.
import type { Called } from "../next-page.ts";

export interface Flags {
  json?: boolean;
  quiet?: boolean;
  url?: string;
}

export interface UploadFlags extends Flags {
  /** In seconds. */
  expires?: number;
  type?: string;
  name?: string;
}

export interface ListFlags extends Flags, Called {
  limit: number;
  after?: string;
}

export interface GetFlags extends Flags {
  out?: string;
}

export interface RmFlags extends Flags {
  yes?: boolean;
}
