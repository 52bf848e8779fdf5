// Service accounts: workloads with names of their own.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Archive, Bot, Pencil, Plus } from "lucide-react";
import { useState } from "react";
import { AccountActs, type AccountAct } from "./service-account-acts.tsx";
import { useNewCommand } from "../kit/page/commands.ts";
import { federationQueries, type Account } from "../federation/federation.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { AccountRoleName } from "./account-role.tsx";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { CheckField } from "../kit/form/field.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("service_accounts:write");
  const [search, change] = useSearchState();
  const [act, setAct] = useState<AccountAct>();
  const navigate = useNavigate();
  const make = () => change({ new: "account" });
  useNewCommand("accounts:new", "New service account", mayWrite ? make : undefined);
  const isNew = search["new"] === "account" && mayWrite;
  return (
    <>
      <PageHeader title="Service accounts" actions={mayWrite && <NewAccount onClick={make} />}>
        Names under which workloads act: in the audit log, in what was used, in memories. They have
        no password and no key; rules of federation give them tokens.
      </PageHeader>
      <search aria-label="Filter" className="mb-4">
        <CheckField
          label="Show archived"
          checked={search["archived"] === "shown"}
          onChange={({ target }) => change({ archived: target.checked ? "shown" : undefined })}
        />
      </search>
      <List
        isAll={search["archived"] === "shown"}
        {...(mayWrite && { onAct: setAct, onMake: make })}
      />
      <AccountActs
        act={isNew ? { kind: "new" } : act}
        onClose={() => {
          setAct(undefined);
          if (isNew) change({ new: undefined });
        }}
        onMade={({ id }) => void navigate({ to: "/service-accounts/$id", params: { id } })}
      />
    </>
  );
}

function NewAccount({ onClick }: { onClick: () => void }) {
  return (
    <Button look="primary" onClick={onClick} title="N">
      <Plus size={16} aria-hidden />
      New service account
    </Button>
  );
}

function List({
  isAll,
  onAct,
  onMake,
}: {
  isAll: boolean;
  onAct?: (act: AccountAct) => void;
  onMake?: () => void;
}) {
  const list = useInfiniteQuery(federationQueries.accounts(isAll));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {rows.length > 0 && (
        <Table
          label="Service accounts"
          columns={columnsOf(onAct)}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
      {list.isSuccess && rows.length === 0 && (
        <EmptyState
          icon={Bot}
          title="No service accounts yet"
          action={onMake !== undefined && <NewAccount onClick={onMake} />}
        >
          Make one for each workload: a pipeline, a pod, a machine. Then a rule on the page{" "}
          <Link to="/federation" className="text-accent underline underline-offset-2">
            Federation
          </Link>{" "}
          says which tokens of their own platform become tokens of the account, and no secret has to
          be kept anywhere.
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {rows.length > 0 && plural(rows.length, "service account")}
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
    </>
  );
}

function columnsOf(onAct: ((act: AccountAct) => void) | undefined): Column<Account>[] {
  const columns: Column<Account>[] = [
    {
      title: "Name",
      heads: true,
      className: "md:w-1/2",
      cell: ({ id, name, description, archived_at: archived }) => (
        <>
          <span className="inline-flex flex-wrap items-center gap-2">
            <Link
              to="/service-accounts/$id"
              params={{ id }}
              className="font-medium text-accent underline-offset-2 wrap-anywhere hover:underline"
            >
              {name}
            </Link>
            {archived !== null && <Badge>Archived</Badge>}
          </span>
          {description !== null && description !== "" && (
            <span className="block text-sm text-soft wrap-anywhere">{description}</span>
          )}
        </>
      ),
    },
    { title: "Role", cell: ({ organization_role: role }) => <AccountRoleName role={role} /> },
    { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (account) =>
        account.archived_at === null && (
          <ActMenu
            label={`Change ${account.name}`}
            acts={[
              { label: "Edit", icon: Pencil, run: () => onAct({ kind: "edit", account }) },
              {
                label: "Archive",
                icon: Archive,
                isBad: true,
                run: () => onAct({ kind: "archive", account }),
              },
            ]}
          />
        ),
    });
  return columns;
}
