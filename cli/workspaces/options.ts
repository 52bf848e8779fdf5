// Options of the `plinth workspaces` commands, as commander hands them over.
import type { PageFlags } from "../administration.ts";
import type { Flags } from "../options.ts";

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
