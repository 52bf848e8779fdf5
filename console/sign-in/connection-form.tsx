// The settings of the identity provider: what it must be told, what it tells us, and whom it may let join.
import { useState, type FormEvent } from "react";
import { api, type NewConnection, type SingleSignOn } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { spaced } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { CheckField, SelectField, TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { emptyRule, RoleRules, type Rule } from "./role-rules.tsx";

interface Draft {
  name: string;
  issuer: string;
  clientId: string;
  secret: string;
  scopes: string;
  emailClaim: string;
  nameClaim: string;
  groupsClaim: string;
  trustsEmails: boolean;
  joins: boolean;
  controlsRoles: boolean;
  defaultRole: string;
  rules: Rule[];
}

function draftOf({ connection }: SingleSignOn): Draft {
  return {
    name: connection?.name ?? "",
    issuer: connection?.issuer ?? "",
    clientId: connection?.client_id ?? "",
    secret: "",
    scopes: (connection?.scopes ?? ["openid", "email", "profile"]).join(" "),
    emailClaim: connection?.email_claim ?? "email",
    nameClaim: connection?.name_claim ?? "name",
    groupsClaim: connection?.groups_claim ?? "",
    trustsEmails: connection?.trusts_emails ?? false,
    joins: connection?.provisioning === "jit",
    controlsRoles: connection?.controls_roles ?? false,
    defaultRole: connection?.default_role ?? "user",
    rules: connection?.role_rules.length ? connection.role_rules : [emptyRule],
  };
}

/** Where members come by SCIM, how people join is not said here. */
function bodyOf(draft: Draft, isScim: boolean): NewConnection {
  const rules = draft.rules.filter(({ group }) => group.trim() !== "");
  return {
    name: draft.name.trim(),
    issuer: draft.issuer.trim(),
    client_id: draft.clientId.trim(),
    ...(draft.secret !== "" && { client_secret: draft.secret }),
    scopes: draft.scopes.split(/\s+/).filter((scope) => scope !== ""),
    email_claim: draft.emailClaim.trim(),
    name_claim: draft.nameClaim.trim(),
    groups_claim: draft.groupsClaim.trim() === "" ? null : draft.groupsClaim.trim(),
    trusts_emails: draft.trustsEmails,
    ...(!isScim && {
      provisioning: draft.joins ? "jit" : "none",
      controls_roles: draft.joins && draft.controlsRoles,
    }),
    default_role: draft.defaultRole as NonNullable<NewConnection["default_role"]>,
    role_rules: rules as NonNullable<NewConnection["role_rules"]>,
  };
}

const fields = ["name", "issuer", "client_id", "client_secret", "scopes", "default_role"];

export function ConnectionForm({ facts, onClose }: { facts: SingleSignOn; onClose: () => void }) {
  const [draft, setDraft] = useState(() => draftOf(facts));
  const isScim = facts.connection?.provisioning === "scim";
  const isNew = facts.connection === null;
  const save = useProvenAct({
    mutationFn: () => api.single_sign_on.set({ body: bodyOf(draft, isScim) }),
    onSuccess: async ({ name, test }) => {
      await queryClient.invalidateQueries();
      say.good(test === null ? `${name} is saved; now test it` : `${name} is saved`);
      onClose();
    },
  });
  const change = (patch: Partial<Draft>) => setDraft({ ...draft, ...patch });
  const isElsewhere =
    save.error !== null && fields.every((field) => fieldError(save.error, field) === undefined);
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        wide
        locked={save.isPending}
        title={isNew ? "Set up single sign-on" : "Edit single sign-on"}
        description="Make an application of the type “web” at your provider, and give it this redirect URI."
      >
        <form onSubmit={submit} className="grid gap-5">
          <div className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken p-3">
            <code className="min-w-0 flex-1 basis-60 wrap-anywhere">{facts.redirect_uri}</code>
            <CopyButton text={facts.redirect_uri} label="Copy" />
          </div>
          <Provider draft={draft} change={change} error={save.error} isNew={isNew} />
          <Joining facts={facts} draft={draft} change={change} isScim={isScim} error={save.error} />
          <Claims draft={draft} change={change} error={save.error} />
          {isElsewhere && <TroubleBox error={save.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={save.isPending}>
              Save
            </Button>
          </DialogActions>
        </form>
      </Dialog>
      {save.proof}
    </>
  );
}

interface Part {
  draft: Draft;
  change: (patch: Partial<Draft>) => void;
  error: unknown;
}

function Provider({ draft, change, error, isNew }: Part & { isNew: boolean }) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <TextField
        label="Name"
        hint="Stands on the button: “Continue with Okta”."
        required
        maxLength={200}
        autoComplete="off"
        value={draft.name}
        error={fieldError(error, "name")}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextField
        label="Issuer"
        hint="Such as https://login.example.com; it tells its other addresses itself."
        required
        inputMode="url"
        autoComplete="off"
        value={draft.issuer}
        error={fieldError(error, "issuer")}
        onChange={({ target }) => change({ issuer: target.value })}
      />
      <TextField
        label="Client ID"
        required
        autoComplete="off"
        value={draft.clientId}
        error={fieldError(error, "client_id")}
        onChange={({ target }) => change({ clientId: target.value })}
      />
      <TextField
        label="Client secret"
        hint={
          isNew
            ? "Kept encrypted, and never shown again."
            : "Leave it empty to keep the present one."
        }
        type="password"
        required={isNew}
        autoComplete="off"
        value={draft.secret}
        error={fieldError(error, "client_secret")}
        onChange={({ target }) => change({ secret: target.value })}
      />
    </div>
  );
}

function Joining({
  facts,
  draft,
  change,
  isScim,
  error,
}: Part & { facts: SingleSignOn; isScim: boolean }) {
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 font-medium">Who joins</legend>
      {isScim ? (
        <p className="text-soft">Members come by SCIM: how they join is said on its page.</p>
      ) : (
        <CheckField
          label="People become members at their first sign-in"
          hint="Each takes a seat. While this is on, nobody is invited: the provider says who comes."
          checked={draft.joins}
          onChange={({ target }) => change({ joins: target.checked })}
        />
      )}
      {draft.joins && (
        <>
          <SelectField
            label="Role of whoever joins"
            value={draft.defaultRole}
            error={fieldError(error, "default_role")}
            onChange={({ target }) => change({ defaultRole: target.value })}
          >
            {facts.default_roles.map((role) => (
              <option key={role} value={role}>
                {spaced(role)}
              </option>
            ))}
          </SelectField>
          <CheckField
            label="The provider's groups say the role, at each sign-in"
            hint="Then nobody changes roles here; owners stay as they are."
            checked={draft.controlsRoles}
            onChange={({ target }) => change({ controlsRoles: target.checked })}
          />
          {draft.controlsRoles && (
            <RoleRules
              rules={draft.rules}
              roles={facts.roles}
              onChange={(rules) => change({ rules })}
            />
          )}
        </>
      )}
      <CheckField
        label="Trust e-mails of our verified domains"
        hint="For providers that do not say whether an e-mail is verified, as Entra ID. One that says that it is not is never trusted."
        checked={draft.trustsEmails}
        onChange={({ target }) => change({ trustsEmails: target.checked })}
      />
    </fieldset>
  );
}

function Claims({ draft, change, error }: Part) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Scopes and claims</summary>
      <div className="mt-3 grid gap-4 md:grid-cols-2">
        <TextField
          label="Scopes"
          hint="With blanks in between; openid is always asked for."
          autoComplete="off"
          value={draft.scopes}
          error={fieldError(error, "scopes")}
          onChange={({ target }) => change({ scopes: target.value })}
        />
        <TextField
          label="Claim of the groups"
          hint="Empty where the provider sends none."
          autoComplete="off"
          value={draft.groupsClaim}
          onChange={({ target }) => change({ groupsClaim: target.value })}
        />
        <TextField
          label="Claim of the e-mail"
          required
          autoComplete="off"
          value={draft.emailClaim}
          onChange={({ target }) => change({ emailClaim: target.value })}
        />
        <TextField
          label="Claim of the name"
          required
          autoComplete="off"
          value={draft.nameClaim}
          onChange={({ target }) => change({ nameClaim: target.value })}
        />
      </div>
    </details>
  );
}
