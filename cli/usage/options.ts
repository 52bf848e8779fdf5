// Options of `plinth usage`, as commander hands them over.
import type { Flags } from "../options.ts";

export const groupings = [
  "model",
  "workspace",
  "key",
  "member",
  "origin",
  "session",
  "agent",
  "deployment",
  "environment",
  "day",
] as const;
export type Grouping = (typeof groupings)[number];

export interface UsageFlags extends Flags {
  /** Days of UTC, `2026-11-21`, `today` or `yesterday`; both belong to the range. */
  from?: string;
  to?: string;
  /** The first day and the last. */
  on?: string;
  by: Grouping;
  cost?: boolean;
  csv?: boolean;
  limit?: number;
}
