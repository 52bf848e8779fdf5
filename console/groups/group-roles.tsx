// Which roles a group has.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { renewGroups, groupQueries, summaryOf, type Group } from "./groups.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function GroupRoles({
  group,
  open,
  onClose,
}: {
  group: Group;
  open: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Roles of ${group.name}`}
      description="What the roles give adds up. It holds for managed members of the group at once."
    >
      {open && <Form group={group} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ group, onClose }: { group: Group; onClose: () => void }) {
  const { data, error } = useQuery(groupQueries.roles);
  const [chosen, setChosen] = useState(group.role_ids ?? []);
  const save = useAct({
    mutationFn: () =>
      api.rbac_groups.set_roles({
        params: { rbac_group_id: group.id },
        body: { role_ids: chosen },
      }),
    onSuccess: async () => {
      await renewGroups();
      say.good(`The roles of ${group.name} are changed`);
      onClose();
    },
  });
  const trouble = error ?? save.error;
  return (
    <div className="grid gap-4">
      {data === undefined && error === null && <RowsSkeleton rows={3} />}
      <ul className="grid gap-1.5">
        {data?.data.map((role) => (
          <li key={role.id}>
            <label className="flex cursor-pointer items-baseline gap-2.5 rounded-md border border-line-strong p-3 has-checked:border-accent has-checked:bg-accent-soft">
              <input
                type="checkbox"
                className="accent-accent"
                checked={chosen.includes(role.id)}
                onChange={({ target }) =>
                  setChosen((before) =>
                    target.checked
                      ? [...before, role.id]
                      : before.filter((other) => other !== role.id),
                  )
                }
              />
              <span className="min-w-0 flex-1">
                <span className="flex flex-wrap items-baseline gap-x-2">
                  <span className="font-medium wrap-anywhere">{role.display_name}</span>
                  {role.grants_owner_access && <Badge tone="warn">Owner access</Badge>}
                </span>
                <span className="block text-sm text-soft">{summaryOf(role.actions)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {trouble !== null && <TroubleBox error={trouble} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          busy={save.isPending}
          disabled={data === undefined}
          onClick={() => save.mutate()}
        >
          Save roles
        </Button>
      </DialogActions>
    </div>
  );
}
