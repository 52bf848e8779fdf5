// One rule: what it takes and gives, how a workload uses it, a token tested against it, and what it refused.
import { useQuery } from "@tanstack/react-query";
import { DetailPage } from "../../kit/page/detail-page.tsx";
import { Section } from "../../kit/page/page-header.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { useMe } from "../../kit/server/queries.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { SnippetTabs } from "../../kit/value/snippet.tsx";
import { Time } from "../../kit/value/time.tsx";
import { exchangeSnippets, platformOf } from "../federation-presets.ts";
import { federationQueries, type Rule } from "../federation.ts";
import { ruleActs } from "./rule-acts.tsx";
import { RuleFacts } from "./rule-facts.tsx";
import { RuleRefusals } from "./rule-refusals.tsx";
import { TestToken } from "./rule-test.tsx";
import { RuleWorkspaces } from "./rule-workspaces.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const mayWrite = useMe().permissions.includes("federation:write");
  return (
    <DetailPage
      back={{ to: "/federation", label: "Federation" }}
      noun="Rule"
      read={useQuery(federationQueries.rule(id))}
      titleOf={({ name }) => name}
      aboutOf={(rule) => <About rule={rule} />}
      actsOf={mayWrite ? ruleActs : undefined}
    >
      {(rule) => <Parts key={rule.id} rule={rule} mayWrite={mayWrite} />}
    </DetailPage>
  );
}

const About = ({ rule: { archived_at: archived, description } }: { rule: Rule }) => (
  <>
    {archived !== null && (
      <>
        <Badge>Archived</Badge> <Time at={archived} />: it gives no more tokens.{" "}
      </>
    )}
    {description}
  </>
);

function Parts({ rule, mayWrite }: { rule: Rule; mayWrite: boolean }) {
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
  const issuer = issuers?.data.find(({ id }) => id === rule.issuer_id);
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
