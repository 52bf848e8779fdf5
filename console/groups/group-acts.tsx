// Making, renaming and deleting a group. Each says what will happen before it does.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { forgetGroups, type Group } from "./groups.ts";
import { useLast } from "../kit/form/last.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export type GroupAct = { kind: "new" } | { kind: "rename" | "delete"; group: Group };

const titles = { new: "New group", rename: "Rename the group", delete: "Delete this group?" };

export function GroupActs({
  act,
  onClose,
  onDone,
}: {
  act: GroupAct | undefined;
  onClose: () => void;
  onDone?: (kind: GroupAct["kind"], group: { id: string }) => void;
}) {
  const shown = useLast(act);
  const props = { onClose, ...(onDone && { onDone }) };
  return (
    <Dialog open={act !== undefined} onClose={onClose} title={shown ? titles[shown.kind] : ""}>
      {shown?.kind === "delete" ? (
        <Delete key={shown.group.id} group={shown.group} {...props} />
      ) : (
        shown !== undefined && (
          <Naming
            key={shown.kind === "rename" ? shown.group.id : "new"}
            {...(shown.kind === "rename" && { group: shown.group })}
            {...props}
          />
        )
      )}
    </Dialog>
  );
}

interface FormProps {
  onClose: () => void;
  onDone?: (kind: GroupAct["kind"], group: { id: string }) => void;
}

function Naming({ group, onClose, onDone }: FormProps & { group?: Group }) {
  const [name, setName] = useState(group?.name ?? "");
  const save = useAct({
    mutationFn: () => {
      const body = { name: name.trim() };
      return group === undefined
        ? server.rbac_groups.create({ body })
        : server.rbac_groups.update({ params: { rbac_group_id: group.id }, body });
    },
    onSuccess: (saved) => {
      say.good(group === undefined ? `${saved.name} is there` : `Renamed to ${saved.name}`);
      forgetGroups();
      onClose();
      onDone?.(group === undefined ? "new" : "rename", saved);
    },
  });
  const inline = fieldError(save.error, "name");
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  const isSame = name.trim() === (group?.name ?? "");
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        value={name}
        required
        maxLength={200}
        autoComplete="off"
        hint={group === undefined ? "As people of your organization call it." : undefined}
        error={inline}
        onChange={({ target }) => setName(target.value)}
      />
      {save.error !== null && inline === undefined && <TroubleBox error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={isSame}>
          {group === undefined ? "Create group" : "Rename"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Delete({ group, onClose, onDone }: FormProps & { group: Group }) {
  const remove = useAct({
    mutationFn: () => server.rbac_groups.delete({ params: { rbac_group_id: group.id } }),
    onSuccess: () => {
      say.good(`${group.name} is deleted`);
      forgetGroups(group.id);
      onClose();
      onDone?.("delete", group);
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        The members of <strong className="font-semibold wrap-anywhere">{group.name}</strong> lose
        what its roles gave them, within a second and wherever they are signed in. They stay members
        of the organization. A deleted group does not come back.
      </p>
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete group
        </Button>
      </DialogActions>
    </div>
  );
}
