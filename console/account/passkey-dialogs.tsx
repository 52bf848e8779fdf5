// A new passkey, and another name for one.
import { Fingerprint } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api, type Passkey } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { makePasskey, refusalWords } from "../kit/identity/passkeys.ts";
import { useProvenAct } from "../kit/identity/proven.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { deviceWords } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function AddPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(() => deviceWords(navigator.userAgent));
  const add = useProvenAct({
    mutationFn: async () => {
      const { id, rawId, type, response } = await makePasskey();
      const { clientDataJSON, attestationObject, transports = [] } = response;
      const made = { clientDataJSON, attestationObject, transports };
      const credential = { id, rawId, type, response: made };
      return api.passkeys.create({ body: { name: name.trim(), credential } });
    },
    onSuccess: (passkey) => {
      void queryClient.invalidateQueries();
      say.good(`${passkey.name} can sign you in now`);
      onClose();
    },
  });
  const nameError = fieldError(add.error, "name");
  const refusal = refusalWords(add.error);
  function submit(event: FormEvent): void {
    event.preventDefault();
    add.mutate();
  }
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title="Add a passkey"
        description="Your device or password manager keeps it and asks for your finger, face or PIN. It signs you in without a password, and no other site can ask for it."
      >
        <form onSubmit={submit} className="grid gap-4">
          <TextField
            label="Name"
            hint="So that you know it again when you have several."
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            error={nameError}
            onChange={({ target }) => setName(target.value)}
          />
          {refusal !== undefined && (
            <p className="text-bad" role="alert">
              {refusal}
            </p>
          )}
          {add.error !== null && refusal === undefined && nameError === undefined && (
            <TroubleBox error={add.error} />
          )}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={add.isPending} disabled={name.trim() === ""}>
              <Fingerprint size={16} aria-hidden />
              Continue
            </Button>
          </DialogActions>
        </form>
      </Dialog>
      {add.proof}
    </>
  );
}

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const rename = useAct({
    mutationFn: () =>
      api.passkeys.update({ params: { passkey_id: passkey.id }, body: { name: name.trim() } }),
    onSuccess: () => {
      void queryClient.invalidateQueries();
      onClose();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    rename.mutate();
  }
  const nameError = fieldError(rename.error, "name");
  return (
    <Dialog open onClose={onClose} title={`Rename ${passkey.name}`}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          error={nameError}
          onChange={({ target }) => setName(target.value)}
        />
        {rename.error !== null && nameError === undefined && <TroubleBox error={rename.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            look="primary"
            busy={rename.isPending}
            disabled={name.trim() === ""}
          >
            Rename
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

export function RemovePasskey({
  passkey,
  isLast,
  onClose,
}: {
  passkey: Passkey;
  isLast: boolean;
  onClose: () => void;
}) {
  const remove = useProvenAct({
    mutationFn: () => api.passkeys.delete({ params: { passkey_id: passkey.id } }),
    onSuccess: () => {
      void queryClient.invalidateQueries();
      say.good(`${passkey.name} signs nobody in any more`);
      onClose();
    },
    onError: say.error,
  });
  return (
    <>
      <Dialog
        open
        onClose={onClose}
        title={`Remove ${passkey.name}?`}
        description={
          isLast
            ? "It is your last passkey: you sign in with your password alone from now on. Delete it from your device or password manager too."
            : "It signs you in no more. Delete it from your device or password manager too."
        }
      >
        <DialogActions>
          <Button onClick={onClose}>Keep it</Button>
          <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Remove the passkey
          </Button>
        </DialogActions>
      </Dialog>
      {remove.proof}
    </>
  );
}
