// What a store says of itself: name, description, metadata. For a new one, and for one that is there.
import { Plus, X } from "lucide-react";
import { useState, type FormEvent } from "react";
import { useAct } from "../lib/act.ts";
import { server, type MemoryStore } from "../lib/api.ts";
import { fieldError } from "../lib/errors.ts";
import { forgetStores } from "../lib/memory-queries.ts";
import { inWorkspace } from "../lib/workspace.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { DialogActions } from "../parts/dialog.tsx";
import { AreaField, TextField } from "../parts/field.tsx";
import { FormTrouble } from "../parts/form-trouble.tsx";
import { say } from "../parts/toast.tsx";

interface Props {
  /** Undefined for a new one. */
  store?: MemoryStore;
  workspace: string | undefined;
  onClose: () => void;
  onMade?: (store: MemoryStore) => void;
}

interface Pair {
  key: string;
  value: string;
}

const pairsMax = 16;

const metadataOf = (pairs: Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ key }) => key !== "").map(({ key, value }) => [key, value]));

export function StoreForm({ store, workspace, onClose, onMade }: Props) {
  const [name, setName] = useState(store?.name ?? "");
  const [description, setDescription] = useState(store?.description ?? "");
  const [pairs, setPairs] = useState<Pair[]>(
    Object.entries(store?.metadata ?? {}).map(([key, value]) => ({ key, value })),
  );
  const save = useAct({
    mutationFn: () => {
      const metadata = metadataOf(pairs);
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
    onSuccess: (saved) => {
      say.good(store === undefined ? `${saved.name} is there` : "Saved");
      forgetStores();
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
      <Metadata pairs={pairs} onChange={setPairs} />
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

const input =
  "min-h-9 w-full rounded-md border border-line-strong bg-surface px-2.5 font-mono text-sm text-ink max-md:min-h-10";

function Metadata({ pairs, onChange }: { pairs: Pair[]; onChange: (pairs: Pair[]) => void }) {
  const change = (at: number, patch: Partial<Pair>) =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...patch } : pair)));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 font-medium">Metadata</legend>
      {pairs.map(({ key, value }, at) => (
        <div key={at} className="flex items-center gap-2">
          <input
            aria-label={`Key ${at + 1}`}
            placeholder="Key"
            className={input}
            value={key}
            maxLength={64}
            onChange={({ target }) => change(at, { key: target.value })}
          />
          <input
            aria-label={`Value ${at + 1}`}
            placeholder="Value"
            className={input}
            value={value}
            maxLength={512}
            onChange={({ target }) => change(at, { value: target.value })}
          />
          <IconButton
            label={`Remove ${key === "" ? `pair ${at + 1}` : key}`}
            onClick={() => onChange(pairs.filter((_, place) => place !== at))}
          >
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          disabled={pairs.length >= pairsMax}
          onClick={() => onChange([...pairs, { key: "", value: "" }])}
        >
          <Plus size={16} aria-hidden />
          Add a pair
        </Button>
      </div>
    </fieldset>
  );
}
