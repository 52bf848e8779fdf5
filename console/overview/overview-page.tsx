// What goes on: each figure answers a question of the day, and leads to the list behind it.
import { LockKeyhole } from "lucide-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview as Facts } from "../kit/server/api.ts";
import { AlertsBanner } from "../alerts/alerts-banner.tsx";
import { auditQueries } from "../audit/queries.ts";
import { queries, useMe } from "../kit/server/queries.ts";
import { durationSince, exactTime } from "../kit/value/time.ts";
import { plural } from "../../client/text/words.ts";
import { AuditLines } from "../audit/audit-line.tsx";
import { visiblePages } from "../pages.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { MonthCost } from "../usage/month-cost.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton, Skeleton } from "../kit/page/skeleton.tsx";
import { Sparkline } from "../kit/chart/sparkline.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { FirstRequest } from "./first-request.tsx";
import { lastHour } from "./links.ts";
import { overviewQuery, type Overview } from "./queries.ts";
import { SpendLimits } from "./spend.tsx";
import { periodOf, TopSpenders } from "./top-spenders.tsx";
import { Storage, UnderWay } from "./under-way.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";
import { WaitingForPeople } from "./waiting.tsx";

/** The numbers are the organization's: not for a person who has nothing but what the roles of their groups give. */
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
  const [search, change] = useSearchState();
  const period = periodOf(search["spent"]);
  const facts = useQuery(queries.overview);
  const { data, error, refetch } = useQuery(overviewQuery(period));
  return (
    <>
      <PageHeader title="Overview">
        {facts.data === undefined ? "Plinth" : <Running server={facts.data.server} />}
      </PageHeader>
      <AlertsBanner />
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && <Numbers facts={facts.data} overview={data} />}
      {data === undefined && error === null && <RowsSkeleton rows={6} />}
      {data !== undefined && (
        <>
          {!data.requests.has_asked_a_model && <FirstRequest />}
          <WaitingForPeople waiting={data.waiting} />
          <div className="grid gap-x-8 lg:grid-cols-2">
            <UpstreamHealth overview={data} />
            {data.spend !== null && <SpendLimits spend={data.spend} />}
          </div>
          {data.top !== null && (
            <TopSpenders
              top={data.top}
              period={period}
              setPeriod={(next) => change({ spent: next === "yesterday" ? undefined : next })}
            />
          )}
          <div className="grid gap-x-8 lg:grid-cols-2">
            <UnderWay underWay={data.under_way} />
            {data.storage !== null && <Storage storage={data.storage} />}
          </div>
        </>
      )}
      {permissions.includes("audit:read") && <Recent />}
    </>
  );
}

function Running({ server }: { server: Facts["server"] }) {
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

function Numbers({
  facts,
  overview,
}: {
  facts: Facts | undefined;
  overview: Overview | undefined;
}) {
  const { keys, members, workspaces } = facts ?? {};
  const requests = overview?.requests;
  const { permissions } = useMe();
  const mayCost = permissions.includes("usage:read");
  return (
    <dl
      className={`mb-8 grid grid-cols-2 gap-3 ${mayCost ? "lg:grid-cols-[3fr_3fr_2fr_2fr_2fr]" : "lg:grid-cols-4"}`}
    >
      <Figure
        name="Requests, last hour"
        value={requests?.last_hour.requests}
        note={overview !== undefined && <Compared overview={overview} />}
        picture={requests !== undefined && <Sparkline values={requests.by_minute} />}
      />
      {mayCost && <MonthCost />}
      <Figure
        name="Active keys"
        to={permissions.includes("api_keys:read") ? "/keys" : undefined}
        value={keys?.active}
        note={`${(keys?.used_last_day ?? 0).toLocaleString("en")} used in the last day`}
      />
      <Figure
        name="Workspaces"
        value={workspaces}
        to={permissions.includes("workspaces:read") ? "/workspaces" : undefined}
      />
      <Figure
        name="Members"
        value={members}
        to={permissions.includes("members:read") ? "/members" : undefined}
      />
    </dl>
  );
}

/** Errors, and the hour before; both lead to the log, for those who may read it. */
function Compared({ overview }: { overview: Overview }) {
  const { last_hour: now, hour_before: before } = overview.requests;
  const { permissions, organization } = useMe();
  const hasLog = permissions.includes("usage:read") && organization.type !== "platform_cloud";
  const errors = now.errors === 0 ? "No errors" : plural(now.errors, "error");
  const tone = now.errors > 0 ? "text-bad" : "text-soft";
  const beforeWords = `; the hour before ${plural(before.requests, "request")}, ${plural(before.errors, "error")}`;
  if (!hasLog)
    return (
      <>
        <span className={tone}>{errors}</span>
        {beforeWords}
      </>
    );
  const hour = lastHour(overview);
  return (
    <>
      <Link
        to="/requests"
        search={{ ...hour, status: "error" }}
        className={`${tone} underline underline-offset-2`}
      >
        {errors}
      </Link>
      {beforeWords}
      {/* In a line of its own: the picture stands beside it. */}
      <Link
        to="/requests"
        search={hour}
        className="block w-fit text-accent underline underline-offset-2"
      >
        Open the log
      </Link>
    </>
  );
}

function Figure({
  name,
  value,
  to,
  note,
  picture,
}: {
  name: string;
  value: number | undefined;
  /** The list behind it, for those who may read it. */
  to?: "/keys" | "/workspaces" | "/members" | undefined;
  note?: ReactNode;
  picture?: ReactNode;
}) {
  return (
    <div className="relative rounded-lg border border-line bg-surface px-4 py-3">
      <dt className="text-sm text-soft">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="underline underline-offset-2 after:absolute after:inset-0">
            {name}
          </Link>
        )}
      </dt>
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
          <span className="block text-sm text-soft">{note}</span>
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
      {data !== undefined && <AuditLines entries={data.data} />}
    </Section>
  );
}
