// Options of the `plinth deployments` and `plinth runs` commands, as commander hands them over.
import type { Flags, IdsFlags } from "../options.ts";
import type { Budget } from "../sessions/options.ts";
import type { ListFlags, PageFlags } from "../workspace-calls.ts";

export interface DeploymentFlags extends Flags {
  file?: string;
  name?: string;
  description?: string;
  agent?: string;
  environment?: string;
  message?: string[];
  cron?: string;
  timezone?: string;
  /** False with `--no-schedule`. */
  schedule?: boolean;
  vault?: string[];
  /** False with `--no-vaults`. */
  vaults?: boolean;
  budget?: Budget | "none";
  metadata?: Record<string, string>;
}

export interface DeploymentListFlags extends ListFlags {
  agent?: string;
  status?: "active" | "paused";
}

export interface RunListFlags extends PageFlags, IdsFlags {
  deployment?: string;
  failed?: boolean;
  trigger?: "schedule" | "manual";
}

export interface NextFlags {
  timezone?: string;
  count: number;
  json?: boolean;
}
