// Where a service account works, with what role, and what may be done about it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus, UserPen, X } from "lucide-react";
import { useState } from "react";
import { MembershipActs, type MembershipAct } from "./service-account-workspaces.tsx";
import {
  federationQueries,
  useWorkspaces,
  type Account,
  type Membership,
} from "../federation/federation.ts";
import { ActMenu } from "../kit/list/act-menu.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { RoleName } from "../workspaces/tags.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function AccountWorkspaces({ account, mayWrite }: { account: Account; mayWrite: boolean }) {
  const [act, setAct] = useState<MembershipAct>();
  const { nameOf } = useWorkspaces();
  const { data, error, refetch } = useQuery(federationQueries.memberships(account.id));
  return (
    <Section
      title="Workspaces"
      note="Its tokens work in these, as far as a rule is enabled for them. Every account is in the default one."
      actions={
        mayWrite && (
          <Button onClick={() => setAct({ kind: "add" })}>
            <Plus size={16} aria-hidden />
            Add to a workspace
          </Button>
        )
      }
    >
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton rows={2} />}
      {data !== undefined && (
        <Table
          label="Workspaces"
          columns={columnsOf(nameOf, mayWrite ? setAct : undefined)}
          rows={data.data}
          keyOf={({ workspace_id: id }) => id}
        />
      )}
      <MembershipActs
        account={account}
        memberships={data?.data ?? []}
        act={act}
        onClose={() => setAct(undefined)}
      />
    </Section>
  );
}

function columnsOf(
  nameOf: (id: string) => string,
  onAct: ((act: MembershipAct) => void) | undefined,
): Column<Membership>[] {
  const columns: Column<Membership>[] = [
    {
      title: "Name",
      heads: true,
      cell: ({ workspace_id: id, implicit }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Link
            to="/workspaces/$id"
            params={{ id }}
            className="font-medium underline-offset-2 wrap-anywhere hover:underline"
          >
            {nameOf(id)}
          </Link>
          {implicit === true && <Badge tone="accent">Default</Badge>}
        </span>
      ),
    },
    { title: "Role", cell: ({ workspace_role: role }) => <RoleName role={role} /> },
  ];
  if (onAct !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      className: "text-right",
      cell: (membership) =>
        membership.implicit !== true && (
          <ActMenu
            label={`Change ${nameOf(membership.workspace_id)}`}
            acts={[
              {
                label: "Change the role",
                icon: UserPen,
                run: () => onAct({ kind: "change", membership }),
              },
              {
                label: "Remove",
                icon: X,
                isBad: true,
                run: () => onAct({ kind: "remove", membership }),
              },
            ]}
          />
        ),
    });
  return columns;
}
