// The form of a service account: what it is called, what runs under it, and its role in the organization.
import { useNavigate } from "@tanstack/react-router";
import {
  accountRoles,
  forgetFederation,
  type Account,
  type AccountRole,
} from "../federation/federation.ts";
import { AreaField, RadioCards, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { server } from "../kit/server/api.ts";

export const newAccount = (): void =>
  openDialog({ title: "New service account", body: <NewForm /> });

export const editAccount = (account: Account): void =>
  openDialog({ title: "Edit the service account", body: <EditForm account={account} /> });

function NewForm() {
  const navigate = useNavigate();
  const form = useForm({
    start: valuesOf(),
    save: ({ name, ...facts }) =>
      server.service_accounts.create({ body: { name, ...changeOf(facts) } }),
    done: ({ name }) => `${name} is there`,
    renew: forgetFederation,
    next: ({ id }) => void navigate({ to: "/service-accounts/$id", params: { id } }),
  });
  return <Fields form={form} label="Create service account" isNew />;
}

function EditForm({ account }: { account: Account }) {
  const form = useForm({
    start: valuesOf(account),
    save: (facts) =>
      server.service_accounts.update({
        params: { service_account_id: account.id },
        body: changeOf(facts, account),
      }),
    done: () => "Saved",
    renew: forgetFederation,
  });
  return <Fields form={form} label="Save" />;
}

const valuesOf = (account?: Account) => ({
  name: account?.name ?? "",
  description: account?.description ?? "",
  role: account?.organization_role ?? "developer",
});
type Values = ReturnType<typeof valuesOf>;

/** What stays as it is is not sent: no description and an empty one look the same here. */
function changeOf({ description, role }: Omit<Values, "name">, before?: Account) {
  const text = description.trim();
  const isSame = text === (before?.description ?? "");
  return { ...(!isSame && { description: text || null }), organization_role: role };
}

const choices = (Object.keys(accountRoles) as AccountRole[]).map((value) => ({
  value,
  label: accountRoles[value].name,
  hint: accountRoles[value].means,
}));

function Fields({
  form,
  label,
  isNew = false,
}: {
  form: FormState<Values>;
  label: string;
  isNew?: boolean;
}) {
  return (
    <Form form={form} label={label} isReady={form.values.name !== ""}>
      <TextField
        label="Name"
        required
        disabled={!isNew}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono disabled:opacity-60"
        hint={
          isNew
            ? "Small letters, digits and hyphens, such as deploy-bot. It does not change later."
            : "The name of a service account does not change."
        }
        {...form.field("name")}
        // What people type for a blank is what a slug has for it.
        onChange={({ target }) =>
          form.set({ name: target.value.toLowerCase().replaceAll(/[\s_]+/g, "-") })
        }
      />
      <AreaField
        label="Description"
        maxLength={1000}
        rows={2}
        hint="What runs under this name, and whom to ask about it."
        {...form.field("description")}
      />
      <RadioCards
        legend="Role in the organization"
        name="role"
        value={form.values.role}
        choices={choices}
        onChange={(role) => form.set({ role })}
      />
    </Form>
  );
}
