// Options of the `plinth keys` commands, as commander hands them over.
import type { PageFlags } from "../administration.ts";

export type Status = "active" | "inactive" | "archived" | "expired";

export interface ListFlags extends PageFlags {
  workspace?: string;
  status?: Status;
  by?: string;
}
