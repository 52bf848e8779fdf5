// One service account: its role, the workspaces that it works in, and the rules that give it tokens.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Archive, ArrowLeft, Pencil } from "lucide-react";
import { useState } from "react";
import { AccountActs, type AccountAct } from "./service-account-acts.tsx";
import {
  accountRoles,
  federationQueries,
  scopeName,
  type Account,
} from "../federation/federation.ts";
import { useMe } from "../kit/server/queries.ts";
import { AccountRoleName } from "./account-role.tsx";
import { AccountWorkspaces } from "./account-workspaces.tsx";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Card, PageHeader, Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const { data: account, error, refetch } = useQuery(federationQueries.account(id));
  return (
    <>
      <Link
        to="/service-accounts"
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        All service accounts
      </Link>
      <PageHeader
        title={account?.name ?? "Service account"}
        actions={account?.archived_at === null && <Acts account={account} />}
      >
        {account?.description}
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && account === undefined && <RowsSkeleton />}
      {account !== undefined && <Parts key={account.id} account={account} />}
    </>
  );
}

function Acts({ account }: { account: Account }) {
  const [act, setAct] = useState<AccountAct>();
  const mayWrite = useMe().permissions.includes("service_accounts:write");
  if (!mayWrite) return null;
  return (
    <div className="flex items-center gap-2">
      <Button onClick={() => setAct({ kind: "edit", account })}>
        <Pencil size={16} aria-hidden />
        Edit
      </Button>
      <ActMenu
        label="More for this service account"
        acts={[
          {
            label: "Archive",
            icon: Archive,
            isBad: true,
            run: () => setAct({ kind: "archive", account }),
          },
        ]}
      />
      <AccountActs act={act} onClose={() => setAct(undefined)} />
    </div>
  );
}

function Parts({ account }: { account: Account }) {
  const { permissions } = useMe();
  const { id, organization_role: role, archived_at: archived, created_at: created } = account;
  return (
    <>
      <Card className="mb-8">
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[auto_1fr]">
          <dt className="text-soft">Role</dt>
          <dd className="max-sm:mb-2">
            <AccountRoleName role={role} />
            <span className="block text-sm text-soft">{accountRoles[role].means}</span>
          </dd>
          <dt className="text-soft">Id</dt>
          <dd className="flex min-w-0 flex-wrap items-center gap-2 max-sm:mb-2">
            <code className="font-mono text-sm break-all">{id}</code>
            <CopyButton text={id} label="Copy id" />
          </dd>
          <dt className="text-soft">{archived === null ? "Created" : "Archived"}</dt>
          <dd>
            {archived === null ? (
              <Time at={created} />
            ) : (
              <>
                <Badge>Archived</Badge> <Time at={archived} />: its tokens have ended, and nothing
                of it changes any more.
              </>
            )}
          </dd>
        </dl>
      </Card>
      {archived === null && (
        <>
          <AccountWorkspaces
            account={account}
            mayWrite={permissions.includes("service_accounts:write")}
          />
          {permissions.includes("federation:read") && <Rules account={account} />}
        </>
      )}
    </>
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
