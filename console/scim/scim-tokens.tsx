// The tokens of the identity provider: made, shown once, and revoked.
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { queryClient } from "../kit/server/queries.ts";
import { scimQueries, type NewScimToken, type ScimToken } from "./scim.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { SecretBox } from "../kit/form/secret-box.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Time } from "../kit/value/time.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

const tokensMax = 2;

export function ScimTokens({ mayWrite }: { mayWrite: boolean }) {
  const { data, error, refetch } = useQuery(scimQueries.tokens);
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ScimToken>();
  const tokens = data?.data ?? [];
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-soft">
          {tokens.length === 0
            ? "There is no token yet: the provider cannot sign in."
            : "Two tokens may live at a time: make the next one, give it to the provider, and revoke the old one."}
        </p>
        {mayWrite && (
          <Button
            look="primary"
            disabled={tokens.length >= tokensMax}
            onClick={() => setMaking(true)}
          >
            Make a token
          </Button>
        )}
      </div>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {tokens.length > 0 && (
        <Table
          label="Tokens of SCIM"
          columns={columnsOf(mayWrite ? setRevoking : undefined)}
          rows={tokens}
          keyOf={({ id }) => id}
        />
      )}
      <MakeToken open={making} onClose={() => setMaking(false)} />
      <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />
    </div>
  );
}

function columnsOf(onRevoke: ((token: ScimToken) => void) | undefined): Column<ScimToken>[] {
  const columns: Column<ScimToken>[] = [
    {
      title: "Token",
      heads: true,
      cell: ({ name, partial_token_hint: hint }) => (
        <>
          <span className="font-medium wrap-anywhere">{name}</span>
          <span className="block font-mono text-sm text-soft">{hint}</span>
        </>
      ),
    },
    {
      title: "Made",
      cell: ({ created_at: at, created_by: by }) => (
        <span>
          <Time at={at} />
          {by.name !== null && <span className="text-soft"> by {by.name}</span>}
        </span>
      ),
    },
    { title: "Last used", cell: ({ last_used_at: at }) => <Time at={at} /> },
  ];
  if (onRevoke !== undefined)
    columns.push({
      title: "Acts",
      bare: true,
      foot: true,
      className: "md:text-right",
      cell: (token) => <Button onClick={() => onRevoke(token)}>Revoke</Button>,
    });
  return columns;
}

function MakeToken({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<NewScimToken>();
  function close(): void {
    setMade(undefined);
    onClose();
  }
  return (
    <Dialog
      open={open || made !== undefined}
      onClose={close}
      title={made === undefined ? "Make a token of SCIM" : `The secret of ${made.name}`}
      locked={made !== undefined}
      wide={made !== undefined}
    >
      {made === undefined ? (
        <NameForm onMade={setMade} onCancel={close} />
      ) : (
        <Secret made={made} onDone={close} />
      )}
    </Dialog>
  );
}

function NameForm({
  onMade,
  onCancel,
}: {
  onMade: (token: NewScimToken) => void;
  onCancel: () => void;
}) {
  const [name, setName] = useState("");
  const make = useAct({
    mutationFn: () => api.scim.tokens.create({ body: { name: name.trim() } }),
    gcTime: 0,
    onSuccess: (token) => {
      void queryClient.invalidateQueries({ queryKey: ["scim"] });
      onMade(token);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    make.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        hint="Which provider holds it, and since when: Entra, autumn 2026."
        value={name}
        required
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      {make.error !== null && <TroubleBox error={make.error} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={make.isPending} disabled={name.trim() === ""}>
          Make the token
        </Button>
      </DialogActions>
    </form>
  );
}

function Secret({ made, onDone }: { made: NewScimToken; onDone: () => void }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="grid gap-4">
      <p>
        Give it to the provider now. Plinth stores only its fingerprint:{" "}
        <strong className="font-semibold">nobody can show it again.</strong>
      </p>
      <SecretBox
        label={`Secret of ${made.name}`}
        text={made.secret}
        copyLabel="Copy secret"
        onCopied={() => setCopied(true)}
      />
      <DialogActions>
        <Button look={copied ? "primary" : "plain"} onClick={onDone}>
          {copied ? "Done" : "I have stored it"}
        </Button>
      </DialogActions>
    </div>
  );
}

function RevokeToken({ token, onClose }: { token: ScimToken | undefined; onClose: () => void }) {
  const revoke = useAct({
    mutationFn: ({ id }: ScimToken) => api.scim.tokens.delete({ params: { token_id: id } }),
    onSuccess: (_, { name }) => {
      void queryClient.invalidateQueries({ queryKey: ["scim"] });
      say.good(`${name} is revoked`);
      onClose();
    },
  });
  return (
    <Dialog
      open={token !== undefined}
      onClose={onClose}
      title={`Revoke ${token?.name ?? ""}?`}
      description="A provider that still uses it is refused at once: nobody joins, and nobody who leaves is switched off, until it has another one."
    >
      {revoke.error !== null && <TroubleBox error={revoke.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="danger"
          busy={revoke.isPending}
          onClick={() => token !== undefined && revoke.mutate(token)}
        >
          Revoke
        </Button>
      </DialogActions>
    </Dialog>
  );
}
