// What a role is called and what it gives: for a new one, and for one that is there.
import { useQuery } from "@tanstack/react-query";
import { adviceOf, groupQueries, renewGroups, summaryOf, type Role } from "../groups/groups.ts";
import { AreaField, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { api } from "../kit/server/api.ts";
import { RoleActions } from "./role-actions.tsx";

interface Values {
  name: string;
  description: string;
  actions: string[];
}

const valuesOf = ({ display_name: name, description, actions }: Role): Values => ({
  name,
  description,
  actions,
});

export function newRole(like?: Role): void {
  const start = like === undefined ? { name: "", description: "", actions: [] } : valuesOf(like);
  const name = like === undefined ? "" : `${like.display_name} (copy)`.slice(0, 200);
  openDialog({
    title: "New role",
    description: "Give it to groups when it is there.",
    wide: true,
    body: <RoleForm start={{ ...start, name }} />,
  });
}

export const changeRole = (role: Role): void =>
  openDialog({
    title: "Change the role",
    description: "Whoever has this role by a group has at once what it gives then.",
    wide: true,
    body: <RoleForm id={role.id} start={valuesOf(role)} />,
  });

/** Without an id it is a new one. */
function RoleForm({ id, start }: { id?: string; start: Values }) {
  const { data: words, error } = useQuery(groupQueries.actions);
  const form = useForm({
    start,
    save: ({ name, description, actions }) => {
      const body = { display_name: name.trim(), description: description.trim(), actions };
      return id === undefined
        ? api.rbac_roles.create({ body })
        : api.rbac_roles.update({ params: { rbac_role_id: id }, body });
    },
    done: ({ display_name: name }) => (id === undefined ? `${name} is there` : "Saved"),
    renew: () => renewGroups(),
  });
  const { name, actions } = form.values;
  return (
    <Form
      form={form}
      label={id === undefined ? "Create role" : "Save"}
      isReady={name.trim() !== "" && actions.length > 0}
    >
      <TextField
        label="Name"
        required
        maxLength={200}
        autoComplete="off"
        {...form.field("name", "display_name")}
      />
      <AreaField label="Description" maxLength={1000} rows={2} {...form.field("description")} />
      {words === undefined && error === null && <RowsSkeleton rows={4} />}
      {words !== undefined && (
        <RoleActions
          words={words.data}
          actions={actions}
          onChange={(chosen) => form.set({ actions: chosen })}
        />
      )}
      <p role="status" className="text-sm text-soft">
        {actions.length === 0 ? "Choose what the role gives." : `Gives: ${summaryOf(actions)}.`}{" "}
        {adviceOf(actions)}
      </p>
      {error !== null && <TroubleBox error={error} />}
    </Form>
  );
}
