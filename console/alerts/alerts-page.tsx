// Alerts: what fires now and what has fired, the rules by which that is so, and who is mailed.
import { BellRing } from "lucide-react";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import type { Alert } from "../kit/server/api.ts";
import { Badge } from "../kit/value/badge.tsx";
import { aboutOf, kindWords, resolutionWords } from "./alerts.ts";
import { MailSettings } from "./mail-settings.tsx";
import { alertQueries } from "./queries.ts";
import { Rules } from "./rules.tsx";

export const Page = () => (
  <>
    <PageHeader title="Alerts">
      What is not as it should be: looked at every 30 seconds, shown here, mailed, and told to
      webhooks that take alert.firing and alert.resolved.
    </PageHeader>
    <Firing />
    <Rules />
    <MailSettings />
    <History />
  </>
);

function Firing() {
  return (
    <Section title="Firing now">
      <ListView
        label="Firing alerts"
        noun="alert"
        icon={BellRing}
        list={usePagedList(alertQueries.list("firing"))}
        columns={[what, state, since]}
        empty={{ title: "Nothing fires", children: "All is as the rules below want it." }}
      />
    </Section>
  );
}

function History() {
  const list = usePagedList(alertQueries.list("resolved"));
  if (!list.isPending && list.error === null && list.rows.length === 0) return null;
  return (
    <Section title="History" note="Alerts that were resolved are kept for 90 days.">
      <ListView
        label="Resolved alerts"
        noun="alert"
        list={list}
        columns={[what, ending, since, until]}
        empty={{}}
      />
    </Section>
  );
}

const what = nameColumn<Alert>({
  title: "Alert",
  name: ({ summary }) => summary,
  below: ({ kind }) => kindWords[kind],
  opens: aboutOf,
});

const state: Column<Alert> = {
  title: "State",
  cell: () => <Badge tone="bad">Firing</Badge>,
};

const ending: Column<Alert> = {
  title: "How it ended",
  cell: ({ resolution }) =>
    resolution !== null && (
      <Badge tone={resolution === "well" ? "good" : "neutral"}>{resolutionWords[resolution]}</Badge>
    ),
};

const since = timeColumn<Alert>("Since", ({ firing_since }) => firing_since);
const until = timeColumn<Alert>("Until", ({ resolved_at }) => resolved_at);
