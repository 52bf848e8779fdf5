// One service account: its role, the workspaces that it works in, and the rules that give it tokens.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import {
  accountRoles,
  federationQueries,
  scopeName,
  type Account,
} from "../federation/federation.ts";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { FactRow, Facts, IdRow } from "../kit/value/facts.tsx";
import { Time } from "../kit/value/time.tsx";
import { LastUse } from "../object-page/last-use.tsx";
import { ObjectPage } from "../object-page/object-page.tsx";
import type { Subject } from "../object-page/subject.ts";
import { AccountRoleName } from "./account-role.tsx";
import { AccountWorkspaces } from "./account-workspaces.tsx";
import { accountActs } from "./service-account-acts.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const { permissions } = useMe();
  const subject: Subject = { kind: "account", id };
  const mayWrite = permissions.includes("service_accounts:write");
  return (
    <ObjectPage
      back={{ to: "/service-accounts", label: "All service accounts" }}
      noun="Service account"
      read={useQuery(federationQueries.account(id))}
      subject={subject}
      titleOf={({ name }) => name}
      aboutOf={({ description }) => description}
      actsOf={mayWrite ? accountActs : undefined}
      factsOf={(account) => <AccountFacts account={account} subject={subject} />}
      ownOf={(account) =>
        account.archived_at === null && (
          <>
            <AccountWorkspaces account={account} mayWrite={mayWrite} />
            {permissions.includes("federation:read") && <Rules account={account} />}
          </>
        )
      }
      limitedOf={({ archived_at: archived }) => (archived === null ? { person: id } : undefined)}
    />
  );
}

function AccountFacts({ account, subject }: { account: Account; subject: Subject }) {
  const { id, organization_role: role, archived_at: archived, created_at: created } = account;
  return (
    <Facts>
      <FactRow name="Role">
        <AccountRoleName role={role} />
        <span className="block text-sm text-soft">{accountRoles[role].means}</span>
      </FactRow>
      <IdRow id={id} />
      {archived === null ? (
        <FactRow name="Created">
          <Time at={created} />
        </FactRow>
      ) : (
        <FactRow name="Archived">
          <Badge>Archived</Badge> <Time at={archived} />: its tokens have ended, and nothing of it
          changes any more.
        </FactRow>
      )}
      <LastUse subject={subject} />
    </Facts>
  );
}

function Rules({ account }: { account: Account }) {
  const { data, error, refetch } = useQuery(federationQueries.rulesOf(account.id));
  return (
    <Section title="Rules" note="Who gets tokens that act under this name.">
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={2} />}
      {data?.length === 0 && (
        <p className="text-soft">
          No rule gives it tokens yet. Make one on the page{" "}
          <Link to="/federation" className="text-accent underline underline-offset-2">
            Federation
          </Link>
          .
        </p>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="grid gap-2 sm:grid-cols-2">
          {data.map((rule) => (
            <li key={rule.id} className="rounded-lg border border-line bg-surface px-4 py-3">
              <Link
                to="/federation/$id"
                params={{ id: rule.id }}
                className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
              >
                {rule.name}
              </Link>
              <p className="text-sm text-soft wrap-anywhere">
                {scopeName(rule.oauth_scope)}, for tokens of {rule.issuer_name}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
