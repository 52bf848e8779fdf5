// Making, changing and archiving a service account. Each says what will happen before it does.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { server } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import {
  accountRoles,
  federationQueries,
  forgetFederation,
  type Account,
  type AccountRole,
} from "../federation/federation.ts";
import { useLast } from "../kit/form/last.ts";
import { useMe } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { AreaField, RadioCards, TextField } from "../kit/form/field.tsx";
import { FormTrouble } from "../kit/form/form-trouble.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export type AccountAct = { kind: "new" } | { kind: "edit" | "archive"; account: Account };

const titles = {
  new: "New service account",
  edit: "Edit the service account",
  archive: "Archive this service account for ever?",
};

interface FormProps {
  onClose: () => void;
  onMade?: (account: Account) => void;
}

export function AccountActs({ act, ...props }: FormProps & { act: AccountAct | undefined }) {
  const shown = useLast(act);
  return (
    <Dialog
      open={act !== undefined}
      onClose={props.onClose}
      title={shown === undefined ? "" : titles[shown.kind]}
    >
      {act?.kind === "new" && <Form {...props} />}
      {act?.kind === "edit" && <Form key={act.account.id} account={act.account} {...props} />}
      {shown?.kind === "archive" && (
        <Archive key={shown.account.id} account={shown.account} {...props} />
      )}
    </Dialog>
  );
}

const choices = (Object.keys(accountRoles) as AccountRole[]).map((value) => ({
  value,
  label: accountRoles[value].name,
  hint: accountRoles[value].means,
}));

/** What stays as it is is not sent: no description and an empty one look the same here. */
const described = (account: Account | undefined, text: string) =>
  text === (account?.description ?? "") ? {} : { description: text || null };

function Form({ account, onClose, onMade }: FormProps & { account?: Account }) {
  const [name, setName] = useState(account?.name ?? "");
  const [description, setDescription] = useState(account?.description ?? "");
  const [role, setRole] = useState<AccountRole>(account?.organization_role ?? "developer");
  const save = useAct({
    mutationFn: () => {
      const facts = { ...described(account, description.trim()), organization_role: role };
      return account === undefined
        ? server.service_accounts.create({ body: { name, ...facts } })
        : server.service_accounts.update({
            params: { service_account_id: account.id },
            body: facts,
          });
    },
    onSuccess: (saved) => {
      say.good(account === undefined ? `${saved.name} is there` : "Saved");
      forgetFederation();
      onClose();
      if (account === undefined) onMade?.(saved);
    },
  });
  const inline = fieldError(save.error, "name");
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        value={name}
        required
        disabled={account !== undefined}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        className="font-mono disabled:opacity-60"
        hint={
          account === undefined
            ? "Small letters, digits and hyphens, such as deploy-bot. It does not change later."
            : "The name of a service account does not change."
        }
        error={inline}
        // What people type for a blank is what a slug has for it.
        onChange={({ target }) => setName(target.value.toLowerCase().replaceAll(/[\s_]+/g, "-"))}
      />
      <AreaField
        label="Description"
        value={description}
        maxLength={1000}
        rows={2}
        hint="What runs under this name, and whom to ask about it."
        onChange={({ target }) => setDescription(target.value)}
      />
      <RadioCards
        legend="Role in the organization"
        name="role"
        value={role}
        choices={choices}
        onChange={setRole}
      />
      <FormTrouble fault={undefined} error={inline === undefined ? save.error : null} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={name === ""}>
          {account === undefined ? "Create service account" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}

function Archive({ account, onClose }: FormProps & { account: Account }) {
  const maySeeRules = useMe().permissions.includes("federation:read");
  const rules = useQuery({ ...federationQueries.rulesOf(account.id), enabled: maySeeRules });
  const targeting = rules.data ?? [];
  const archive = useAct({
    mutationFn: () =>
      server.service_accounts.archive({ params: { service_account_id: account.id } }),
    onSuccess: () => {
      say.good(`${account.name} is archived`);
      forgetFederation();
      onClose();
    },
  });
  const strong = <strong className="font-semibold wrap-anywhere">{account.name}</strong>;
  return (
    <div className="grid gap-4">
      {targeting.length > 0 ? (
        <>
          <p>{strong} cannot be archived while rules give it tokens. Archive these first:</p>
          <ul className="grid gap-1">
            {targeting.map(({ id, name }) => (
              <li key={id}>
                <Link
                  to="/federation/$id"
                  params={{ id }}
                  className="text-accent underline underline-offset-2 wrap-anywhere"
                >
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </>
      ) : (
        <p>
          Every token of {strong} ends at once, and what runs with one is refused from its next
          request on. It leaves its workspaces. What it did stays under its name; an archived
          account does not come back.
        </p>
      )}
      {archive.error !== null && <TroubleBox error={archive.error} />}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button
          look="danger"
          busy={archive.isPending || (maySeeRules && rules.isPending)}
          disabled={targeting.length > 0}
          onClick={() => archive.mutate()}
        >
          Archive service account
        </Button>
      </DialogActions>
    </div>
  );
}
