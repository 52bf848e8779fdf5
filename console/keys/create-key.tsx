// Creating a key, in two steps: what it may do, then its secret, once.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api, type CreatedKey, type NewKey, type Scope } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient, useMe, useServerUrl } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { inDays } from "../kit/value/time.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions, useDialogHold } from "../kit/dialog/dialog.tsx";
import { Leaving } from "../kit/dialog/leaving.tsx";
import { RadioCards, TextField } from "../kit/form/field.tsx";
import { SelectField } from "../kit/form/select.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { ScopeChoice } from "./scope-choice.tsx";
import { SecretOnce } from "../kit/dialog/secret-once.tsx";
import { testKey } from "../kit/value/snippets.ts";
import { Code } from "../kit/value/snippet.tsx";

export function CreateKey({
  kind,
  open,
  onClose,
}: {
  kind: NewKey["kind"];
  open: boolean;
  onClose: () => void;
}) {
  const [created, setCreated] = useState<CreatedKey>();
  function close(): void {
    setCreated(undefined);
    onClose();
  }
  return (
    <Dialog
      open={open || created !== undefined}
      onClose={close}
      title={created === undefined ? "Create a key" : `The secret of ${created.name}`}
      locked={created !== undefined}
      wide={created !== undefined}
    >
      {created === undefined ? (
        <Form kind={kind} onCreated={setCreated} onCancel={close} />
      ) : (
        <KeySecret created={created} />
      )}
    </Dialog>
  );
}

function KeySecret({ created: { name, kind, secret } }: { created: CreatedKey }) {
  const url = useServerUrl();
  const shortened = `${secret.slice(0, 18)}…${secret.slice(-4)}`;
  return (
    <SecretOnce
      label={`Secret of ${name}`}
      secret={secret}
      kept="I have stored this secret"
      about={
        <>
          Copy it now and keep it where secrets are kept. Plinth stores only its fingerprint:{" "}
          <strong className="font-semibold">nobody can show it again.</strong>
        </>
      }
    >
      <div>
        <h3 className="mb-1.5 font-medium">Test this key</h3>
        <Code
          code={testKey(url, kind, secret)}
          shown={testKey(url, kind, shortened)}
          label="Command that tests the key"
        />
        <p className="mt-1 text-sm text-soft">
          200: the key works. 401: it does not. What is copied has the whole secret in it.
        </p>
      </div>
    </SecretOnce>
  );
}

interface Draft {
  name: string;
  kind: NewKey["kind"];
  workspaceId: string;
  days: number;
  scopes: Scope[];
}

const fields = ["name", "workspace_id", "expires_at", "scopes"] as const;
type Errors = Partial<Record<(typeof fields)[number], string>>;

function useDraft(kind: NewKey["kind"], onCreated: (key: CreatedKey) => void) {
  const { organization } = useMe();
  const places = useKeyPlaces();
  const [{ workspace: filtered }] = useSearchState();
  const first = places.find(({ id }) => id === filtered) ?? places[0];
  const [draft, setDraft] = useState<Draft>({
    name: "",
    kind,
    workspaceId: first?.id ?? "",
    days: 0,
    scopes: [],
  });
  const scoped = draft.kind === "admin" && organization.type === "enterprise";
  const create = useAct({
    mutationFn: (key: NewKey) => api.keys.create({ body: key }),
    // The reply holds the secret: the cache forgets it as soon as the step is left.
    gcTime: 0,
    onSuccess: (key) => {
      void queryClient.invalidateQueries();
      onCreated(key);
    },
  });
  const errors: Errors = {};
  for (const field of fields) {
    const sentence = fieldError(create.error, field);
    if (sentence !== undefined) errors[field] = sentence;
  }
  // The workspace may have been chosen by the page; all else is the person's.
  const isDirty = draft.name !== "" || draft.days > 0 || draft.scopes.length > 0;
  useDialogHold(create.isPending ? "busy" : isDirty ? "unsaved" : undefined);
  return {
    draft,
    isDirty: isDirty || create.isPending,
    scoped,
    errors,
    /** What went wrong and belongs to no field. */
    problem: Object.keys(errors).length === 0 ? create.error : null,
    busy: create.isPending,
    ready: draft.name.trim() !== "" && (!scoped || draft.scopes.length > 0),
    change: (patch: Partial<Draft>) => setDraft((before) => ({ ...before, ...patch })),
    submit: () => create.mutate(newKeyOf(draft, scoped)),
  };
}

/** Where the person may make keys, the default workspace first. */
const useKeyPlaces = () => useMe().workspaces.filter(({ makes_keys: makes }) => makes);

/** In an enterprise organization it is the primary owner who chooses the scopes. */
function useMayMakeAdmin(): boolean {
  const { organization, permissions } = useMe();
  const wanted = organization.type === "enterprise" ? "admin_keys:scope" : "workspaces:write";
  return permissions.includes(wanted);
}

const newKeyOf = ({ name, kind, workspaceId, days, scopes }: Draft, scoped: boolean): NewKey => ({
  name: name.trim(),
  kind,
  ...(kind === "api" && workspaceId !== "" && { workspace_id: workspaceId }),
  ...(days > 0 && { expires_at: inDays(days).toISOString() }),
  ...(scoped && { scopes }),
});

function Form({
  kind,
  onCreated,
  onCancel,
}: {
  kind: NewKey["kind"];
  onCreated: (key: CreatedKey) => void;
  onCancel: () => void;
}) {
  const mayAdmin = useMayMakeAdmin();
  const asked = mayAdmin ? kind : "api";
  const found = useDraft(asked, onCreated);
  const { draft, isDirty, scoped, errors, problem, busy, ready, change, submit } = found;
  function onSubmit(event: FormEvent): void {
    event.preventDefault();
    submit();
  }
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <TextField
        label="Name"
        hint="What will use it, so that you know later what stops when it stops."
        value={draft.name}
        required
        maxLength={200}
        autoComplete="off"
        error={errors.name}
        onChange={(event) => change({ name: event.target.value })}
      />
      {mayAdmin && (
        <RadioCards
          legend="Kind"
          name="kind"
          value={draft.kind}
          onChange={(kind) => change({ kind })}
          choices={[
            { value: "api", label: "API key", hint: "Works in one workspace" },
            { value: "admin", label: "Admin key", hint: "Manages the organization" },
          ]}
        />
      )}
      {draft.kind === "api" && (
        <Workspace
          value={draft.workspaceId}
          error={errors.workspace_id}
          onChange={(workspaceId) => change({ workspaceId })}
        />
      )}
      {scoped && (
        <ScopeChoice
          scopes={draft.scopes}
          error={errors.scopes}
          onChange={(scopes) => change({ scopes })}
        />
      )}
      <Expiry days={draft.days} error={errors.expires_at} onChange={(days) => change({ days })} />
      {problem !== null && <TroubleBox error={problem} />}
      <DialogActions>
        <Button onClick={onCancel} disabled={busy}>
          Cancel
        </Button>
        <Button type="submit" look="primary" busy={busy} disabled={!ready}>
          Create key
        </Button>
      </DialogActions>
      <Leaving isDirty={isDirty} byPath />
    </form>
  );
}

function Workspace({
  value,
  error,
  onChange,
}: {
  value: string;
  error: string | undefined;
  onChange: (id: string) => void;
}) {
  const places = useKeyPlaces();
  return (
    <SelectField
      label="Workspace"
      value={value}
      error={error}
      choices={places.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={onChange}
    />
  );
}

/** The values are days. */
const expiries = [
  { label: "Never", value: "0" },
  { label: "In 7 days", value: "7" },
  { label: "In 30 days", value: "30" },
  { label: "In 90 days", value: "90" },
  { label: "In a year", value: "365" },
];

function Expiry({
  days,
  error,
  onChange,
}: {
  days: number;
  error: string | undefined;
  onChange: (days: number) => void;
}) {
  return (
    <SelectField
      label="Expires"
      value={String(days)}
      error={error}
      choices={expiries}
      onChange={(chosen) => onChange(Number(chosen))}
    />
  );
}
