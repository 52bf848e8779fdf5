// Making, renaming and deleting a group. Each says what will happen before it does.
import { Pencil, Trash2 } from "lucide-react";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { server } from "../kit/server/api.ts";
import { renewGroups, type Group } from "./groups.ts";

export const groupActs = (group: Group, onDeleted?: () => void): MenuAct[] => [
  {
    label: "Rename",
    icon: Pencil,
    run: () => openDialog({ title: "Rename the group", body: <Naming group={group} /> }),
  },
  { label: "Delete", icon: Trash2, isBad: true, run: () => remove(group, onDeleted) },
];

export const newGroup = (onMade: (group: Group) => void): void =>
  openDialog({ title: "New group", body: <Naming onMade={onMade} /> });

function Naming({ group, onMade }: { group?: Group; onMade?: (group: Group) => void }) {
  const start = group?.name ?? "";
  const form = useForm({
    start: { name: start },
    save: ({ name }) => {
      const body = { name: name.trim() };
      return group === undefined
        ? server.rbac_groups.create({ body })
        : server.rbac_groups.update({ params: { rbac_group_id: group.id }, body });
    },
    done: ({ name }) => (group === undefined ? `${name} is there` : `Renamed to ${name}`),
    renew: () => renewGroups(),
    ...(onMade && { next: onMade }),
  });
  return (
    <Form
      form={form}
      label={group === undefined ? "Create group" : "Rename"}
      isReady={form.values.name.trim() !== start}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        autoComplete="off"
        hint={group === undefined ? "As people of your organization call it." : undefined}
        {...form.field("name")}
      />
    </Form>
  );
}

const remove = (group: Group, onDeleted?: () => void) =>
  confirm({
    title: "Delete this group?",
    label: "Delete group",
    run: () => server.rbac_groups.delete({ params: { rbac_group_id: group.id } }),
    done: `${group.name} is deleted`,
    renew: () => renewGroups(group.id),
    ...(onDeleted && { next: onDeleted }),
    children: (
      <p>
        The members of <Named>{group.name}</Named> lose what its roles gave them, within a second
        and wherever they are signed in. They stay members of the organization. A deleted group does
        not come back.
      </p>
    ),
  });
