// A service account is added to a workspace, gets another role there, or is taken out.
import { UserPen, X } from "lucide-react";
import {
  forgetFederation,
  useWorkspaces,
  type Account,
  type Membership,
  type MembershipRole,
} from "../federation/federation.ts";
import { confirm, Named } from "../kit/dialog/confirmation.tsx";
import { RadioCards } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SelectField } from "../kit/form/select.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { server } from "../kit/server/api.ts";
import { roleNames, roleWords } from "../workspaces/workspaces.ts";

/** Of an account in a workspace that has this name. */
export function membershipActs(account: Account, membership: Membership, name: string): MenuAct[] {
  if (membership.implicit === true) return [];
  return [
    { label: "Change the role", icon: UserPen, run: () => changeRole(account, membership) },
    { label: "Remove", icon: X, run: () => remove(account, membership, name), isBad: true },
  ];
}

export const addToWorkspace = (account: Account, taken: readonly Membership[]): void =>
  openDialog({ title: "Add to a workspace", body: <Place of={account} taken={taken} /> });

const changeRole = (account: Account, membership: Membership) =>
  openDialog({
    title: "Change the role",
    body: <Place of={account} taken={[]} membership={membership} />,
  });

/** Billing sees what a workspace spends, and works in none: nothing for a workload. */
const roles = roleNames.filter((role): role is MembershipRole => role !== "workspace_billing");
const choices = roles.map((value) => ({
  value,
  label: roleWords[value].name,
  hint: roleWords[value].means,
}));

function Place({
  of: account,
  taken,
  membership,
}: {
  of: Account;
  taken: readonly Membership[];
  membership?: Membership;
}) {
  const { nameOf, live } = useWorkspaces();
  const free = live.filter(({ id }) => taken.every(({ workspace_id: other }) => other !== id));
  const form = useForm({
    start: {
      workspace_id: membership?.workspace_id ?? "",
      workspace_role: membership?.workspace_role ?? "workspace_user",
    },
    save: (body) =>
      server.service_accounts.workspaces.add({ params: { service_account_id: account.id }, body }),
    done: ({ workspace_id: id, workspace_role: role }) =>
      `${account.name} works in ${nameOf(id)}: ${roleWords[role].name}`,
    renew: forgetFederation,
  });
  return (
    <Form
      form={form}
      label={membership === undefined ? "Add to the workspace" : "Change the role"}
      isReady={form.values.workspace_id !== "" && form.isDirty}
    >
      {membership === undefined ? (
        <SelectField
          label="Workspace"
          required
          hint={free.length === 0 ? "It is in every workspace already." : undefined}
          choices={[
            { value: "", label: "Choose one" },
            ...free.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...form.choice("workspace_id")}
        />
      ) : (
        <p className="text-soft">
          {account.name} in {nameOf(membership.workspace_id)}, from its next request on.
        </p>
      )}
      <RadioCards
        legend="Role in the workspace"
        name="role"
        value={form.values.workspace_role}
        choices={choices}
        onChange={(role) => form.set({ workspace_role: role })}
      />
    </Form>
  );
}

const remove = (account: Account, { workspace_id }: Membership, name: string) =>
  confirm({
    title: "Take it out of the workspace?",
    label: "Take it out",
    keep: "Keep it",
    run: () =>
      server.service_accounts.workspaces.remove({
        params: { service_account_id: account.id, workspace_id },
      }),
    done: `${account.name} is out of ${name}`,
    renew: forgetFederation,
    children: (
      <p>
        Tokens of <Named>{account.name}</Named> for {name} end within a second, and rules give it no
        more of them. Its other workspaces stay.
      </p>
    ),
  });
