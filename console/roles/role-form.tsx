// What a role is called and what it gives: for a new one, and for one that is there.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { adviceOf, renewGroups, groupQueries, summaryOf, type Role } from "../groups/groups.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { AreaField, TextField } from "../kit/form/field.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { RoleActions } from "./role-actions.tsx";

export interface RoleDraft {
  /** Undefined for a new role. */
  id?: string;
  name: string;
  description: string;
  actions: string[];
}

export const draftOf = (role: Role): RoleDraft => ({
  id: role.id,
  name: role.display_name,
  description: role.description,
  actions: role.actions,
});

export function RoleForm({
  draft,
  onClose,
}: {
  draft: RoleDraft | undefined;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={draft !== undefined}
      onClose={onClose}
      wide
      title={draft?.id === undefined ? "New role" : "Change the role"}
      description={
        draft?.id === undefined
          ? "Give it to groups when it is there."
          : "Whoever has this role by a group has at once what it gives then."
      }
    >
      {draft !== undefined && <Form key={draft.id ?? "new"} draft={draft} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ draft, onClose }: { draft: RoleDraft; onClose: () => void }) {
  const { data: words, error: unread } = useQuery(groupQueries.actions);
  const [name, setName] = useState(draft.name);
  const [description, setDescription] = useState(draft.description);
  const [actions, setActions] = useState(draft.actions);
  const save = useAct({
    mutationFn: () => {
      const body = { display_name: name.trim(), description: description.trim(), actions };
      return draft.id === undefined
        ? api.rbac_roles.create({ body })
        : api.rbac_roles.update({ params: { rbac_role_id: draft.id }, body });
    },
    onSuccess: async (saved) => {
      await renewGroups();
      say.good(draft.id === undefined ? `${saved.display_name} is there` : "Saved");
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  const inline = fieldError(save.error, "display_name");
  const trouble = unread ?? (inline === undefined ? save.error : null);
  return (
    <form onSubmit={submit} className="grid gap-5">
      <TextField
        label="Name"
        value={name}
        required
        maxLength={200}
        autoComplete="off"
        error={inline}
        onChange={({ target }) => setName(target.value)}
      />
      <AreaField
        label="Description"
        value={description}
        maxLength={1000}
        rows={2}
        onChange={({ target }) => setDescription(target.value)}
      />
      {words === undefined && unread === null && <RowsSkeleton rows={4} />}
      {words !== undefined && (
        <RoleActions words={words.data} actions={actions} onChange={setActions} />
      )}
      <p role="status" className="text-sm text-soft">
        {actions.length === 0 ? "Choose what the role gives." : `Gives: ${summaryOf(actions)}.`}{" "}
        {adviceOf(actions)}
      </p>
      {trouble !== null && <TroubleBox error={trouble} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={name.trim() === "" || actions.length === 0}
        >
          {draft.id === undefined ? "Create role" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}
