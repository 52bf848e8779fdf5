// One webhook endpoint: where it leads, what it wants, a test, and the last deliveries.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft, CirclePause, CirclePlay, KeyRound, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { WebhookActs, type WebhookAct } from "./webhook-acts.tsx";
import { useMe } from "../kit/server/queries.ts";
import { eventWords, titleOf, webhookQueries, type Endpoint } from "./webhooks.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Card, PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookState } from "./webhook-state.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: endpoint, error, refetch } = useQuery(webhookQueries.one(id));
  const mayWrite = useMe().permissions.includes("webhooks:write");
  return (
    <>
      <Link
        to="/webhooks"
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        All webhooks
      </Link>
      <PageHeader
        title={endpoint === undefined ? "Webhook endpoint" : titleOf(endpoint)}
        actions={mayWrite && endpoint !== undefined && <Acts endpoint={endpoint} />}
      >
        {endpoint?.description}
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && endpoint === undefined && <RowsSkeleton />}
      {endpoint !== undefined && (
        <>
          <Facts endpoint={endpoint} />
          <WebhookDeliveries key={endpoint.id} endpoint={endpoint} mayWrite={mayWrite} />
        </>
      )}
    </>
  );
}

function Acts({ endpoint }: { endpoint: Endpoint }) {
  const [act, setAct] = useState<WebhookAct>();
  const navigate = useNavigate();
  const begin = (kind: Exclude<WebhookAct["kind"], "new">) => () => setAct({ kind, endpoint });
  const isOn = endpoint.state === "enabled";
  return (
    <div className="flex items-center gap-2">
      {!isOn && (
        <Button look="primary" onClick={begin("enable")}>
          <CirclePlay size={16} aria-hidden />
          Enable
        </Button>
      )}
      <Button onClick={begin("edit")}>
        <Pencil size={16} aria-hidden />
        Edit
      </Button>
      <ActMenu
        label="More for this webhook endpoint"
        acts={[
          { label: "New secret", icon: KeyRound, run: begin("secret") },
          { label: "Disable", icon: CirclePause, run: begin("disable"), when: isOn },
          { label: "Delete", icon: Trash2, run: begin("delete"), isBad: true },
        ]}
      />
      <WebhookActs
        act={act}
        onClose={() => setAct(undefined)}
        onDeleted={() => void navigate({ to: "/webhooks" })}
      />
    </div>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { id, url, enabled_events: types, disabled_reason: reason, created_at: at } = endpoint;
  return (
    <Card className="mb-8">
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
        <dt className="text-soft">State</dt>
        <dd className="max-sm:mb-2">
          <WebhookState endpoint={endpoint} />
          {reason !== "" && <p className="mt-1 text-bad wrap-anywhere">{reason}</p>}
        </dd>
        <dt className="text-soft">Address</dt>
        <dd className="font-mono text-sm break-all max-sm:mb-2">{url}</dd>
        <dt className="text-soft">Events</dt>
        <dd className="max-sm:mb-2">
          <ul className="grid gap-1">
            {types.map((type) => (
              <li key={type}>
                {eventWords[type]}{" "}
                <code className="font-mono text-sm text-soft wrap-anywhere">{type}</code>
              </li>
            ))}
          </ul>
        </dd>
        <dt className="text-soft">Id</dt>
        <dd className="flex min-w-0 flex-wrap items-center gap-2 max-sm:mb-2">
          <code className="font-mono text-sm break-all">{id}</code>
          <CopyButton text={id} label="Copy id" />
        </dd>
        <dt className="text-soft">Created</dt>
        <dd>
          <Time at={at} />
        </dd>
      </dl>
    </Card>
  );
}
