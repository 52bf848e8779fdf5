// Roles: what each gives in words, who has it, and the editor.
import { ShieldCheck } from "lucide-react";
import { groupQueries, summaryOf, type Role } from "../groups/groups.ts";
import { nameColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useSearchState } from "../kit/page/search.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { roleActs } from "./role-acts.tsx";
import { newRole } from "./role-form.tsx";
import { RolePanel } from "./role-panel.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("roles:write");
  const list = useWholeList(groupQueries.roles);
  const [search, change] = useSearchState();
  const opened = list.rows.find(({ id }) => id === search["role"]);
  const open = ({ id }: Role) => change({ role: id });
  return (
    <ListPage
      title="Roles"
      about="A role says what managed members may do. They have it by the groups that they are in."
      noun="role"
      icon={ShieldCheck}
      list={list}
      columns={columnsOf(open)}
      selected={opened?.id}
      nameOf={({ display_name: name }) => name}
      acts={mayWrite ? (role) => roleActs(role, () => open(role)) : undefined}
      create={mayWrite ? { label: "New role", run: () => newRole() } : undefined}
      empty={{ title: "No roles yet", children: "Make one, and give it to groups." }}
    >
      <RolePanel role={opened} onClose={() => change({ role: undefined })} />
    </ListPage>
  );
}

const columnsOf = (open: (role: Role) => void): Column<Role>[] => [
  nameColumn({
    className: "md:min-w-56",
    name: ({ display_name: name }) => name,
    below: ({ description }) => description,
    opens: (role) => () => open(role),
  }),
  {
    title: "Kind",
    cell: ({ source, grants_owner_access: isOwners }) => (
      <span className="flex flex-wrap gap-1">
        <Badge tone={source.type === "built_in" ? "neutral" : "accent"}>
          {source.type === "built_in" ? "Built in" : "Custom"}
        </Badge>
        {isOwners && <Badge tone="warn">Owner access</Badge>}
      </span>
    ),
  },
  { title: "Gives", cell: ({ actions }) => summaryOf(actions) },
];
