// Where a service account works, and with what role.
import { Plus } from "lucide-react";
import {
  federationQueries,
  useWorkspaces,
  type Account,
  type Membership,
} from "../federation/federation.ts";
import { nameColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button } from "../kit/page/button.tsx";
import { Section } from "../kit/page/page-header.tsx";
import { Badge } from "../kit/value/badge.tsx";
import { RoleName } from "../workspaces/tags.tsx";
import { addToWorkspace, membershipActs } from "./membership-acts.tsx";
import { ObjectLink } from "../kit/value/object-link.tsx";

export function AccountWorkspaces({ account, mayWrite }: { account: Account; mayWrite: boolean }) {
  const { nameOf } = useWorkspaces();
  const list = useWholeList(federationQueries.memberships(account.id));
  const { rows } = list;
  return (
    <Section
      title="Workspaces"
      note="Its tokens work in these, as far as a rule is enabled for them. Every account is in the default one."
      actions={
        mayWrite && (
          <Button onClick={() => addToWorkspace(account, rows)}>
            <Plus size={16} aria-hidden />
            Add to a workspace
          </Button>
        )
      }
    >
      <ListView
        label="Workspaces"
        list={{ ...list, rows: rows.map((row) => ({ ...row, id: row.workspace_id })) }}
        columns={columnsOf(nameOf)}
        nameOf={({ id }) => nameOf(id)}
        acts={
          mayWrite
            ? (membership) => membershipActs(account, membership, nameOf(membership.id))
            : undefined
        }
        empty={{}}
      />
    </Section>
  );
}

const columnsOf = (nameOf: (id: string) => string): Column<Membership>[] => [
  nameColumn<Membership>({
    name: ({ workspace_id: id }) => <ObjectLink id={id}>{nameOf(id)}</ObjectLink>,
    beside: ({ implicit }) => implicit === true && <Badge tone="accent">Default</Badge>,
    opens: ({ workspace_id: id }) => ({ to: "/workspaces/$id", params: { id } }),
  }),
  { title: "Role", cell: ({ workspace_role: role }) => <RoleName role={role} /> },
];
