// People of a workspace: a person is found by e-mail and added, gets another role, or is removed.
import { useQuery } from "@tanstack/react-query";
import { UserMinus, UserPen } from "lucide-react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { RadioCards, TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { api } from "../kit/server/api.ts";
import {
  forgetWorkspaces,
  roleNames,
  roleWords,
  workspaceQueries,
  type Member,
  type WorkspaceRole,
} from "./workspaces.ts";

export const addMember = (workspace: string): void =>
  openDialog({ title: "Add a member", body: <AddMember workspace={workspace} /> });

export const memberActs = (member: Member): MenuAct[] => [
  {
    label: "Change the role",
    icon: UserPen,
    run: () =>
      openDialog({ title: `The role of ${member.name}`, body: <ChangeRole member={member} /> }),
  },
  { label: "Remove", icon: UserMinus, isBad: true, run: () => remove(member) },
];

const paramsOf = ({ workspace_id, user_id }: Member) => ({ workspace_id, user_id });

const remove = (member: Member) =>
  confirm({
    title: `Remove ${member.name}?`,
    label: "Remove from the workspace",
    keep: "Keep them",
    run: () => api.workspaces.members.remove({ params: paramsOf(member) }),
    done: `${member.name} is out of the workspace`,
    renew: forgetWorkspaces,
    children: (
      <p>
        {member.name} cannot work in this workspace any more, from the next request on. Keys that
        they made here work on: deactivate them if they should not. Their place in the organization
        stays.
      </p>
    ),
  });

function ChangeRole({ member }: { member: Member }) {
  const form = useForm({
    start: { role: member.workspace_role },
    save: ({ role }) =>
      api.workspaces.members.update({ params: paramsOf(member), body: { workspace_role: role } }),
    done: ({ workspace_role: role }) => `${member.name}: ${roleWords[role].name}`,
    renew: forgetWorkspaces,
  });
  return (
    <Form form={form} label="Change the role">
      <Roles value={form.values.role} of={roleNames} onChange={(role) => form.set({ role })} />
    </Form>
  );
}

const choiceOf = (value: WorkspaceRole) => ({
  value,
  label: roleWords[value].name,
  hint: roleWords[value].means,
});

function Roles({
  value,
  of,
  onChange,
}: {
  value: WorkspaceRole;
  of: WorkspaceRole[];
  onChange: (role: WorkspaceRole) => void;
}) {
  return (
    <RadioCards
      legend="Role in the workspace"
      name="role"
      value={value}
      onChange={onChange}
      choices={of.map(choiceOf)}
    />
  );
}

type Addable = Exclude<WorkspaceRole, "workspace_billing">;
const addable = roleNames.filter((role): role is Addable => role !== "workspace_billing");

const nobody: { email: string; userId: string; role: Addable } = {
  email: "",
  userId: "",
  role: "workspace_user",
};

function AddMember({ workspace }: { workspace: string }) {
  const form = useForm({
    start: nobody,
    save: ({ userId, role }) =>
      api.workspaces.members.add({
        params: { workspace_id: workspace },
        body: { user_id: userId, workspace_role: role },
      }),
    done: () => "Added to the workspace",
    renew: forgetWorkspaces,
  });
  const { email, userId, role } = form.values;
  return (
    <Form form={form} label="Add to the workspace" isReady={userId !== ""}>
      <TextField
        label="E-mail"
        hint="Type how it begins; then choose the person."
        type="search"
        autoComplete="off"
        spellCheck={false}
        {...form.field("email")}
        onChange={({ target }) => form.set({ email: target.value, userId: "" })}
      />
      <People
        workspace={workspace}
        email={email}
        chosen={userId}
        onChoose={(chosen) => form.set({ userId: chosen })}
      />
      <Roles value={role} of={addable} onChange={(next) => form.set({ role: next as Addable })} />
    </Form>
  );
}

function People({
  workspace,
  email,
  chosen,
  onChoose,
}: {
  workspace: string;
  email: string;
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const found = useQuery(workspaceQueries.candidates(workspace, email.trim()));
  const people = found.data?.data ?? [];
  return (
    <fieldset className="grid max-h-52 gap-1 overflow-y-auto rounded-md border border-line p-1">
      <legend className="sr-only">People who are not in the workspace</legend>
      {people.map((person) => (
        <label
          key={person.user_id}
          className="flex cursor-pointer items-center gap-2.5 rounded px-2 py-1.5 hover:bg-hover has-checked:bg-accent-soft max-md:py-2.5"
        >
          <input
            type="radio"
            name="person"
            className="accent-accent"
            checked={chosen === person.user_id}
            onChange={() => onChoose(person.user_id)}
          />
          <span className="min-w-0">
            <span className="block truncate font-medium">{person.name}</span>
            <span className="block truncate text-sm text-soft">{person.email}</span>
          </span>
        </label>
      ))}
      {found.data !== undefined && people.length === 0 && (
        <p className="px-2 py-1.5 text-soft">
          Nobody whose e-mail begins like this is outside of the workspace.
        </p>
      )}
    </fieldset>
  );
}
