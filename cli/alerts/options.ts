// Options of the `plinth alerts` commands, as commander hands them over.
import type { Flags } from "../options.ts";
import type { PageFlags } from "../workspace-calls.ts";

export const kinds = ["spend", "error_share", "upstream_down", "job_backlog"] as const;
export type Kind = (typeof kinds)[number];

export interface ListFlags extends PageFlags {
  all?: boolean;
}

export type RuleNumber = number | "default";

export interface RuleFlags extends Flags {
  on?: boolean;
  off?: boolean;
  percents?: string[];
  percent?: RuleNumber;
  minutes?: RuleNumber;
  requests?: RuleNumber;
  failures?: RuleNumber;
}

export interface MailFlags extends Flags {
  to?: string[];
  administrators?: boolean;
}
