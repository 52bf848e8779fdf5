// Which parts of the organization the identity provider controls, each with what follows from it.
import type { FormEvent } from "react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import { CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { SelectField } from "../kit/form/select.tsx";
import { Card } from "../kit/page/page-header.tsx";
import { api } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { roleWords, type IdentityProvider, type ProviderChange } from "./scim.ts";

const valuesOf = (provider: IdentityProvider) => ({
  name: provider.name ?? "",
  scim: provider.provisioning === "scim",
  controls_roles: provider.controls_roles,
  controls_groups: provider.controls_groups,
  default_role: provider.default_role,
});
type Values = ReturnType<typeof valuesOf>;

/** A person who joins at the first sign-in goes on to, where SCIM was not on and is not switched on. */
const changeOf = ({ scim, ...values }: Values, before: IdentityProvider): ProviderChange => ({
  ...values,
  name: values.name.trim(),
  ...(scim !== (before.provisioning === "scim") && { provisioning: scim ? "scim" : "none" }),
});

const done = "What the provider controls is saved";
const renew = () => queryClient.invalidateQueries();

export function ProviderControl({
  provider,
  mayWrite,
}: {
  provider: IdentityProvider;
  mayWrite: boolean;
}) {
  const save = (values: Values) =>
    api.identity_provider.update({ body: changeOf(values, provider) });
  const form = useForm({ start: valuesOf(provider), save, renew, done: () => done });
  const { values } = form;
  function submit(event: FormEvent): void {
    if (values.scim === (provider.provisioning === "scim")) return form.submit(event);
    event.preventDefault();
    switchScim(values, () => save(values));
  }
  const fields = <Fields form={form} provider={provider} />;
  return (
    <Card>
      {mayWrite ? (
        <Form form={{ ...form, submit }} label="Save" inPage isReady={values.name !== ""}>
          {fields}
        </Form>
      ) : (
        <fieldset disabled className="grid gap-4">
          {fields}
          <p className="text-soft">Owners change this.</p>
        </fieldset>
      )}
    </Card>
  );
}

const switchScim = ({ scim: isOn, name }: Values, run: () => Promise<unknown>) =>
  confirm({
    title: isOn ? `Let ${name} control who is a member?` : "Switch SCIM off?",
    label: isOn ? "Switch on" : "Switch off",
    look: isOn ? "primary" : "danger",
    run,
    done,
    renew,
    children: (
      <p>
        {isOn
          ? "Invitations and removals stop here; members that there are stay. The primary owner keeps access whatever the provider says."
          : "Everybody stays as they are. What the provider sends from now on is refused, also when it means to switch somebody off: people are invited and removed here again, and groups that came by SCIM are changed here."}
      </p>
    ),
  });

function Fields({ form, provider }: { form: FormState<Values>; provider: IdentityProvider }) {
  const { scim, controls_roles, controls_groups } = form.values;
  return (
    <>
      <TextField
        label="Name of the provider"
        hint="People are told by it where a change is made, as in “managed by the identity provider Okta”."
        required
        maxLength={200}
        autoComplete="off"
        {...form.field("name")}
      />
      <div className="grid gap-2">
        <CheckField
          label="People come and go by SCIM"
          hint="Nobody is invited or removed here any more, and groups that came by SCIM are changed there only. Whoever is switched off there is signed out at once."
          checked={scim}
          onChange={({ target }) => form.set({ scim: target.checked })}
        />
        {provider.provisioning === "jit" && !scim && (
          <p className="text-sm text-soft">
            Now people join at their first sign-in by single sign-on. SCIM takes the place of that.
          </p>
        )}
        <CheckField
          label="The provider says who has which role"
          hint="The attribute roles of a person becomes their role here. Owners keep theirs, and are made here only."
          checked={controls_roles}
          onChange={({ target }) => form.set({ controls_roles: target.checked })}
        />
        {provider.has_groups && (
          <CheckField
            label="The provider pushes groups"
            hint="Without this its groups are refused, and those that came before stay as they are. What a group gives is said here."
            checked={controls_groups}
            onChange={({ target }) => form.set({ controls_groups: target.checked })}
          />
        )}
      </div>
      <SelectField
        label="Role of whoever joins"
        hint="Where the provider names no role of its own."
        choices={provider.default_roles.map((role) => ({
          value: role,
          label: roleWords[role] ?? role,
        }))}
        {...form.choice("default_role")}
      />
    </>
  );
}
