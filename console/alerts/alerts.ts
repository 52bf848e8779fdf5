// Alerts in words, and where each leads.
import type { LinkProps } from "@tanstack/react-router";
import type { Alert, AlertKind, AlertRule } from "../kit/server/api.ts";
import { plural } from "../../client/text/words.ts";

export const kindWords: Record<AlertKind, string> = {
  spend: "Spend",
  error_share: "Failed requests",
  upstream_down: "Upstream down",
  job_backlog: "Backlog",
};

export const kindNotes: Record<AlertKind, string> = {
  spend: "A spend limit of the organization, a workspace or a person is used so far",
  error_share:
    "So many requests fail by the server or an upstream; mistakes of clients do not count",
  upstream_down: "An upstream has only failed for so long",
  job_backlog: "A background job or a batch has waited for so long; of the whole installation",
};

/** The numbers of a rule in one line. */
export function ruleWords(rule: AlertRule): string {
  const { percents = [], percent = 0, minutes = 0, requests_min = 0, failures_min = 0 } = rule;
  const within = plural(minutes, "minute");
  switch (rule.kind) {
    case "spend":
      return `At ${percents.map((each) => `${each} %`).join(", ")}`;
    case "error_share":
      return `From ${percent} % within ${within}, of ${requests_min.toLocaleString("en")} or more`;
    case "upstream_down":
      return `For ${within}, with ${plural(failures_min, "failure")} or more`;
    default:
      return `For ${within}`;
  }
}

export const resolutionWords: Record<NonNullable<Alert["resolution"]>, string> = {
  well: "Well again",
  rule_off: "Rule switched off",
  silent: "Asked no more",
};

/** What it is about. */
export function aboutOf({ kind, subject, firing_since }: Alert): Pick<LinkProps, "to" | "search"> {
  if (kind === "spend") return { to: "/limits" };
  if (kind === "job_backlog") return { to: "/batches" };
  const upstream = kind === "upstream_down" ? { upstream: subject.id } : {};
  const from = firing_since.slice(0, 10);
  return { to: "/requests", search: { status: "5xx", from, ...upstream } };
}
