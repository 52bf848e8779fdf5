// Limits of alerts, and the numbers of the rules where an organization says nothing.

export const limits = {
  lookEveryMs: 30_000,
  /** The rest of what a look finds is left to the next one. */
  openedAtOnce: 500,
  keptMs: 90 * 24 * 60 * 60 * 1000,
  /** A refusal of a spend limit says nothing once its period is over. */
  refusalsKeptMs: 40 * 24 * 60 * 60 * 1000,
  sweepRowsMax: 10_000,
  /** An alert is resolved once it was well for its window, and for no longer than this. */
  wellMinutesMax: 60,
  /** An upstream that was asked nothing for so long says nothing of itself any more. */
  silentMinutes: 60,
  windowMinutesMax: 60,
  backlogMinutesMax: 24 * 60,
  percentsMax: 4,
  requestsMinMax: 1_000_000,
  failuresMinMax: 1_000_000,
  recipientsMax: 20,
  /** Of owners, and of administrators: those who joined first. */
  administratorsMax: 50,
  /** Told one by one in a mail. */
  alertsPerMailMax: 20,
} as const;

/** The level at which a spend limit refuses. */
export const wholePercent = 100;

export const alertKinds = ["spend", "error_share", "upstream_down", "job_backlog"] as const;
export type AlertKind = (typeof alertKinds)[number];

export interface RuleNumbers {
  percents?: readonly number[];
  percent?: number;
  minutes?: number;
  requests_min?: number;
  failures_min?: number;
}

/** Each rule has these numbers and no others. */
export const defaults = {
  spend: { percents: [80, wholePercent] },
  error_share: { percent: 5, minutes: 10, requests_min: 20 },
  upstream_down: { minutes: 5, failures_min: 5 },
  job_backlog: { minutes: 10 },
} as const satisfies Record<AlertKind, RuleNumbers>;
