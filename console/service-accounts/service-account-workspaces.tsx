// A service account is added to a workspace, gets another role there, or is taken out.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import {
  forgetFederation,
  useWorkspaces,
  type Account,
  type Membership,
  type MembershipRole,
} from "../federation/federation.ts";
import { useLast } from "../kit/form/last.ts";
import { roleNames, roleWords } from "../workspaces/workspaces.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { RadioCards, SelectField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export type MembershipAct = { kind: "add" } | { kind: "change" | "remove"; membership: Membership };

const titles = {
  add: "Add to a workspace",
  change: "Change the role",
  remove: "Take it out of the workspace?",
};

export function MembershipActs({
  account,
  memberships,
  act,
  onClose,
}: {
  account: Account;
  memberships: Membership[];
  act: MembershipAct | undefined;
  onClose: () => void;
}) {
  const shown = useLast(act);
  return (
    <Dialog
      open={act !== undefined}
      onClose={onClose}
      title={shown === undefined ? "" : titles[shown.kind]}
    >
      {(act?.kind === "add" || act?.kind === "change") && (
        <Place
          account={account}
          taken={memberships}
          {...(act.kind === "change" && { membership: act.membership })}
          onClose={onClose}
        />
      )}
      {shown?.kind === "remove" && (
        <Remove account={account} membership={shown.membership} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** Billing sees what a workspace spends, and works in none: nothing for a workload. */
const roles = roleNames.filter((role): role is MembershipRole => role !== "workspace_billing");
const choices = roles.map((value) => ({
  value,
  label: roleWords[value].name,
  hint: roleWords[value].means,
}));

function Place({
  account,
  taken,
  membership,
  onClose,
}: {
  account: Account;
  taken: Membership[];
  membership?: Membership;
  onClose: () => void;
}) {
  const { nameOf } = useWorkspaces();
  const [workspace, setWorkspace] = useState(membership?.workspace_id ?? "");
  const [role, setRole] = useState<MembershipRole>(membership?.workspace_role ?? "workspace_user");
  const save = useAct({
    mutationFn: () =>
      server.service_accounts.workspaces.add({
        params: { service_account_id: account.id },
        body: { workspace_id: workspace, workspace_role: role },
      }),
    onSuccess: () => {
      say.good(`${account.name} works in ${nameOf(workspace)}: ${roleWords[role].name}`);
      forgetFederation();
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {membership === undefined ? (
        <Choose taken={taken} value={workspace} onChange={setWorkspace} />
      ) : (
        <p className="text-soft">
          {account.name} in {nameOf(membership.workspace_id)}, from its next request on.
        </p>
      )}
      <RadioCards
        legend="Role in the workspace"
        name="role"
        value={role}
        choices={choices}
        onChange={setRole}
      />
      {save.error !== null && <TroubleBox error={save.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={workspace === "" || role === membership?.workspace_role}
        >
          {membership === undefined ? "Add to the workspace" : "Change the role"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Choose({
  taken,
  value,
  onChange,
}: {
  taken: Membership[];
  value: string;
  onChange: (id: string) => void;
}) {
  const { live } = useWorkspaces();
  const free = live.filter(({ id }) => taken.every(({ workspace_id: other }) => other !== id));
  return (
    <SelectField
      label="Workspace"
      value={value}
      required
      hint={free.length === 0 ? "It is in every workspace already." : undefined}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">Choose one</option>
      {free.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function Remove({
  account,
  membership: { workspace_id },
  onClose,
}: {
  account: Account;
  membership: Membership;
  onClose: () => void;
}) {
  const { nameOf } = useWorkspaces();
  const remove = useAct({
    mutationFn: () =>
      server.service_accounts.workspaces.remove({
        params: { service_account_id: account.id, workspace_id },
      }),
    onSuccess: () => {
      say.good(`${account.name} is out of ${nameOf(workspace_id)}`);
      forgetFederation();
      onClose();
    },
  });
  return (
    <div className="grid gap-4">
      <p>
        Tokens of <strong className="font-semibold wrap-anywhere">{account.name}</strong> for{" "}
        {nameOf(workspace_id)} end within a second, and rules give it no more of them. Its other
        workspaces stay.
      </p>
      {remove.error !== null && <TroubleBox error={remove.error} />}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Take it out
        </Button>
      </DialogActions>
    </div>
  );
}
