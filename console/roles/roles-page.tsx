// Roles: what each gives in words, who has it, and what can be done with it.
import { Copy, Pencil, ShieldCheck, Trash2 } from "lucide-react";
import { groupQueries, renewGroups, summaryOf, type Role } from "../groups/groups.ts";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { nameColumn } from "../kit/list/columns.tsx";
import { ListPage } from "../kit/list/list-page.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { useAskedFor, useSearchState } from "../kit/page/search.ts";
import { api } from "../kit/server/api.ts";
import { useMe } from "../kit/server/queries.ts";
import { Badge } from "../kit/value/badge.tsx";
import { changeRole, newRole } from "./role-form.tsx";
import { RolePanel } from "./role-panel.tsx";

export function Page() {
  const mayWrite = useMe().permissions.includes("roles:write");
  const list = useWholeList(groupQueries.roles);
  const [search, change] = useSearchState();
  const opened = list.rows.find(({ id }) => id === search["role"]);
  useAskedFor({ role: mayWrite ? () => newRole() : undefined });
  const open = ({ id }: Role) => change({ role: id }, opened === undefined);
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
      create={mayWrite ? { label: "New role", run: () => newRole(), inPalette: false } : undefined}
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

/** A role that is built in can be copied only. */
function roleActs(role: Role, open: () => void): MenuAct[] {
  const isCustom = role.source.type === "custom";
  return [
    { label: "What it gives", icon: ShieldCheck, run: open },
    { label: "Change", icon: Pencil, when: isCustom, run: () => changeRole(role) },
    { label: "Make another like it", icon: Copy, run: () => newRole(role) },
    { label: "Delete", icon: Trash2, isBad: true, when: isCustom, run: () => remove(role) },
  ];
}

const remove = ({ id, display_name: name }: Role) =>
  confirm({
    title: "Delete this role?",
    label: "Delete role",
    run: () => api.rbac_roles.delete({ params: { rbac_role_id: id } }),
    done: `${name} is deleted`,
    renew: () => renewGroups(),
    children: (
      <p>
        <Named>{name}</Named> does not come back. Nobody loses access by it: a role that a group
        still has is not deleted.
      </p>
    ),
  });
