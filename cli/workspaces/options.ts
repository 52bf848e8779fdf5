// Options of the `plinth workspaces` commands, as commander hands them over.
import type { Flags, PageFlags } from "../administration.ts";

export interface ListFlags extends PageFlags {
  archived?: boolean;
}

export interface WorkspaceFlags extends Flags {
  name?: string;
  color?: string;
  tag?: Record<string, string>;
  untag?: string[];
  allow?: "unrestricted" | ("global" | "us")[];
  defaultGeo?: "global" | "us";
}
