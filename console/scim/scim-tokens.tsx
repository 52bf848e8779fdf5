// The tokens of the identity provider: made, shown once, and revoked.
import { confirm } from "../kit/dialog/confirmation.tsx";
import { TextField } from "../kit/form/field.tsx";
import { Form, useForm } from "../kit/form/form.tsx";
import { openDialog } from "../kit/dialog/open-dialog.ts";
import { SecretOnce } from "../kit/dialog/secret-once.tsx";
import { nameColumn, timeColumn } from "../kit/list/columns.tsx";
import { ListView } from "../kit/list/list-view.tsx";
import { useWholeList } from "../kit/list/list.ts";
import type { Column } from "../kit/list/table.tsx";
import { Button } from "../kit/page/button.tsx";
import { api } from "../kit/server/api.ts";
import { Time } from "../kit/value/time.tsx";
import { renewScim, scimQueries, type NewScimToken, type ScimToken } from "./scim.ts";

const tokensMax = 2;

export function ScimTokens({ mayWrite }: { mayWrite: boolean }) {
  const list = useWholeList(scimQueries.tokens);
  const { length: count } = list.rows;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-soft">
          {count === 0
            ? "There is no token yet: the provider cannot sign in."
            : "Two tokens may live at a time: make the next one, give it to the provider, and revoke the old one."}
        </p>
        {mayWrite && (
          <Button look="primary" disabled={count >= tokensMax} onClick={makeToken}>
            Make a token
          </Button>
        )}
      </div>
      <ListView
        label="Tokens of SCIM"
        list={list}
        columns={mayWrite ? [...columns, revokeColumn] : columns}
        empty={{}}
      />
    </div>
  );
}

const columns: Column<ScimToken>[] = [
  nameColumn<ScimToken>({
    title: "Token",
    name: ({ name }) => name,
    below: ({ partial_token_hint: hint }) => <span className="font-mono">{hint}</span>,
  }),
  {
    title: "Made",
    cell: ({ created_at: at, created_by: by }) => (
      <span>
        <Time at={at} />
        {by.name !== null && <span className="text-soft"> by {by.name}</span>}
      </span>
    ),
  },
  timeColumn("Last used", ({ last_used_at: at }) => at),
];

const revokeColumn: Column<ScimToken> = {
  title: "Acts",
  bare: true,
  foot: true,
  className: "md:text-right",
  cell: (token) => <Button onClick={() => revoke(token)}>Revoke</Button>,
};

const makeToken = () => openDialog({ title: "Make a token of SCIM", body: <NewToken /> });

function NewToken() {
  const form = useForm({
    start: { name: "" },
    save: ({ name }) => api.scim.tokens.create({ body: { name: name.trim() } }),
    renew: renewScim,
    next: showSecret,
  });
  return (
    <Form form={form} label="Make the token" isReady={form.values.name.trim() !== ""}>
      <TextField
        label="Name"
        hint="Which provider holds it, and since when: Entra, autumn 2026."
        required
        maxLength={100}
        autoComplete="off"
        {...form.field("name")}
      />
    </Form>
  );
}

const showSecret = ({ name, secret }: NewScimToken) =>
  openDialog({
    title: `The secret of ${name}`,
    locked: true,
    wide: true,
    body: (
      <SecretOnce
        label={`Secret of ${name}`}
        secret={secret}
        kept="I have stored it"
        about={
          <>
            Give it to the provider now. Plinth stores only its fingerprint:{" "}
            <strong className="font-semibold">nobody can show it again.</strong>
          </>
        }
      />
    ),
  });

const revoke = ({ id, name }: ScimToken) =>
  confirm({
    title: `Revoke ${name}?`,
    label: "Revoke",
    run: () => api.scim.tokens.delete({ params: { token_id: id } }),
    done: `${name} is revoked`,
    renew: renewScim,
    children: (
      <p>
        A provider that still uses it is refused at once: nobody joins, and nobody who leaves is
        switched off, until it has another one.
      </p>
    ),
  });
