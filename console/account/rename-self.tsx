// One's own name.
import { useState, type FormEvent } from "react";
import { useAct } from "../kit/form/act.ts";
import { api } from "../kit/server/api.ts";
import { fieldError } from "../kit/server/errors.ts";
import { queryClient } from "../kit/server/queries.ts";
import { Button } from "../kit/page/button.tsx";
import { TextField } from "../kit/form/field.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

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
