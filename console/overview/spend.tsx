// What the month has cost against limits: what is blocked in words, then what is nearest to it.
import { Link } from "@tanstack/react-router";
import { OctagonX } from "lucide-react";
import { Section } from "../kit/page/page-header.tsx";
import { dollarsText } from "../kit/value/money.ts";
import { SpentOf } from "../kit/value/money.tsx";
import { exactTime } from "../kit/value/time.ts";
import type { Overview } from "./queries.ts";

type Spend = NonNullable<Overview["spend"]>;
type Limit = Spend["limits"][number];

const periods = { daily: "a day", weekly: "a week", monthly: "a month" } as const;

export function SpendLimits({ spend }: { spend: Spend }) {
  const blocked = spend.limits.filter((limit) => limit.is_blocked);
  const more = spend.blocked - blocked.length;
  return (
    <Section
      title="Spend against limits"
      note={
        <>
          {dollarsText(spend.spent)} {spend.currency} this month (UTC).{" "}
          <Link to="/limits" className="text-accent underline underline-offset-2">
            Open the limits
          </Link>
        </>
      }
    >
      {blocked.length > 0 && (
        <ul aria-label="Blocked now" className="mb-3 grid gap-2">
          {blocked.map((limit) => (
            <li
              key={keyOf(limit)}
              className="flex items-start gap-2.5 rounded-lg bg-bad-soft px-4 py-2.5 text-bad"
            >
              <OctagonX size={18} aria-hidden className="mt-0.5 shrink-0" />
              <span className="min-w-0 wrap-anywhere">{blockedWords(limit)}</span>
            </li>
          ))}
          {more > 0 && (
            <li className="text-bad">{more.toLocaleString("en")} more limits are spent.</li>
          )}
        </ul>
      )}
      {spend.limits.length === 0 ? (
        <p className="text-soft">No limit is set: nothing is refused for what it costs.</p>
      ) : (
        <ul aria-label="Limits" className="rounded-lg border border-line bg-surface">
          {spend.limits.map((limit) => (
            <li key={keyOf(limit)} className="grid gap-1 border-line px-4 py-2.5 not-last:border-b">
              <span className="flex flex-wrap items-baseline gap-x-2">
                <WhoseLimit limit={limit} />
                <span className="text-sm text-soft">{periods[limit.period]}</span>
              </span>
              <SpentOf spent={limit.spent} limit={limit.limit} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const keyOf = ({ scope, id, period }: Limit) => `${scope} ${id} ${period}`;

const blockedWords = (limit: Limit): string =>
  `Blocked: ${whoseRequests(limit)} are refused. The limit of ${dollarsText(limit.limit)} ` +
  `${periods[limit.period]} is spent until ${exactTime(limit.resets_at)}.`;

function whoseRequests({ scope, id, name }: Limit): string {
  if (scope === "organization") return "all requests of the organization";
  if (scope === "workspace") return `requests in the workspace ${name ?? id}`;
  return `requests of ${name ?? id}`;
}

function WhoseLimit({ limit: { scope, id, name } }: { limit: Limit }) {
  if (scope === "organization") return <span className="font-medium">Organization</span>;
  const search = scope === "workspace" ? { workspace_id: id ?? "" } : { user_id: id ?? "" };
  return (
    <Link
      to="/requests"
      search={search}
      className="font-medium text-accent underline underline-offset-2 wrap-anywhere"
    >
      {name ?? id}
    </Link>
  );
}
