// Service accounts: workloads with names of their own.
import { Link } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { federationQueries, type Account } from "../federation/federation.ts";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import type { Filter } from "../kit/list/filters.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { usePagedList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { AccountRoleName } from "./account-role.tsx";
import { accountActs } from "./service-account-acts.tsx";
import { newAccount } from "./service-account-form.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("service_accounts:write");
  const [{ archived }] = useSearchState();
  useAskedFor({ account: mayWrite ? newAccount : undefined });
  return (
    <ListPage
      title="Service accounts"
      about="Names under which workloads act: in the audit log, in what was used, in memories. They have no password and no key; rules of federation give them tokens."
      noun="service account"
      icon={Bot}
      list={usePagedList(federationQueries.accounts(archived === "shown"))}
      columns={columns}
      nameOf={({ name }) => name}
      acts={mayWrite ? accountActs : undefined}
      create={
        mayWrite ? { label: "New service account", run: newAccount, inPalette: false } : undefined
      }
      filters={filters}
      empty={{ title: "No service accounts yet", children: <First /> }}
    />
  );
}

const filters: Filter[] = [{ kind: "check", name: "archived", label: "Show archived" }];

const First = () => (
  <>
    Make one for each workload: a pipeline, a pod, a machine. Then a rule on the page{" "}
    <Link to="/federation" className="text-accent underline underline-offset-2">
      Federation
    </Link>{" "}
    says which tokens of their own platform become tokens of the account, and no secret has to be
    kept anywhere.
  </>
);

const columns: Column<Account>[] = [
  nameColumn<Account>({
    className: "md:w-1/2",
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/service-accounts/$id", params: { id } }),
  }),
  { title: "Role", cell: ({ organization_role: role }) => <AccountRoleName role={role} /> },
  timeColumn("Created", ({ created_at: at }) => at),
];
