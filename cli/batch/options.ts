// Options of the `plinth batch` commands, as commander hands them over.
import type { Called } from "../next-page.ts";
import type { ResultType } from "../../client/batches/counts.ts";

export interface Flags {
  json?: boolean;
  quiet?: boolean;
  url?: string;
}

export interface SubmitFlags extends Flags {
  number?: boolean;
  watch?: boolean;
}

export interface ResultsFlags extends Flags {
  out?: string;
  type?: readonly ResultType[];
}

export interface CancelFlags extends Flags {
  yes?: boolean;
}

export interface ListFlags extends Flags, Called {
  limit: number;
  after?: string;
}
