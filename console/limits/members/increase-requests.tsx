// Members who ask for a higher limit: those who wait for an answer, and what was decided.
import { useQuery } from "@tanstack/react-query";
import { HandCoins } from "lucide-react";
import { useState } from "react";
import { DecideRequest, type Deciding } from "./decide-request.tsx";
import type { IncreaseRequest } from "../../kit/server/api.ts";
import { usePaging } from "../../kit/list/paging.ts";
import { usePersonName } from "../../kit/value/people.ts";
import { useMe } from "../../kit/server/queries.ts";
import { nameOf, periodWords, spendQueries } from "./spend.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { Button } from "../../kit/page/button.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { Pager } from "../../kit/list/pager.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { SpendShare } from "./spend-share.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function IncreaseRequests() {
  return (
    <>
      <Pending />
      <Decided />
    </>
  );
}

/** How many wait, for the tab; nothing where nobody does. */
export function WaitingBadge() {
  const { data } = useQuery(spendQueries.pending());
  if (data === undefined || data.data.length === 0) return null;
  return (
    <span className="ml-1.5">
      <Badge tone="warn">
        {data.data.length}
        {data.next_page !== null && "+"}
        <span className="sr-only"> waiting</span>
      </Badge>
    </span>
  );
}

function Pending() {
  const mayDecide = useMe().permissions.includes("limits:write");
  const paging = usePaging("pending");
  const { data, error, refetch } = useQuery(spendQueries.pending(paging.cursor));
  const [deciding, setDeciding] = useState<Deciding>();
  return (
    <Section title="Waiting for an answer" note="Members ask on their page Account.">
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} />}
      {data?.data.length === 0 && (
        <EmptyState icon={HandCoins} title="Nobody waits">
          Whoever is close to a limit of their own may ask for more: it appears here at once.
          Approving sets their new limit.
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <Table
          label="Waiting requests"
          columns={pendingColumns(mayDecide ? setDeciding : undefined)}
          rows={data.data}
          keyOf={({ id }) => id}
        />
      )}
      <Pager
        paging={paging}
        next={data?.next_page ?? null}
        label={["Newer requests", "Older requests"]}
      />
      <DecideRequest deciding={deciding} onClose={() => setDeciding(undefined)} />
    </Section>
  );
}

const who: Column<IncreaseRequest> = {
  title: "Member",
  heads: true,
  cell: ({ actor }) => (
    <>
      <span className="line-clamp-2 font-medium wrap-anywhere">{nameOf(actor)}</span>
      {actor.name !== null && (
        <span className="block text-sm wrap-anywhere text-soft">{actor.email_address}</span>
      )}
    </>
  ),
};

const what: Column<IncreaseRequest> = {
  title: "Asks for",
  cell: ({ period, reason }) => (
    <div className="min-w-0 md:max-w-sm">
      More a {periodWords[period]}
      {reason !== null && (
        <q className="block text-sm wrap-anywhere whitespace-pre-line text-soft">{reason}</q>
      )}
    </div>
  ),
};

function pendingColumns(
  decide: ((deciding: Deciding) => void) | undefined,
): Column<IncreaseRequest>[] {
  const columns: Column<IncreaseRequest>[] = [
    who,
    what,
    {
      title: "Spent",
      cell: ({ spend_summary: summary }) =>
        summary !== null && (
          <SpendShare summary={summary} note={summary.amount === null ? "no limit" : undefined} />
        ),
    },
    { title: "Asked", cell: ({ created_at: at }) => <Time at={at} /> },
  ];
  if (decide !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      foot: true,
      className: "md:text-right",
      cell: (request) => (
        <span className="inline-flex flex-wrap gap-1.5 md:justify-end">
          <Button
            aria-label={`Approve the request of ${nameOf(request.actor)}`}
            onClick={() => decide({ kind: "approve", request })}
          >
            Approve
          </Button>
          <Button
            aria-label={`Deny the request of ${nameOf(request.actor)}`}
            onClick={() => decide({ kind: "deny", request })}
          >
            Deny
          </Button>
        </span>
      ),
    });
  return columns;
}

function Decided() {
  const paging = usePaging("decided");
  const { data, error, refetch } = useQuery(spendQueries.decided(paging.cursor));
  if (data?.data.length === 0) return null;
  return (
    <Section title="Decided">
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton rows={2} />}
      {data !== undefined && (
        <Table
          label="Decided requests"
          columns={decidedColumns}
          rows={data.data}
          keyOf={({ id }) => id}
        />
      )}
      <Pager
        paging={paging}
        next={data?.next_page ?? null}
        label={["Newer decisions", "Older decisions"]}
      />
    </Section>
  );
}

const decidedColumns: Column<IncreaseRequest>[] = [
  who,
  { ...what, title: "Asked for" },
  { title: "Answer", cell: ({ status }) => <StatusBadge status={status} /> },
  { title: "By", cell: (request) => <Decider request={request} /> },
  { title: "Decided", cell: ({ resolved_at: at }) => <Time at={at} /> },
];

const statuses: Record<IncreaseRequest["status"], [Tone, string]> = {
  pending: ["warn", "Waiting"],
  approved: ["good", "Approved"],
  denied: ["neutral", "Denied"],
};

export function StatusBadge({ status }: Pick<IncreaseRequest, "status">) {
  const [tone, word] = statuses[status];
  return <Badge tone={tone}>{word}</Badge>;
}

/** Whoever left is named all the same. */
export function Decider({ request: { resolved_by: by } }: { request: IncreaseRequest }) {
  const personName = usePersonName();
  if (by === null) return null;
  if (by.type === "scoped_api_key_actor") return "An admin key";
  return by.deleted ? (personName(by.user_id) ?? "Somebody who left") : nameOf(by);
}
