// The settings of the identity provider: what it must be told, what it tells us, and whom it may let join.
import { api, type NewConnection, type SingleSignOn } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { spaced } from "../kit/value/words.ts";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { CheckField, TextField } from "../kit/form/field.tsx";
import { Form, useForm, type FormState } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SelectField } from "../kit/form/select.tsx";
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

export const editConnection = (facts: SingleSignOn): void =>
  openDialog({
    title: facts.connection === null ? "Set up single sign-on" : "Edit single sign-on",
    description:
      "Make an application of the type “web” at your provider, and give it this redirect URI.",
    wide: true,
    body: <ConnectionForm facts={facts} />,
  });

function ConnectionForm({ facts }: { facts: SingleSignOn }) {
  const isScim = facts.connection?.provisioning === "scim";
  const form = useForm({
    start: draftOf(facts),
    save: (draft) => api.single_sign_on.set({ body: bodyOf(draft, isScim) }),
    done: ({ name, test }) =>
      test === null ? `${name} is saved; now test it` : `${name} is saved`,
    renew: () => queryClient.invalidateQueries(),
  });
  return (
    <Form form={form} label="Save" isReady>
      <div className="flex flex-wrap items-center gap-2 rounded-lg bg-sunken p-3">
        <code className="min-w-0 flex-1 basis-60 wrap-anywhere">{facts.redirect_uri}</code>
        <CopyButton text={facts.redirect_uri} label="Copy" />
      </div>
      <Provider form={form} isNew={facts.connection === null} />
      <Joining form={form} facts={facts} isScim={isScim} />
      <Claims form={form} />
    </Form>
  );
}

interface Part {
  form: FormState<Draft>;
}

function Provider({ form, isNew }: Part & { isNew: boolean }) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <TextField
        label="Name"
        hint="Stands on the button: “Continue with Okta”."
        required
        maxLength={200}
        autoComplete="off"
        {...form.field("name")}
      />
      <TextField
        label="Issuer"
        hint="Such as https://login.example.com; it tells its other addresses itself."
        required
        inputMode="url"
        autoComplete="off"
        {...form.field("issuer")}
      />
      <TextField
        label="Client ID"
        required
        autoComplete="off"
        {...form.field("clientId", "client_id")}
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
        {...form.field("secret", "client_secret")}
      />
    </div>
  );
}

function Joining({ form, facts, isScim }: Part & { facts: SingleSignOn; isScim: boolean }) {
  const { joins, controlsRoles, trustsEmails, rules } = form.values;
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 font-medium">Who joins</legend>
      {isScim ? (
        <p className="text-soft">Members come by SCIM: how they join is said on its page.</p>
      ) : (
        <CheckField
          label="People become members at their first sign-in"
          hint="Each takes a seat. While this is on, nobody is invited: the provider says who comes."
          checked={joins}
          onChange={({ target }) => form.set({ joins: target.checked })}
        />
      )}
      {joins && (
        <>
          <SelectField
            label="Role of whoever joins"
            choices={facts.default_roles.map((role) => ({ value: role, label: spaced(role) }))}
            {...form.choice("defaultRole", "default_role")}
          />
          <CheckField
            label="The provider's groups say the role, at each sign-in"
            hint="Then nobody changes roles here; owners stay as they are."
            checked={controlsRoles}
            onChange={({ target }) => form.set({ controlsRoles: target.checked })}
          />
          {controlsRoles && (
            <RoleRules
              rules={rules}
              roles={facts.roles}
              onChange={(next) => form.set({ rules: next })}
            />
          )}
        </>
      )}
      <CheckField
        label="Trust e-mails of our verified domains"
        hint="For providers that do not say whether an e-mail is verified, as Entra ID. One that says that it is not is never trusted."
        checked={trustsEmails}
        onChange={({ target }) => form.set({ trustsEmails: target.checked })}
      />
    </fieldset>
  );
}

function Claims({ form }: Part) {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Scopes and claims</summary>
      <div className="mt-3 grid gap-4 md:grid-cols-2">
        <TextField
          label="Scopes"
          hint="With blanks in between; openid is always asked for."
          autoComplete="off"
          {...form.field("scopes")}
        />
        <TextField
          label="Claim of the groups"
          hint="Empty where the provider sends none."
          autoComplete="off"
          {...form.field("groupsClaim")}
        />
        <TextField
          label="Claim of the e-mail"
          required
          autoComplete="off"
          {...form.field("emailClaim")}
        />
        <TextField
          label="Claim of the name"
          required
          autoComplete="off"
          {...form.field("nameClaim")}
        />
      </div>
    </details>
  );
}
