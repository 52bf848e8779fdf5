// Confirms who sits at the browser, with the password or a passkey.
import { useQuery } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useAct } from "../form/act.ts";
import { api } from "../server/api.ts";
import { fieldError } from "../server/errors.ts";
import { hasPasskeys, proveByPasskey, refusalWords } from "./passkeys.ts";
import { goToSignIn, queries, useMe } from "../server/queries.ts";
import { Button } from "../page/button.tsx";
import { Dialog, DialogActions } from "../dialog/dialog.tsx";
import { TextField } from "../form/field.tsx";
import { TroubleBox } from "../page/trouble-box.tsx";

export function ConfirmIdentity({
  onProved,
  onClose,
}: {
  onProved: () => void;
  onClose: () => void;
}) {
  const { user } = useMe();
  const { data } = useQuery(queries.myWays);
  const [password, setPassword] = useState("");
  const byPassword = useAct({
    mutationFn: () => api.prove({ body: { current_password: password } }),
    gcTime: 0,
    onSuccess: onProved,
  });
  const byPasskey = useAct({ mutationFn: proveByPasskey, onSuccess: onProved });
  const canPasskey = hasPasskeys() && data?.data.some(({ usable }) => usable) === true;
  const canPassword = data?.has_password === true;
  const isAtALoss = data !== undefined && !canPassword && !canPasskey;
  const wrong = fieldError(byPassword.error, "current_password");
  const refusal = refusalWords(byPasskey.error);
  const problem = wrong === undefined ? (byPassword.error ?? byPasskey.error) : null;
  function submit(event: FormEvent): void {
    event.preventDefault();
    byPassword.mutate();
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Confirm that it is you"
      description="This act can let somebody in or lock somebody out. The confirmation holds for ten minutes."
    >
      <form onSubmit={submit} className="grid gap-4">
        {canPassword && (
          <Password email={user.email} value={password} error={wrong} onChange={setPassword} />
        )}
        {refusal !== undefined && <p className="text-bad">{refusal}</p>}
        {problem !== null && refusal === undefined && <TroubleBox error={problem} />}
        {isAtALoss && (
          <p>
            You have no password and no passkey here: sign in again, then repeat what you wanted to
            do within ten minutes.
          </p>
        )}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          {canPasskey && (
            <Button busy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
              <Fingerprint size={16} aria-hidden />
              Use a passkey
            </Button>
          )}
          {canPassword && <Confirm busy={byPassword.isPending} disabled={password === ""} />}
          {isAtALoss && (
            <Button look="primary" onClick={goToSignIn}>
              Sign in again
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}

const Confirm = ({ busy, disabled }: { busy: boolean; disabled: boolean }) => (
  <Button type="submit" look="primary" busy={busy} disabled={disabled}>
    Confirm
  </Button>
);

function Password({
  email,
  value,
  error,
  onChange,
}: {
  email: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  return (
    <>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        autoFocus
        required
        value={value}
        error={error}
        onChange={({ target }) => onChange(target.value)}
      />
    </>
  );
}
