// One's own name.
import { useState, type FormEvent } from "react";
import { useAct } from "../lib/act.ts";
import { api } from "../lib/api.ts";
import { fieldError } from "../lib/errors.ts";
import { queryClient } from "../lib/queries.ts";
import { Button } from "../parts/button.tsx";
import { TextField } from "../parts/field.tsx";
import { say } from "../parts/toast.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";

export function RenameSelf({ name: present }: { name: string }) {
  const [name, setName] = useState(present);
  const rename = useAct({
    mutationFn: () => api.rename({ body: { name: name.trim() } }),
    onSuccess: (renamed) => {
      setName(renamed.name);
      void queryClient.invalidateQueries();
      say.good(`You are called ${renamed.name} now`);
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    rename.mutate();
  }
  const inline = fieldError(rename.error, "name");
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Your name"
        autoComplete="name"
        required
        maxLength={200}
        value={name}
        error={inline}
        onChange={(event) => setName(event.target.value)}
      />
      {rename.error !== null && inline === undefined && <TroubleBox error={rename.error} />}
      <div>
        <Button
          type="submit"
          busy={rename.isPending}
          disabled={name.trim() === "" || name.trim() === present}
        >
          Change name
        </Button>
      </div>
    </form>
  );
}
