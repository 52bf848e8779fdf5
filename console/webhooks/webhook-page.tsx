// One webhook endpoint: where it leads, what it wants, a test, and the last deliveries.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { webhookActs } from "./webhook-acts.tsx";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookState } from "./webhook-state.tsx";
import { eventWords } from "./event-words.ts";
import { titleOf, webhookQueries, type Endpoint, type Whose } from "./webhooks.ts";
import { useWhose } from "./whose.ts";
import { useIdOfPage } from "../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const { whose, mayChange, search } = useWhose();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: "/webhooks", search });
  return (
    <DetailPage
      back={{
        to: "/webhooks",
        search,
        label: whose.of === "workspace" ? "Webhooks of this workspace" : "All webhooks",
      }}
      noun="Webhook endpoint"
      read={useQuery(webhookQueries.one(whose, id))}
      titleOf={titleOf}
      aboutOf={({ description }) => description}
      actsOf={(endpoint) => (mayChange(endpoint) ? webhookActs(whose, endpoint, toList) : [])}
    >
      {(endpoint) => (
        <>
          <EndpointFacts whose={whose} endpoint={endpoint} />
          <WebhookDeliveries
            key={endpoint.id}
            whose={whose}
            endpoint={endpoint}
            mayWrite={mayChange(endpoint)}
          />
        </>
      )}
    </DetailPage>
  );
}

function EndpointFacts({ whose, endpoint }: { whose: Whose; endpoint: Endpoint }) {
  const { id, url, enabled_events: types, disabled_reason: reason, created_at: at } = endpoint;
  return (
    <Facts>
      <FactRow name="State">
        <WebhookState endpoint={endpoint} />
        {reason !== "" && <p className="mt-1 text-bad wrap-anywhere">{reason}</p>}
      </FactRow>
      <FactRow name="Address">
        <span className="font-mono text-sm break-all">{url}</span>
      </FactRow>
      <FactRow name="Told of">
        {whose.of === "workspace" ? "What happens in this workspace" : "The organization"}
      </FactRow>
      <FactRow name="Events">
        <ul className="grid gap-1">
          {types.map((type) => (
            <li key={type}>
              {eventWords[type]}{" "}
              <code className="font-mono text-sm text-soft wrap-anywhere">{type}</code>
            </li>
          ))}
        </ul>
      </FactRow>
      <IdRow id={id} />
      <FactRow name="Created">
        <Time at={at} />
      </FactRow>
    </Facts>
  );
}
