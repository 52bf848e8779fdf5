// The last deliveries to a webhook endpoint as they go, and a test event that is watched on its way.
import { useQuery } from "@tanstack/react-query";
import { Inbox, Send } from "lucide-react";
import { useState } from "react";
import { useAct } from "../kit/form/act.ts";
import { queryClient } from "../kit/server/queries.ts";
import { now } from "../kit/value/time.ts";
import {
  answerOf,
  callsOf,
  outcomeOf,
  webhookQueries,
  type Delivery,
  type Endpoint,
  type Whose,
} from "./webhooks.ts";
import { eventWords, type EventType } from "./event-words.ts";
import { plural } from "../../client/text/words.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { FilterSelect } from "../kit/form/select.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function WebhookDeliveries({
  whose,
  endpoint,
  mayWrite,
}: {
  whose: Whose;
  endpoint: Endpoint;
  mayWrite: boolean;
}) {
  const { data, error, refetch } = useQuery(webhookQueries.deliveries(whose, endpoint.id));
  const rows = data?.data ?? [];
  return (
    <>
      {mayWrite && <SendTest whose={whose} endpoint={endpoint} rows={rows} />}
      <Section
        title="Last deliveries"
        note="The newest twenty. An event that is not taken is tried eight times within a day."
      >
        {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <RowsSkeleton rows={3} />}
        {data !== undefined && rows.length === 0 && (
          <EmptyState icon={Inbox} title="Nothing was delivered yet">
            Each event that goes to this address stands here with what was answered.
          </EmptyState>
        )}
        {rows.length > 0 && (
          <Table
            label="Last deliveries"
            columns={mayWrite ? [...columns, replayColumn(whose, endpoint)] : columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </Section>
    </>
  );
}

const replayColumn = (whose: Whose, endpoint: Endpoint): Column<Delivery> => ({
  title: "Send again",
  cell: (delivery) =>
    delivery.state !== "waiting" &&
    endpoint.state === "enabled" && (
      <Replay whose={whose} endpoint={endpoint} delivery={delivery} />
    ),
});

/** The same event under the same id: a receiver that has it already knows it by that. */
function Replay({
  whose,
  endpoint: { id },
  delivery,
}: {
  whose: Whose;
  endpoint: Endpoint;
  delivery: Delivery;
}) {
  const replay = useAct({
    mutationFn: () => callsOf(whose).replay(id, delivery.id),
    onSuccess: () =>
      queryClient.invalidateQueries({ queryKey: webhookQueries.deliveries(whose, id).queryKey }),
  });
  return (
    <div className="grid gap-1">
      <Button look="plain" busy={replay.isPending} onClick={() => replay.mutate()}>
        Replay
      </Button>
      {replay.error !== null && (
        <span role="alert" className="text-sm text-bad wrap-anywhere">
          {replay.error.message}
        </span>
      )}
    </div>
  );
}

function SendTest({
  whose,
  endpoint,
  rows,
}: {
  whose: Whose;
  endpoint: Endpoint;
  rows: Delivery[];
}) {
  const { id, enabled_events: types, state } = endpoint;
  const [chosen, choose] = useState<EventType>();
  const [sent, setSent] = useState<Delivery>();
  const type = chosen !== undefined && types.includes(chosen) ? chosen : types[0];
  const send = useAct({
    mutationFn: () => callsOf(whose).test(id, type),
    onSuccess: (delivery) => {
      setSent(delivery);
      void queryClient.invalidateQueries({
        queryKey: webhookQueries.deliveries(whose, id).queryKey,
      });
    },
  });
  const shown = rows.find((row) => row.id === sent?.id) ?? sent;
  return (
    <Section
      title="Test"
      note="A test event is signed and repeated as any other; the header plinth-webhook-test says that it is a test."
    >
      <div className="flex flex-wrap items-center gap-2">
        {type !== undefined && (
          <FilterSelect
            label="Event of the test"
            value={type}
            choices={types.map((each) => ({ value: each, label: each }))}
            onChange={choose}
          />
        )}
        <Button
          look="primary"
          busy={send.isPending}
          disabled={state === "disabled"}
          onClick={() => send.mutate()}
        >
          <Send size={16} aria-hidden />
          Send a test event
        </Button>
        {state === "disabled" && <span className="text-soft">Enable the endpoint first.</span>}
      </div>
      {send.error !== null && (
        <div className="mt-3">
          <TroubleBox error={send.error} />
        </div>
      )}
      <div role="status" aria-label="Outcome of the test" className="mt-3">
        {shown !== undefined && send.error === null && (
          <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
            <Outcome delivery={shown} />
            <span className="min-w-0 wrap-anywhere">
              {answerOf(shown) ?? "Waiting for the address to answer, for ten seconds at most."}
            </span>
          </p>
        )}
      </div>
    </Section>
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const { label, tone } = outcomeOf(delivery);
  return <Badge tone={tone}>{label}</Badge>;
}

const columns: Column<Delivery>[] = [
  {
    title: "Event",
    heads: true,
    className: "md:w-2/5",
    cell: ({ event_type: type, event_id: id, is_test: isTest }) => (
      <>
        <span className="inline-flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
          {(eventWords as Record<string, string>)[type] ?? type}
          {isTest && <Badge>Test</Badge>}
        </span>
        <code className="block font-mono text-sm break-all text-soft">{id}</code>
      </>
    ),
  },
  {
    title: "Outcome",
    className: "md:w-1/3",
    cell: (delivery) => (
      <div className="min-w-0">
        <Outcome delivery={delivery} />
        <span className="block text-sm text-soft wrap-anywhere">{answerOf(delivery)}</span>
      </div>
    ),
  },
  {
    title: "Attempts",
    cell: ({ attempts, next_attempt_at: next, state }) => (
      <span>
        {plural(attempts, "attempt")}
        {state === "waiting" && attempts > 0 && next !== null && (
          <span className="block text-sm text-soft">
            Next: <Soon at={next} />
          </span>
        )}
      </span>
    ),
  },
  { title: "Happened", cell: ({ created_at: at }) => <Time at={at} /> },
];

const soonMs = 60_000;

/** What is to come within a minute is not "just now". */
function Soon({ at }: { at: string }) {
  const isSoon = Date.parse(at) - now().getTime() < soonMs;
  return isSoon ? <time dateTime={at}>within a minute</time> : <Time at={at} />;
}
