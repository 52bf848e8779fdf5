// Options of the `plinth keys` commands, as commander hands them over.
import type { PageFlags } from "../administration.ts";
import type { IdsFlags } from "../options.ts";

export type Status = "active" | "inactive" | "archived" | "expired";

export interface ListFlags extends PageFlags, IdsFlags {
  workspace?: string;
  status?: Status;
  by?: string;
  /** True: without a number. */
  unused?: number | true;
}
