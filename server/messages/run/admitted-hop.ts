// A hop that is admitted and recorded in the ledger, so that its model may be asked.
import type { Span } from "../../../kernel/observe/tracing/tracer.ts";
import type * as fallbacks from "../../fallbacks/module.ts";
import type { Admission } from "../../limits/module.ts";
import type { AttemptProgress, MessageBody } from "../../models/module.ts";
import type { AttemptRecord } from "../../requests/module.ts";
import type { CachePlan } from "../cache/cache.ts";
import type { CacheEntry } from "../cache/queries.ts";

export interface AdmittedHop {
  hop: fallbacks.Hop;
  id: string;
  admission: Admission;
  outputTokensMax: number;
  progress: AttemptProgress;
  /** For the request log. */
  record: AttemptRecord;
  /** What the cache of the declined model held: repriced here, as by a credit. */
  warm: readonly fallbacks.CacheBreakpoint[];
  cache: { plan: CachePlan; found: ReadonlyMap<string, CacheEntry>; now: Date } | undefined;
  isSettled: boolean;
  /** Where there are traces. */
  span: Span | undefined;
  /** What went out where it was a continuation; else the hop's own body, which need not be kept for this. */
  continued: MessageBody | undefined;
}
