// Which parts of the organization the identity provider controls, each with what follows from it.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient } from "../kit/server/queries.ts";
import { roleWords, type IdentityProvider, type ProviderChange } from "./scim.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { CheckField, SelectField, TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

interface Draft {
  name: string;
  scim: boolean;
  roles: boolean;
  groups: boolean;
  defaultRole: string;
}

const draftOf = (provider: IdentityProvider): Draft => ({
  name: provider.name ?? "",
  scim: provider.provisioning === "scim",
  roles: provider.controls_roles,
  groups: provider.controls_groups,
  defaultRole: provider.default_role,
});

/** Whoever joins at their first sign-in goes on so, where SCIM was not on and is not switched on. */
const changeOf = (draft: Draft, before: IdentityProvider): ProviderChange => ({
  name: draft.name.trim(),
  ...(draft.scim !== (before.provisioning === "scim") && {
    provisioning: draft.scim ? "scim" : "none",
  }),
  controls_roles: draft.roles,
  controls_groups: draft.groups,
  default_role: draft.defaultRole,
});

export function ProviderControl({
  provider,
  mayWrite,
}: {
  provider: IdentityProvider;
  mayWrite: boolean;
}) {
  const [draft, setDraft] = useState(draftOf(provider));
  const [asking, setAsking] = useState(false);
  const save = useAct({
    mutationFn: (change: ProviderChange) => api.identity_provider.update({ body: change }),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      say.good("What the provider controls is saved");
    },
  });
  const change = (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch }));
  const wasOn = provider.provisioning === "scim";
  const submit = () => {
    setAsking(false);
    save.mutate(changeOf(draft, provider));
  };
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    if (draft.scim === wasOn) submit();
    else setAsking(true);
  }
  const nameError = fieldError(save.error, "name");
  return (
    <form onSubmit={onSubmit} className="rounded-lg border border-line bg-surface p-4">
      <fieldset disabled={!mayWrite} className="grid gap-4">
        <TextField
          label="Name of the provider"
          hint="People are told by it where a change is made, as in “managed by the identity provider Okta”."
          value={draft.name}
          required
          maxLength={200}
          autoComplete="off"
          error={nameError}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Facets draft={draft} provider={provider} change={change} />
        <SelectField
          label="Role of whoever joins"
          hint="Where the provider names no role of its own."
          value={draft.defaultRole}
          onChange={({ target }) => change({ defaultRole: target.value })}
        >
          {provider.default_roles.map((role) => (
            <option key={role} value={role}>
              {roleWords[role] ?? role}
            </option>
          ))}
        </SelectField>
        {save.error !== null && nameError === undefined && <TroubleBox error={save.error} />}
        <Foot mayWrite={mayWrite} busy={save.isPending} disabled={draft.name === ""} />
      </fieldset>
      <Confirm
        open={asking}
        on={draft.scim}
        name={draft.name}
        onConfirm={submit}
        onClose={() => setAsking(false)}
      />
    </form>
  );
}

function Foot({
  mayWrite,
  busy,
  disabled,
}: {
  mayWrite: boolean;
  busy: boolean;
  disabled: boolean;
}) {
  if (!mayWrite) return <p className="text-soft">Owners change this.</p>;
  return (
    <div>
      <Button type="submit" look="primary" busy={busy} disabled={disabled}>
        Save
      </Button>
    </div>
  );
}

function Facets({
  draft,
  provider,
  change,
}: {
  draft: Draft;
  provider: IdentityProvider;
  change: (patch: Partial<Draft>) => void;
}) {
  return (
    <div className="grid gap-2">
      <CheckField
        label="People come and go by SCIM"
        hint="Nobody is invited or removed here any more, and groups that came by SCIM are changed there only. Whoever is switched off there is signed out at once."
        checked={draft.scim}
        onChange={({ target }) => change({ scim: target.checked })}
      />
      {provider.provisioning === "jit" && !draft.scim && (
        <p className="text-sm text-soft">
          Now people join at their first sign-in by single sign-on. SCIM takes the place of that.
        </p>
      )}
      <CheckField
        label="The provider says who has which role"
        hint="The attribute roles of a person becomes their role here. Owners keep theirs, and are made here only."
        checked={draft.roles}
        onChange={({ target }) => change({ roles: target.checked })}
      />
      {provider.has_groups && (
        <CheckField
          label="The provider pushes groups"
          hint="Without this its groups are refused, and those that came before stay as they are. What a group gives is said here."
          checked={draft.groups}
          onChange={({ target }) => change({ groups: target.checked })}
        />
      )}
    </div>
  );
}

function Confirm({
  open,
  on,
  name,
  onConfirm,
  onClose,
}: {
  open: boolean;
  on: boolean;
  name: string;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={on ? `Let ${name} control who is a member?` : "Switch SCIM off?"}
      description={
        on
          ? "Invitations and removals stop here; members that there are stay. The primary owner keeps access whatever the provider says."
          : "Everybody stays as they are. What the provider sends from now on is refused, also when it means to switch somebody off: people are invited and removed here again, and groups that came by SCIM are changed here."
      }
    >
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button look={on ? "primary" : "danger"} onClick={onConfirm}>
          {on ? "Switch on" : "Switch off"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
