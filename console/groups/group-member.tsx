// Who is in a group: adding somebody by e-mail, and removing somebody.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { forgetGroups, type Group, type GroupMember } from "./groups.ts";
import { useLast } from "../kit/form/last.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { FormTrouble } from "../kit/form/form-trouble.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Props {
  group: Group;
  open: boolean;
  onClose: () => void;
}

export function AddMember({ group, open, onClose }: Props) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Add a member to ${group.name}`}
      description="Somebody who is a member of the organization already."
    >
      {open && <Add group={group} onClose={onClose} />}
    </Dialog>
  );
}

/** What the form says itself; whatever else goes wrong is told by the server. */
class Nobody extends Error {}

async function find(email: string) {
  const { data } = await server.users.list({ query: { email, limit: 2 } });
  const [person] = data;
  if (person === undefined)
    throw new Nobody(
      `Nobody in the organization has the address ${email}. Invite them on the page Members first.`,
    );
  return person;
}

function Add({ group, onClose }: Omit<Props, "open">) {
  const [email, setEmail] = useState("");
  const add = useAct({
    mutationFn: async () => {
      const person = await find(email.trim());
      const params = { rbac_group_id: group.id };
      await server.rbac_groups.members.add({ params, body: { user_id: person.id } });
      return person;
    },
    onSuccess: (person) => {
      say.good(`${person.name} is in ${group.name}`);
      forgetGroups();
      setEmail("");
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate();
  }
  const fault = add.error instanceof Nobody ? add.error.message : undefined;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="E-mail"
        type="email"
        value={email}
        required
        maxLength={254}
        autoComplete="off"
        onChange={({ target }) => setEmail(target.value)}
      />
      <FormTrouble fault={fault} error={fault === undefined ? add.error : null} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={add.isPending} disabled={email.trim() === ""}>
          Add member
        </Button>
      </DialogActions>
    </form>
  );
}

export function RemoveMember({
  group,
  member,
  onClose,
}: {
  group: Group;
  member: GroupMember | undefined;
  onClose: () => void;
}) {
  const shown = useLast(member);
  const remove = useAct({
    mutationFn: (user_id: string) =>
      server.rbac_groups.members.remove({ params: { rbac_group_id: group.id, user_id } }),
    onSuccess: () => {
      say.good(`${shown?.name ?? "The member"} is not in ${group.name} any more`);
      forgetGroups();
      onClose();
    },
  });
  return (
    <Dialog open={member !== undefined} onClose={onClose} title="Remove from the group?">
      {shown !== undefined && (
        <div className="grid gap-4">
          <p>
            <strong className="font-semibold wrap-anywhere">{shown.name}</strong> loses what{" "}
            {group.name} gives, within a second and wherever they are signed in, and stays a member
            of the organization.
          </p>
          {remove.error !== null && <TroubleBox error={remove.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button
              look="danger"
              busy={remove.isPending}
              onClick={() => remove.mutate(shown.user_id)}
            >
              Remove
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  );
}
