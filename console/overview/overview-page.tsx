// What runs here, how much is going on, and how to send the first request.
import { LockKeyhole } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview } from "../kit/server/api.ts";
import { AlertsBanner } from "../alerts/alerts-banner.tsx";
import { auditQueries } from "../audit/queries.ts";
import { queries, useMe, useServerUrl } from "../kit/server/queries.ts";
import { firstRequest } from "../kit/value/snippets.ts";
import { durationSince, exactTime } from "../kit/value/time.ts";
import { plural } from "../../client/text/words.ts";
import { AuditLine } from "../audit/audit-line.tsx";
import { visiblePages } from "../pages.tsx";
import { BatchesUnderWay } from "../batches/batches-under-way.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { MonthCost } from "../usage/month-cost.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton, Skeleton } from "../kit/page/skeleton.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { Sparkline } from "../kit/chart/sparkline.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

/** The numbers are the organization's: not for whoever has what the roles of their groups give, and nothing else. */
export function Page() {
  return useMe().permissions.includes("organization:read") ? <Everything /> : <OwnAccess />;
}

function OwnAccess() {
  const me = useMe();
  const own = visiblePages(me).filter(({ path }) => path !== "/" && path !== "/account");
  return (
    <>
      <PageHeader title={`Welcome to ${me.organization.name}`} />
      {me.permissions.includes("usage:read") && (
        <dl className="mb-8 max-w-xs">
          <MonthCost />
        </dl>
      )}
      {own.length === 0 ? (
        <EmptyState icon={LockKeyhole} title="Nothing is open to you yet">
          What you may do comes from the groups that you are in. Ask an administrator of{" "}
          {me.organization.name} to add you to one: the pages appear here at once.
        </EmptyState>
      ) : (
        <Section title="Open to you" note="By the roles of the groups that you are in.">
          <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
            {own.map(({ path, title, icon: Icon }) => (
              <li key={path}>
                <Link
                  to={path}
                  className="flex items-center gap-2.5 rounded-lg border border-line bg-surface px-4 py-3 hover:bg-hover"
                >
                  <Icon size={18} aria-hidden className="shrink-0 text-accent" />
                  <span className="font-medium">{title}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Everything() {
  const { permissions } = useMe();
  const url = useServerUrl();
  const { data, error, refetch } = useQuery(queries.overview);
  return (
    <>
      <PageHeader title="Overview">
        {data === undefined ? "Plinth" : <Running server={data.server} />}
      </PageHeader>
      <AlertsBanner />
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && <Numbers overview={data} />}
      {permissions.includes("batches:use") && <BatchesUnderWay />}
      <div className="grid gap-x-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Section title="First request" note={<WaysToAsk />}>
          <Card>
            <SnippetTabs snippets={firstRequest(url)} label="First request" />
          </Card>
        </Section>
        {permissions.includes("audit:read") && <Recent />}
      </div>
    </>
  );
}

/** A key, from the page of keys or from whoever may make one; without one, the playground. */
function WaysToAsk() {
  const { permissions, organization } = useMe();
  return (
    <>
      Ask a model. You need{" "}
      {permissions.includes("api_keys:write") ? (
        <Link
          to="/keys"
          search={{ new: "api" }}
          className="text-accent underline underline-offset-2"
        >
          an API key
        </Link>
      ) : (
        `an API key: ask an owner of ${organization.name} for one`
      )}
      {permissions.includes("messages:use") && (
        <>
          , or try it in the{" "}
          <Link to="/playground" className="text-accent underline underline-offset-2">
            playground
          </Link>
        </>
      )}
      .
    </>
  );
}

function Running({ server }: { server: Overview["server"] }) {
  const { version, node, database, started_at, workers } = server;
  const where = database.kind === "embedded" ? "its own Postgres" : "Postgres";
  return (
    <>
      Plinth {version} on Node {node.replace(/^v/, "")}, {plural(workers, "process", "processes")},
      with {where} {database.version}, up for{" "}
      <time dateTime={started_at} title={exactTime(started_at)}>
        {durationSince(started_at)}
      </time>
      .
    </>
  );
}

function Numbers({ overview }: { overview: Overview | undefined }) {
  const { keys, members, workspaces, requests } = overview ?? {};
  const failed = requests?.errors_last_hour ?? 0;
  const mayCost = useMe().permissions.includes("usage:read");
  return (
    <dl
      className={`mb-8 grid grid-cols-2 gap-3 ${mayCost ? "lg:grid-cols-[3fr_3fr_2fr_2fr_2fr]" : "lg:grid-cols-4"}`}
    >
      <Figure
        name="Requests, last hour"
        value={requests?.last_hour}
        note={failed === 0 ? "No errors" : plural(failed, "error")}
        alarming={failed > 0}
        picture={requests !== undefined && <Sparkline values={requests.by_minute} />}
      />
      {mayCost && <MonthCost />}
      <Figure
        name="Active keys"
        value={keys?.active}
        note={`${(keys?.used_last_day ?? 0).toLocaleString("en")} used in the last day`}
      />
      <Figure name="Workspaces" value={workspaces} />
      <Figure name="Members" value={members} />
    </dl>
  );
}

function Figure({
  name,
  value,
  note,
  alarming = false,
  picture,
}: {
  name: string;
  value: number | undefined;
  note?: string;
  alarming?: boolean;
  picture?: ReactNode;
}) {
  return (
    <div className="relative rounded-lg border border-line bg-surface px-4 py-3">
      <dt className="text-sm text-soft">{name}</dt>
      <dd>
        {value === undefined ? (
          <Skeleton className="my-1.5 h-6 w-12" />
        ) : (
          <span className="block text-xl font-semibold tracking-tight">
            {value.toLocaleString("en")}
          </span>
        )}
        {picture}
        {note !== undefined && value !== undefined && (
          <span className={`text-sm ${alarming ? "text-bad" : "text-soft"}`}>{note}</span>
        )}
      </dd>
    </div>
  );
}

function Recent() {
  const { data, error, refetch } = useQuery(auditQueries.recent);
  return (
    <Section
      title="Recent activity"
      note={
        <Link to="/audit" className="text-accent underline underline-offset-2">
          Open the audit log
        </Link>
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={4} />}
      {data !== undefined && (
        <ol className="rounded-lg border border-line bg-surface">
          {data.data.map((entry) => (
            <li key={entry.id} className="border-line px-4 py-2.5 not-last:border-b">
              <AuditLine entry={entry} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
