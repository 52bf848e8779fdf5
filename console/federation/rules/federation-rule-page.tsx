// One rule: what it takes and gives, how a workload uses it, a token tested against it, and what it refused.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Archive, ArrowLeft, Pencil } from "lucide-react";
import { useState } from "react";
import { FederationActs, type FederationAct } from "../federation-acts.tsx";
import { exchangeSnippets, platformOf } from "../federation-presets.ts";
import { federationQueries, type Rule } from "../federation.ts";
import { useMe } from "../../kit/server/queries.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { Badge } from "../../kit/value/badge.tsx";
import { Button } from "../../kit/page/button.tsx";
import { PageHeader, Section } from "../../kit/page/page-header.tsx";
import { RuleFacts } from "./rule-facts.tsx";
import { RuleRefusals } from "./rule-refusals.tsx";
import { TestToken } from "./rule-test.tsx";
import { RuleWorkspaces } from "./rule-workspaces.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { SnippetTabs } from "../../kit/value/snippet.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: rule, error, refetch } = useQuery(federationQueries.rule(id));
  return (
    <>
      <Link
        to="/federation"
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        Federation
      </Link>
      <PageHeader
        title={rule?.name ?? "Rule"}
        actions={rule?.archived_at === null && <Acts rule={rule} />}
      >
        {rule !== undefined && rule.archived_at !== null && (
          <>
            <Badge>Archived</Badge> <Time at={rule.archived_at} />: it gives no more tokens.{" "}
          </>
        )}
        {rule?.description}
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && rule === undefined && <RowsSkeleton />}
      {rule !== undefined && <Parts key={rule.id} rule={rule} />}
    </>
  );
}

function Acts({ rule }: { rule: Rule }) {
  const [act, setAct] = useState<FederationAct>();
  const mayWrite = useMe().permissions.includes("federation:write");
  if (!mayWrite) return null;
  return (
    <div className="flex items-center gap-2">
      <Button onClick={() => setAct({ kind: "edit rule", rule })}>
        <Pencil size={16} aria-hidden />
        Edit
      </Button>
      <ActMenu
        label="More for this rule"
        acts={[
          {
            label: "Archive",
            icon: Archive,
            isBad: true,
            run: () => setAct({ kind: "archive rule", rule }),
          },
        ]}
      />
      <FederationActs act={act} onClose={() => setAct(undefined)} />
    </div>
  );
}

function Parts({ rule }: { rule: Rule }) {
  const { permissions } = useMe();
  const mayWrite = permissions.includes("federation:write");
  const isLive = rule.archived_at === null;
  return (
    <>
      <RuleFacts rule={rule} />
      {isLive && <RuleWorkspaces rule={rule} mayWrite={mayWrite} />}
      {isLive && <Use rule={rule} />}
      {mayWrite && <TestToken rule={rule} />}
      <RuleRefusals rule={rule} />
    </>
  );
}

function Use({ rule }: { rule: Rule }) {
  const { organization } = useMe();
  const { data: issuers } = useQuery(federationQueries.issuers(true));
  const issuer = issuers?.find(({ id }) => id === rule.issuer_id);
  const place = { url: window.location.origin, organizationId: organization.id, rule };
  return (
    <Section
      title="Use it"
      note="The official client reads these variables, exchanges the token, and renews it in time."
    >
      {issuers === undefined ? (
        <RowsSkeleton rows={3} />
      ) : (
        <SnippetTabs snippets={exchangeSnippets(place, platformOf(issuer))} label="Exchange" />
      )}
    </Section>
  );
}
