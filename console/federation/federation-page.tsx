// Federation: whose tokens the organization believes, and what it gives for them.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Handshake, Plus } from "lucide-react";
import { useState } from "react";
import { FederationActs, type FederationAct } from "./federation-acts.tsx";
import { useCommands } from "../kit/page/commands.ts";
import { federationQueries } from "./federation.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { CheckField } from "../kit/form/field.tsx";
import { IssuerTable } from "./issuers/issuer-table.tsx";
import { PageHeader, Section } from "../kit/page/page-header.tsx";
import { RuleTable } from "./rules/rule-table.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

type OnAct = ((act: FederationAct) => void) | undefined;

export function Page() {
  const mayWrite = useMe().permissions.includes("federation:write");
  const [search, change] = useSearchState();
  const [act, setAct] = useState<FederationAct>();
  const navigate = useNavigate();
  const isAll = search["archived"] === "shown";
  const issuers = useQuery(federationQueries.issuers(isAll));
  const onAct = mayWrite ? setAct : undefined;
  const isEmpty = issuers.data?.length === 0;
  usePageCommands(onAct, issuers.data?.some(({ archived_at: at }) => at === null) === true);
  return (
    <>
      <PageHeader title="Federation">
        Workloads that run elsewhere get access without a secret that somebody has to keep: their
        own platform signs a token that says who they are, and a rule gives one of ours for it.
      </PageHeader>
      <search aria-label="Filter" className="mb-4">
        <CheckField
          label="Show archived"
          checked={isAll}
          onChange={({ target }) => change({ archived: target.checked ? "shown" : undefined })}
        />
      </search>
      {issuers.error !== null && (
        <TroubleBox error={issuers.error} retry={() => void issuers.refetch()} />
      )}
      {issuers.isPending && <RowsSkeleton />}
      {isEmpty && <Lesson onAct={onAct} />}
      {issuers.data !== undefined && !isEmpty && (
        <>
          <Rules isAll={isAll} onAct={onAct} />
          <Section
            title="Issuers"
            note="Whose tokens are believed, and where the keys that sign them come from."
            actions={onAct !== undefined && <NewIssuer onAct={onAct} />}
          >
            <IssuerTable rows={issuers.data} {...(onAct && { onAct })} />
          </Section>
        </>
      )}
      <FederationActs
        act={act}
        onClose={() => setAct(undefined)}
        onMade={({ id }) => void navigate({ to: "/federation/$id", params: { id } })}
      />
    </>
  );
}

const NewIssuer = ({ onAct, first }: { onAct: NonNullable<OnAct>; first?: true }) => (
  <Button {...(first && { look: "primary" })} onClick={() => onAct({ kind: "new issuer" })}>
    <Plus size={16} aria-hidden />
    Register an issuer
  </Button>
);

function Lesson({ onAct }: { onAct: OnAct }) {
  return (
    <EmptyState
      icon={Handshake}
      title="No secret in the pipeline"
      action={onAct !== undefined && <NewIssuer onAct={onAct} first />}
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
}

function Rules({ isAll, onAct }: { isAll: boolean; onAct: OnAct }) {
  const list = useInfiniteQuery(federationQueries.rules(isAll));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const make = onAct !== undefined && (
    <Button look="primary" title="N" onClick={() => onAct({ kind: "new rule" })}>
      <Plus size={16} aria-hidden />
      New rule
    </Button>
  );
  return (
    <Section
      title="Rules"
      note="Which tokens become tokens of which service account."
      actions={rows.length > 0 && make}
    >
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && <RuleTable rows={rows} />}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState icon={Handshake} title="No rules yet" action={make}>
          An issuer alone gives nothing. A rule says which of its tokens are taken, by subject,
          claims and conditions, and which service account they become.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "rule")}
        {list.hasNextPage && " so far"}
      </p>
      {list.hasNextPage && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </Section>
  );
}

function usePageCommands(onAct: OnAct, hasIssuer: boolean): void {
  const group = "This page" as const;
  // A rule is of an issuer: the first thing to make is one.
  const kind = hasIssuer ? "new rule" : "new issuer";
  useCommands(
    onAct === undefined
      ? []
      : [
          {
            id: "federation:new",
            label: hasIssuer ? "New rule" : "Register an issuer",
            group,
            keys: "n",
            run: () => onAct({ kind }),
          },
        ],
  );
}
