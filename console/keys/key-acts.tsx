// Changing a key: rename, deactivate, activate, archive. Each says what will happen before it does.
import { useEffect, useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api, type Key, type KeyChange } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient } from "../kit/server/queries.ts";
import { relativeTime } from "../kit/value/time.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export interface KeyAct {
  kind: "rename" | "deactivate" | "activate" | "archive";
  key: Key;
}

const changes = {
  deactivate: { status: "inactive", done: "is deactivated" },
  activate: { status: "active", done: "works again" },
  archive: { status: "archived", done: "is archived" },
} as const;

const titles = {
  rename: "Rename the key",
  deactivate: "Deactivate this key?",
  activate: "Activate this key?",
  archive: "Archive this key for ever?",
};

export function KeyActs({ act, onClose }: { act: KeyAct | undefined; onClose: () => void }) {
  // The words stay while the dialog fades out.
  const [last, setLast] = useState(act);
  useEffect(() => {
    if (act !== undefined) setLast(act);
  }, [act]);
  const shown = act ?? last;
  return (
    <Dialog
      open={act !== undefined}
      onClose={onClose}
      title={shown === undefined ? "" : titles[shown.kind]}
    >
      {shown !== undefined && (
        <Form key={shown.key.id + shown.kind} act={shown} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Form({ act: { kind, key }, onClose }: { act: KeyAct; onClose: () => void }) {
  const [name, setName] = useState(kind === "rename" ? key.name : "");
  const update = useAct({
    mutationFn: (change: KeyChange) =>
      api.keys.update({ params: { key_id: key.id }, body: change }),
    onSuccess: (updated) => {
      void queryClient.invalidateQueries();
      say.good(
        kind === "rename" ? `Renamed to ${updated.name}` : `${key.name} ${changes[kind].done}`,
      );
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    update.mutate(kind === "rename" ? { name: name.trim() } : { status: changes[kind].status });
  }
  const inline = fieldError(update.error, "name");
  const ready =
    kind === "rename"
      ? name.trim() !== "" && name.trim() !== key.name
      : kind !== "archive" || name.trim() === key.name.trim();

  return (
    <form onSubmit={submit} className="grid gap-4">
      <Consequence kind={kind} of={key} />
      {kind === "rename" && (
        <TextField
          label="Name"
          value={name}
          maxLength={200}
          error={inline}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {kind === "archive" && (
        <TextField
          label={`Type ${key.name} to go on`}
          value={name}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {update.error !== null && inline === undefined && <TroubleBox error={update.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look={kind === "archive" || kind === "deactivate" ? "danger" : "primary"}
          busy={update.isPending}
          disabled={!ready}
        >
          {
            {
              rename: "Rename",
              deactivate: "Deactivate",
              activate: "Activate",
              archive: "Archive",
            }[kind]
          }
        </Button>
      </DialogActions>
    </form>
  );
}

function Consequence({ kind, of }: { kind: KeyAct["kind"]; of: Key }) {
  if (kind === "rename") return null;
  const name = <strong className="font-semibold wrap-anywhere">{of.name}</strong>;
  if (kind === "activate") return <p>Requests with {name} are let in again within a second.</p>;
  const use =
    of.last_used_at === null
      ? "It was never used."
      : `It was last used ${relativeTime(of.last_used_at)}.`;
  return (
    <div className="grid gap-2">
      <p>
        Every program that uses {name} stops working: within a second its requests are answered 401,
        on every process of this server. {use}
      </p>
      <p>
        {kind === "deactivate"
          ? "You can activate it again at any time."
          : "An archived key can never be activated again; programs need a new one. Its past stays in the audit log."}
      </p>
    </div>
  );
}
