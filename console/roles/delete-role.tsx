// Deleting a role that no group has.
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { forgetGroups, type Role } from "../groups/groups.ts";
import { useLast } from "../kit/form/last.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function DeleteRole({ role, onClose }: { role: Role | undefined; onClose: () => void }) {
  const shown = useLast(role);
  return (
    <Dialog open={role !== undefined} onClose={onClose} title="Delete this role?">
      {shown !== undefined && <Form key={shown.id} role={shown} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ role, onClose }: { role: Role; onClose: () => void }) {
  const remove = useAct({
    mutationFn: () => api.rbac_roles.delete({ params: { rbac_role_id: role.id } }),
    onSuccess: () => {
      say.good(`${role.display_name} is deleted`);
      forgetGroups();
      onClose();
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        <strong className="font-semibold wrap-anywhere">{role.display_name}</strong> does not come
        back. Nobody loses access by it: a role that a group still has is not deleted.
      </p>
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete role
        </Button>
      </DialogActions>
    </div>
  );
}
