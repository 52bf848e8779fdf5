// People of a workspace: somebody is found by e-mail and added, gets another role, or is removed.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import {
  forgetWorkspaces,
  roleNames,
  roleWords,
  workspaceQueries,
  type Member,
  type WorkspaceRole,
} from "./workspaces.ts";
import { Button } from "../kit/page/button.tsx";
import { DialogActions } from "../kit/form/dialog.tsx";
import { RadioCards, TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

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

export function AddMember({ workspace, onClose }: { workspace: string; onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [chosen, setChosen] = useState<string>();
  const [role, setRole] = useState<Addable>("workspace_user");
  const add = useAct({
    mutationFn: (user_id: string) =>
      api.workspaces.members.add({
        params: { workspace_id: workspace },
        body: { user_id, workspace_role: role },
      }),
    onSuccess: () => {
      say.good("Added to the workspace");
      forgetWorkspaces();
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (chosen !== undefined) add.mutate(chosen);
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="E-mail"
        hint="Type how it begins; then choose the person."
        type="search"
        value={email}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setEmail(target.value);
          setChosen(undefined);
        }}
      />
      <People workspace={workspace} email={email} chosen={chosen} onChoose={setChosen} />
      <Roles value={role} of={addable} onChange={(next) => setRole(next as Addable)} />
      {add.error !== null && <TroubleBox error={add.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={add.isPending} disabled={chosen === undefined}>
          Add to the workspace
        </Button>
      </DialogActions>
    </form>
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
  chosen: string | undefined;
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

interface Of {
  member: Member;
  onClose: () => void;
}

const paramsOf = ({ workspace_id, user_id }: Member) => ({ workspace_id, user_id });

export function ChangeRole({ member, onClose }: Of) {
  const [role, setRole] = useState(member.workspace_role);
  const change = useAct({
    mutationFn: () =>
      api.workspaces.members.update({
        params: paramsOf(member),
        body: { workspace_role: role },
      }),
    onSuccess: () => {
      say.good(`${member.name}: ${roleWords[role].name}`);
      forgetWorkspaces();
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    change.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Roles value={role} of={roleNames} onChange={setRole} />
      {change.error !== null && <TroubleBox error={change.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={change.isPending}
          disabled={role === member.workspace_role}
        >
          Change the role
        </Button>
      </DialogActions>
    </form>
  );
}

export function RemoveMember({ member, onClose }: Of) {
  const remove = useAct({
    mutationFn: () => api.workspaces.members.remove({ params: paramsOf(member) }),
    onSuccess: () => {
      say.good(`${member.name} is out of the workspace`);
      forgetWorkspaces();
      onClose();
    },
  });
  return (
    <>
      <p>
        {member.name} cannot work in this workspace any more, from the next request on. Keys that
        they made here work on: deactivate them if they should not. Their place in the organization
        stays.
      </p>
      {remove.error !== null && (
        <div className="mt-3">
          <TroubleBox error={remove.error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Keep them</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Remove from the workspace
        </Button>
      </DialogActions>
    </>
  );
}
