// Options of the `plinth limits` commands, as commander hands them over.
import type { Flags, IdsFlags } from "../options.ts";
import type { PageFlags } from "../workspace-calls.ts";

export const periods = ["daily", "weekly", "monthly"] as const;
export type Period = (typeof periods)[number];

export const statuses = ["pending", "approved", "denied"] as const;

export interface ShowFlags extends Flags, IdsFlags {
  workspace?: string;
  all?: boolean;
}

/** None takes a limit away. */
export type Rate = number | "none";

export interface RateFlags extends Flags {
  requests?: Rate;
  inputTokens?: Rate;
  outputTokens?: Rate;
}

export interface SpendFlags extends Flags {
  member?: string;
  workspace?: string;
  organization?: boolean;
  period?: Period;
}

export interface MemberSpendFlags extends PageFlags {
  member?: string;
  period?: Period;
}

export interface RequestFlags extends PageFlags {
  status?: (typeof statuses)[number];
}

export interface ApproveFlags extends Flags {
  period?: Period;
}
