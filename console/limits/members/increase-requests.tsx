// Members who ask for a higher limit: those who wait for an answer, and what was decided.
import { HandCoins } from "lucide-react";
import { buttonColumn, nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import { ListView } from "../../kit/list/list-view.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import type { IncreaseRequest } from "../../kit/server/api.ts";
import { useMe } from "../../kit/server/queries.ts";
import { Badge, type Tone } from "../../kit/value/badge.tsx";
import { SpentOf } from "../../kit/value/money.tsx";
import { useNames } from "../../kit/value/names.ts";
import { approveRequest, denyRequest } from "./decide-request.tsx";
import { nameOf, periodWords, spendQueries } from "./spend.ts";
import { ObjectLink } from "../../kit/value/object-link.tsx";

export const IncreaseRequests = () => (
  <>
    <Pending />
    <Decided />
  </>
);

/** How many requests wait, for the tab; nothing where none does. */
export function WaitingBadge() {
  const { rows, more } = usePagedList(spendQueries.pending);
  if (rows.length === 0) return null;
  return (
    <span className="ml-1.5">
      <Badge tone="warn">
        {rows.length}
        {more !== undefined && "+"}
        <span className="sr-only"> waiting</span>
      </Badge>
    </span>
  );
}

function Pending() {
  const mayDecide = useMe().permissions.includes("limits:write");
  return (
    <Section title="Waiting for an answer" note="Members ask on their page Account.">
      <ListView
        label="Waiting requests"
        noun="request"
        icon={HandCoins}
        list={usePagedList(spendQueries.pending)}
        columns={mayDecide ? [...pendingColumns, actsColumn] : pendingColumns}
        empty={{
          title: "Nobody waits",
          children:
            "Whoever is close to a limit of their own may ask for more: it appears here at once. Approving sets their new limit.",
        }}
      />
    </Section>
  );
}

function Decided() {
  const list = usePagedList(spendQueries.decided);
  if (!list.isPending && list.error === null && list.rows.length === 0) return null;
  return (
    <Section title="Decided">
      <ListView
        label="Decided requests"
        noun="request"
        list={list}
        columns={decidedColumns}
        empty={{}}
      />
    </Section>
  );
}

const who = nameColumn<IncreaseRequest>({
  title: "Member",
  name: ({ actor }) => (
    <span className="line-clamp-2">
      <ObjectLink id={actor.user_id}>{nameOf(actor)}</ObjectLink>
    </span>
  ),
  below: ({ actor }) => actor.name !== null && actor.email_address,
});

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

const pendingColumns: Column<IncreaseRequest>[] = [
  who,
  what,
  {
    title: "Spent",
    cell: ({ spend_summary: summary }) =>
      summary !== null && (
        <SpentOf
          spent={summary.period_to_date_spend}
          limit={summary.amount}
          note={summary.amount === null ? "no limit" : undefined}
        />
      ),
  },
  timeColumn("Asked", ({ created_at: at }) => at),
];

const actsColumn = buttonColumn(
  ({ actor }: IncreaseRequest) => `the request of ${nameOf(actor)}`,
  (request) => [
    { label: "Approve", run: () => approveRequest(request) },
    { label: "Deny", run: () => denyRequest(request) },
  ],
);

const decidedColumns: Column<IncreaseRequest>[] = [
  who,
  { ...what, title: "Asked for" },
  { title: "Answer", cell: ({ status }) => <StatusBadge status={status} /> },
  { title: "By", cell: (request) => <Decider request={request} /> },
  timeColumn("Decided", ({ resolved_at: at }) => at),
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

/** A person who left is named all the same. */
export function Decider({ request: { resolved_by: by } }: { request: IncreaseRequest }) {
  const nameBehind = useNames();
  if (by === null) return null;
  if (by.type === "scoped_api_key_actor") return "An admin key";
  return by.deleted ? (nameBehind(by.user_id) ?? "Somebody who left") : nameOf(by);
}
