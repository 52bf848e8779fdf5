// What a store says of itself: name, description, metadata. For a new one, and for one that is there.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type MemoryStore } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import { renewStores } from "../memory-queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { DialogActions } from "../../kit/form/dialog.tsx";
import { AreaField, TextField } from "../../kit/form/field.tsx";
import { FormTrouble } from "../../kit/form/form-trouble.tsx";
import { say } from "../../kit/page/toast.tsx";
import { Pairs, pairsOf, recordOf } from "../../kit/form/pairs.tsx";

interface Props {
  /** Undefined for a new one. */
  store?: MemoryStore;
  workspace: string | undefined;
  onClose: () => void;
  onMade?: (store: MemoryStore) => void;
}

export function StoreForm({ store, workspace, onClose, onMade }: Props) {
  const [name, setName] = useState(store?.name ?? "");
  const [description, setDescription] = useState(store?.description ?? "");
  const [pairs, setPairs] = useState(pairsOf(store?.metadata ?? {}));
  const save = useAct({
    mutationFn: () => {
      const metadata = recordOf(pairs);
      const facts = { name: name.trim(), description };
      const headers = inWorkspace(workspace);
      if (store === undefined)
        return server.memory_stores.create({ body: { ...facts, metadata }, headers });
      // A key that is not there any more must be named to go.
      const gone = Object.keys(store.metadata).map((key) => [key, null]);
      return server.memory_stores.update({
        params: { memory_store_id: store.id },
        body: { ...facts, metadata: { ...Object.fromEntries(gone), ...metadata } },
        headers,
      });
    },
    onSuccess: async (saved) => {
      await renewStores();
      say.good(store === undefined ? `${saved.name} is there` : "Saved");
      onClose();
      onMade?.(saved);
    },
  });
  const errors = {
    name: fieldError(save.error, "name"),
    description: fieldError(save.error, "description"),
  };
  const problem = errors.name === undefined && errors.description === undefined ? save.error : null;
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Name"
        value={name}
        required
        maxLength={255}
        autoComplete="off"
        error={errors.name}
        onChange={({ target }) => setName(target.value)}
      />
      <AreaField
        label="Description"
        hint="Agents read name and description, and judge by them what to look for here."
        value={description}
        maxLength={1_024}
        rows={3}
        error={errors.description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Pairs
        legend="Metadata"
        pairs={pairs}
        most={{ pairs: 16, key: 64, value: 512 }}
        onChange={setPairs}
      />
      <FormTrouble fault={undefined} error={problem} />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={save.isPending} disabled={name.trim() === ""}>
          {store === undefined ? "Create store" : "Save"}
        </Button>
      </DialogActions>
    </form>
  );
}
