// An alert in one sentence: the same in the API, at the terminal, in the console and in mails.
import { plural } from "../../kernel/base/plural.ts";
import { wholePercent, type AlertKind } from "./limits.ts";
import type { AlertRow } from "./queries.ts";

const periods = { "": "", daily: "daily ", weekly: "weekly ", monthly: "monthly " } as const;

/** `7.5 %`. */
const percentOf = (value: number) => `${value} %`;

const words: Record<AlertKind, (alert: AlertRow) => string> = {
  spend: spendWords,
  error_share: ({ value, threshold }) =>
    `${percentOf(value)} of requests failed by the server or an upstream: the rule says ${percentOf(threshold)}.`,
  upstream_down: ({ value, subjectId }) =>
    `The upstream ${subjectId} answers nothing: ${plural(value, "request")} failed.`,
  job_backlog: ({ value, subjectType }) =>
    subjectType === "jobs"
      ? `A background job has been ready for ${plural(value, "minute")} and is not begun.`
      : `A batch has waited for ${plural(value, "minute")} without a request of it being taken up.`,
};

export const summaryOf = (alert: AlertRow): string => words[alert.kind](alert);

function spendWords(alert: AlertRow): string {
  const { value, level, subjectType, period } = alert;
  const name = alert.subjectName ?? alert.subjectId;
  const whose =
    subjectType === "organization"
      ? "The organization"
      : `The ${subjectType === "user" ? "member" : "workspace"} ${name}`;
  const limit = `${periods[period]}spend limit`;
  return level === wholePercent
    ? `${whose} has reached the ${limit}: requests are refused.`
    : `${whose} has used ${percentOf(value)} of the ${limit}.`;
}
