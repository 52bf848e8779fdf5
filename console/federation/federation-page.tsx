// Federation: whose tokens the organization believes, and what it gives for them.
import { Link } from "@tanstack/react-router";
import { Handshake, Plus } from "lucide-react";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { FilterBar, type Filter } from "../kit/list/filters.tsx";
import { CreateButton, useNewCommand, type Create } from "../kit/list/list-page.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { usePagedList, useWholeList } from "../kit/list/list.ts";
import { Button } from "../kit/page/button.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useMe } from "../kit/server/queries.ts";
import { federationQueries } from "./federation.ts";
import { issuerActs } from "./issuers/issuer-acts.tsx";
import { issuerColumns } from "./issuers/issuer-columns.tsx";
import { newIssuer } from "./issuers/issuer-form.tsx";
import { ruleColumns } from "./rules/rule-columns.tsx";
import { newRule } from "./rules/rule-form.tsx";

const makeIssuer: Create = { label: "Register an issuer", run: newIssuer };
const makeRule: Create = { label: "New rule", run: newRule };
const filters: Filter[] = [{ kind: "check", name: "archived", label: "Show archived" }];

export function Page() {
  const mayWrite = useMe().permissions.includes("federation:write");
  const [{ archived }] = useSearchState();
  const isAll = archived === "shown";
  const issuers = useWholeList(federationQueries.issuers(isAll));
  const { rows, isPending, error, refetch } = issuers;
  // A rule is of an issuer: the first thing to make is one.
  const first = rows.some(({ archived_at: at }) => at === null) ? makeRule : makeIssuer;
  useNewCommand(mayWrite ? first : undefined);
  return (
    <>
      <PageHeader title="Federation">
        Workloads that run elsewhere get access without a secret that somebody has to keep: their
        own platform signs a token that says who they are, and a rule gives one of ours for it.
      </PageHeader>
      <FilterBar label="Filter" filters={filters} />
      {error !== null && <TroubleBox error={error} retry={refetch} />}
      {isPending && error === null && <RowsSkeleton />}
      {!isPending && rows.length === 0 && <Lesson mayWrite={mayWrite} />}
      {rows.length > 0 && (
        <>
          <Rules isAll={isAll} mayWrite={mayWrite} />
          <Section
            title="Issuers"
            note="Whose tokens are believed, and where the keys that sign them come from."
            actions={
              mayWrite && (
                <Button onClick={newIssuer}>
                  <Plus size={16} aria-hidden />
                  {makeIssuer.label}
                </Button>
              )
            }
          >
            <ListView
              label="Issuers"
              list={{ ...issuers, error: null }}
              columns={issuerColumns(mayWrite)}
              nameOf={({ name }) => name}
              acts={mayWrite ? issuerActs : undefined}
              empty={{}}
            />
          </Section>
        </>
      )}
    </>
  );
}

function Rules({ isAll, mayWrite }: { isAll: boolean; mayWrite: boolean }) {
  const list = usePagedList(federationQueries.rules(isAll));
  const make = mayWrite && <CreateButton create={makeRule} />;
  return (
    <Section
      title="Rules"
      note="Which tokens become tokens of which service account."
      actions={list.rows.length > 0 && make}
    >
      <ListView
        label="Rules"
        noun="rule"
        icon={Handshake}
        list={list}
        columns={ruleColumns}
        empty={{
          title: "No rules yet",
          action: make,
          children:
            "An issuer alone gives nothing. A rule says which of its tokens are taken, by subject, claims and conditions, and which service account they become.",
        }}
      />
    </Section>
  );
}

const Lesson = ({ mayWrite }: { mayWrite: boolean }) => (
  <EmptyState
    icon={Handshake}
    title="No secret in the pipeline"
    action={mayWrite && <CreateButton create={makeIssuer} />}
  >
    <ol className="mt-2 grid list-decimal gap-1.5 pl-6 text-left">
      <li>
        Make a{" "}
        <Link to="/service-accounts" className="text-accent underline underline-offset-2">
          service account
        </Link>
        : the name under which the workload acts.
      </li>
      <li>Register the issuer: GitHub Actions, your cluster, any OpenID Connect provider.</li>
      <li>Make a rule: which of its tokens become tokens of the account, for what and where.</li>
      <li>Test a token against the rule, then copy the variables to where the workload runs.</li>
    </ol>
  </EmptyState>
);
