// What can be done with a role. One that is built in can be copied only.
import { Copy, Pencil, ShieldCheck, Trash2 } from "lucide-react";
import { renewGroups, type Role } from "../groups/groups.ts";
import { confirm, Named } from "../kit/form/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api } from "../kit/server/api.ts";
import { changeRole, newRole } from "./role-form.tsx";

export function roleActs(role: Role, open: () => void): MenuAct[] {
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
