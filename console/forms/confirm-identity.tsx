// Confirms who sits at the browser, with the password or a passkey.
import { useQuery } from "@tanstack/react-query";
import { Fingerprint } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useAct } from "../lib/act.ts";
import { api } from "../lib/api.ts";
import { fieldError } from "../lib/errors.ts";
import { hasPasskeys, proveByPasskey, refusalWords } from "../lib/passkeys.ts";
import { goToSignIn, queries, useMe } from "../lib/queries.ts";
import { Button } from "../parts/button.tsx";
import { Dialog, DialogActions } from "../parts/dialog.tsx";
import { TextField } from "../parts/field.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

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
          <>
            <input type="email" autoComplete="username" value={user.email} readOnly hidden />
            <TextField
              label="Your password"
              type="password"
              autoComplete="current-password"
              autoFocus
              required
              value={password}
              error={wrong}
              onChange={({ target }) => setPassword(target.value)}
            />
          </>
        )}
        {refusal !== undefined && <p className="text-bad">{refusal}</p>}
        {problem !== null && refusal === undefined && <TroubleBox error={problem} />}
        {data !== undefined && !canPassword && !canPasskey && (
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
          {canPassword && (
            <Button
              type="submit"
              look="primary"
              busy={byPassword.isPending}
              disabled={password === ""}
            >
              Confirm
            </Button>
          )}
          {data !== undefined && !canPassword && !canPasskey && (
            <Button look="primary" onClick={goToSignIn}>
              Sign in again
            </Button>
          )}
        </DialogActions>
      </form>
    </Dialog>
  );
}
