// A new password; the old one proves who asks.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function ChangePassword({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useAct({
    mutationFn: () => api.password({ body: { current_password: current, new_password: next } }),
    gcTime: 0,
    onSuccess: () => {
      setCurrent("");
      setNext("");
      void queryClient.invalidateQueries();
      say.good("Your password is changed");
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    change.mutate();
  }
  const currentError = fieldError(change.error, "current_password");
  const nextError = fieldError(change.error, "new_password");
  const elsewhere = change.error !== null && currentError === undefined && nextError === undefined;
  return (
    <form onSubmit={submit} className="grid gap-4">
      {/* Password managers want to know whose password this is. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        value={current}
        error={currentError}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        hint="At least 12 characters. A few unrelated words do well. Your other sign-ins end."
        value={next}
        error={nextError}
        onChange={(event) => setNext(event.target.value)}
      />
      {elsewhere && <TroubleBox error={change.error} />}
      <div>
        <Button
          type="submit"
          look="primary"
          busy={change.isPending}
          disabled={current === "" || next === ""}
        >
          Change password
        </Button>
      </div>
    </form>
  );
}
