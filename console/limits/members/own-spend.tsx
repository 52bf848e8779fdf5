// What whoever is signed in has spent of their own limits, and what became of asking for more.
import { useQuery } from "@tanstack/react-query";
import { askForMore } from "./ask-for-more.tsx";
import type { IncreaseRequest } from "../../kit/server/api.ts";
import { useMe } from "../../kit/server/queries.ts";
import { periodNames, periods, periodWords, spendQueries } from "./spend.ts";
import { Button } from "../../kit/page/button.tsx";
import { Decider, StatusBadge } from "./increase-requests.tsx";
import { Card, Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { SpentOf } from "../../kit/value/money.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

/** Members of enterprise organizations may have limits of their own. */
export function OwnSpend() {
  return useMe().organization.type === "enterprise" ? <YourSpending /> : null;
}

function YourSpending() {
  const { data, error, refetch } = useQuery(spendQueries.own);
  const summaries = periods.flatMap(
    (period) => data?.data.filter((each) => each.period === period) ?? [],
  );
  const limited = summaries.filter(({ amount }) => amount !== null);
  const requests = data?.requests ?? [];
  const waiting = requests.filter(({ status }) => status === "pending");
  const open = limited.filter((each) => !waiting.some(({ period }) => period === each.period));
  return (
    <Section
      title="Your spending"
      note={
        data !== undefined && limited.length === 0
          ? "You have no limit of your own: those of the organization and the workspace hold."
          : "What you ask models for in the console, or with a token of yours, falls under each of these limits (UTC)."
      }
      actions={
        open.length > 0 && (
          <Button onClick={() => askForMore(open.map(({ period }) => period))}>Ask for more</Button>
        )
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} />}
      {data !== undefined && (
        <Card className="grid max-w-md gap-4">
          <dl className="grid gap-4">
            {summaries.map((summary) => (
              <div key={summary.period}>
                <dt className="mb-1 font-medium">{periodNames[summary.period]}</dt>
                <dd>
                  <SpentOf spent={summary.period_to_date_spend} limit={summary.amount} />
                </dd>
              </div>
            ))}
          </dl>
          <Answers requests={requests} />
        </Card>
      )}
    </Section>
  );
}

/** All that wait, and the last that was decided. */
function Answers({ requests }: { requests: IncreaseRequest[] }) {
  const decided = requests.find(({ status }) => status !== "pending");
  const shown = requests.filter((each) => each.status === "pending" || each === decided);
  if (shown.length === 0) return null;
  return (
    <ul aria-label="What you asked for" className="grid gap-3 border-t border-line pt-4 text-sm">
      {shown.map((request) => (
        <li key={request.id} className="grid gap-1">
          <span className="flex flex-wrap items-center gap-2">
            <StatusBadge status={request.status} />
            More a {periodWords[request.period]}
          </span>
          {request.reason !== null && (
            <q className="wrap-anywhere whitespace-pre-line text-soft">{request.reason}</q>
          )}
          <span className="text-soft">
            Asked <Time at={request.created_at} />
            {request.resolved_at !== null && (
              <>
                , decided <Time at={request.resolved_at} /> by <Decider request={request} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
