// What `plinth logs` is asked for, and how the API is asked for it.
import type { PageFlags } from "../workspace-calls.ts";

export interface LogsFlags extends PageFlags {
  body?: boolean;
  follow?: boolean;
  status?: string;
  model?: string;
  upstream?: string;
  key?: string;
  person?: string;
  workspace?: string;
  session?: string;
  batch?: string;
  refused?: boolean;
  fellBack?: boolean;
  /** True without a number. */
  slow?: number | true;
  minCost?: string;
  error?: string;
  from?: string;
  to?: string;
}

const slowMs = 10_000;

export const filtersOf = (flags: LogsFlags) => ({
  status: flags.status,
  model: flags.model,
  upstream: flags.upstream,
  credential_id: flags.key,
  user_id: flags.person,
  workspace_id: flags.workspace,
  session_id: flags.session,
  batch_id: flags.batch,
  stop_reason: flags.refused === true ? "refusal" : undefined,
  fell_back: flags.fellBack,
  min_duration_ms: flags.slow === true ? slowMs : flags.slow,
  min_cost: flags.minCost,
  error: flags.error,
});
