// Webhooks: addresses that are told of what happens in the organization.
import { useNavigate } from "@tanstack/react-router";
import { Webhook } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { plural } from "../../client/text/words.ts";
import { webhookActs } from "./webhook-acts.tsx";
import { newWebhook } from "./webhook-form.tsx";
import { WebhookState } from "./webhook-state.tsx";
import { endpointsMax, titleOf, webhookQueries, type Endpoint } from "./webhooks.ts";

export function Page() {
  const mayWrite = useMe().permissions.includes("webhooks:write");
  const navigate = useNavigate();
  const make = () => newWebhook(({ id }) => void navigate({ to: "/webhooks/$id", params: { id } }));
  useAskedFor({ webhook: mayWrite ? make : undefined });
  return (
    <ListPage
      title="Webhooks"
      about="Addresses of yours that are told of what happens in the organization: each event is posted there, signed, until it is taken."
      noun="endpoint"
      note={` of at most ${endpointsMax}`}
      icon={Webhook}
      list={useWholeList(webhookQueries.list)}
      columns={columns}
      nameOf={titleOf}
      acts={mayWrite ? (endpoint) => webhookActs(endpoint) : undefined}
      create={mayWrite ? { label: "New endpoint", run: make, inPalette: false } : undefined}
      empty={{
        title: "No webhook endpoints yet",
        children:
          "Make one for each program that wants to know at once: a pager, a chat, a job. It gets a secret by which it knows that an event comes from here.",
      }}
    />
  );
}

const columns: Column<Endpoint>[] = [
  nameColumn<Endpoint>({
    className: "md:w-1/2",
    name: titleOf,
    below: ({ url }) => url,
    opens: ({ id }) => ({ to: "/webhooks/$id", params: { id } }),
  }),
  { title: "State", cell: (endpoint) => <WebhookState endpoint={endpoint} /> },
  {
    title: "Events",
    cell: ({ enabled_events: types }) => (
      <span title={types.join(", ")}>{plural(types.length, "type")}</span>
    ),
  },
  timeColumn("Changed", ({ updated_at: at }) => at),
];
