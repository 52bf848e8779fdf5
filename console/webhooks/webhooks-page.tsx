// Webhooks: addresses that are told of what happens in the organization.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { CirclePause, CirclePlay, KeyRound, Pencil, Plus, Trash2, Webhook } from "lucide-react";
import { useState } from "react";
import { WebhookActs, type WebhookAct } from "./webhook-acts.tsx";
import { useNewCommand } from "../kit/page/commands.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { endpointsMax, titleOf, webhookQueries, type Endpoint } from "./webhooks.ts";
import { plural } from "../kit/value/words.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WebhookState } from "./webhook-state.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("webhooks:write");
  const [search, change] = useSearchState();
  const [act, setAct] = useState<WebhookAct>();
  const navigate = useNavigate();
  const make = () => change({ new: "webhook" });
  const isNew = search["new"] === "webhook" && mayWrite;
  useNewCommand("webhooks:new", "New webhook endpoint", mayWrite ? make : undefined);
  return (
    <>
      <PageHeader title="Webhooks" actions={mayWrite && <NewEndpoint onClick={make} />}>
        Addresses of yours that are told of what happens in the organization: each event is posted
        there, signed, until it is taken.
      </PageHeader>
      <List {...(mayWrite && { onAct: setAct, onMake: make })} />
      <WebhookActs
        act={isNew ? { kind: "new" } : act}
        onClose={() => {
          setAct(undefined);
          if (isNew) change({ new: undefined });
        }}
        onMade={({ id }) => void navigate({ to: "/webhooks/$id", params: { id } })}
      />
    </>
  );
}

function NewEndpoint({ onClick }: { onClick: () => void }) {
  return (
    <Button look="primary" onClick={onClick} title="N">
      <Plus size={16} aria-hidden />
      New endpoint
    </Button>
  );
}

function List({ onAct, onMake }: { onAct?: (act: WebhookAct) => void; onMake?: () => void }) {
  const { data, error, refetch } = useQuery(webhookQueries.list);
  const rows = data?.data ?? [];
  return (
    <>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <RowsSkeleton />}
      {rows.length > 0 && (
        <Table
          label="Webhook endpoints"
          columns={columnsOf(onAct)}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
      {data !== undefined && rows.length === 0 && (
        <EmptyState
          icon={Webhook}
          title="No webhook endpoints yet"
          action={onMake !== undefined && <NewEndpoint onClick={onMake} />}
        >
          Make one for each program that wants to know at once: a pager, a chat, a job. It gets a
          secret by which it knows that an event comes from here.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && `${plural(rows.length, "endpoint")} of at most ${endpointsMax}`}
      </p>
    </>
  );
}

function columnsOf(onAct: ((act: WebhookAct) => void) | undefined): Column<Endpoint>[] {
  const columns: Column<Endpoint>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:w-1/2",
      cell: (endpoint) => (
        <>
          <Link
            to="/webhooks/$id"
            params={{ id: endpoint.id }}
            className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
          >
            {titleOf(endpoint)}
          </Link>
          <span className="line-clamp-2 text-sm text-soft wrap-anywhere">{endpoint.url}</span>
        </>
      ),
    },
    { title: "State", cell: (endpoint) => <WebhookState endpoint={endpoint} /> },
    {
      title: "Events",
      cell: ({ enabled_events: types }) => (
        <span title={types.join(", ")}>{plural(types.length, "type")}</span>
      ),
    },
    { title: "Changed", cell: ({ updated_at: at }) => <Time at={at} /> },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (endpoint) => (
        <ActMenu label={`Change ${titleOf(endpoint)}`} acts={actsOf(endpoint, onAct)} />
      ),
    });
  return columns;
}

function actsOf(endpoint: Endpoint, onAct: (act: WebhookAct) => void) {
  const act = (kind: Exclude<WebhookAct["kind"], "new">) => () => onAct({ kind, endpoint });
  const isOn = endpoint.state === "enabled";
  return [
    { label: "Edit", icon: Pencil, run: act("edit") },
    { label: "New secret", icon: KeyRound, run: act("secret") },
    { label: "Disable", icon: CirclePause, run: act("disable"), when: isOn },
    { label: "Enable", icon: CirclePlay, run: act("enable"), when: !isOn },
    { label: "Delete", icon: Trash2, run: act("delete"), isBad: true },
  ];
}
