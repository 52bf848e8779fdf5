// Webhooks: addresses that are told of what happens in the organization, or in a workspace.
import { useNavigate } from "@tanstack/react-router";
import { Webhook } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { FilterSelect, type SelectChoice } from "../kit/form/select.tsx";
import { useAskedFor, useSearchState, type Search } from "../kit/page/search.ts";
import { plural } from "../../client/text/words.ts";
import { webhookActs } from "./webhook-acts.tsx";
import { newWebhook } from "./webhook-form.tsx";
import { WebhookState } from "./webhook-state.tsx";
import { endpointsMax, titleOf, webhookQueries, type Endpoint, type Whose } from "./webhooks.ts";
import { useWhose } from "./whose.ts";

export function Page() {
  const { whose, mayWrite, mayChange, hasChoice, search } = useWhose();
  const isOwn = whose.of === "organization";
  const navigate = useNavigate();
  const make = () =>
    newWebhook(whose, ({ id }) => void navigate({ to: "/webhooks/$id", params: { id }, search }));
  useAskedFor({ webhook: mayWrite ? make : undefined });
  return (
    <ListPage
      title="Webhooks"
      about={`Addresses of yours that are told of what happens in ${isOwn ? "the organization" : "this workspace"}: each event is posted there, signed, until it is taken.`}
      noun="endpoint"
      note={` of at most ${endpointsMax}`}
      icon={Webhook}
      list={useWholeList(webhookQueries.list(whose))}
      columns={columnsOf(search)}
      nameOf={titleOf}
      acts={
        mayWrite
          ? (endpoint) => (mayChange(endpoint) ? webhookActs(whose, endpoint) : [])
          : undefined
      }
      create={mayWrite ? { label: "New endpoint", run: make, inPalette: false } : undefined}
      {...(hasChoice && { above: <WhoseChoice of={whose.of} /> })}
      empty={{
        title: "No webhook endpoints yet",
        children:
          "Make one for each program that wants to know at once: a pager, a chat, a job. It gets a secret by which it knows that an event comes from here.",
      }}
    />
  );
}

/** No filter: each of the two has a list of its own, which may be empty. */
function WhoseChoice({ of }: { of: Whose["of"] }) {
  const [, change] = useSearchState();
  return (
    <div className="mb-4 flex">
      <FilterSelect
        label="Whose webhooks"
        value={of}
        choices={whoseChoices}
        onChange={(value) => change({ of: value === "workspace" ? value : undefined })}
      />
    </div>
  );
}

const whoseChoices: readonly SelectChoice<Whose["of"]>[] = [
  { value: "organization", label: "Of the organization" },
  { value: "workspace", label: "Of this workspace" },
];

const columnsOf = (search: Search): Column<Endpoint>[] => [
  nameColumn<Endpoint>({
    className: "md:w-1/2",
    name: titleOf,
    below: ({ url }) => url,
    opens: ({ id }) => ({ to: "/webhooks/$id", params: { id }, search }),
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
