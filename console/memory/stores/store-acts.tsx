// Changing, archiving and deleting a store. What cannot be undone says what it does before it does.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type MemoryStore } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useLast } from "../../kit/form/last.ts";
import { forgetStores } from "../memory-queries.ts";
import { plural } from "../../kit/value/words.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { StoreForm } from "./store-form.tsx";

export type StoreAct = "edit" | "archive" | "delete";

interface Props {
  store: MemoryStore;
  workspace: string | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

const titles: Record<StoreAct, string> = {
  edit: "Edit the store",
  archive: "Archive this store for ever?",
  delete: "Delete this store?",
};

export function StoreActs({ act, ...props }: Props & { act: StoreAct | undefined }) {
  const shown = useLast(act);
  return (
    <Dialog
      open={act !== undefined}
      onClose={props.onClose}
      title={shown === undefined ? "" : titles[shown]}
    >
      {shown === "edit" && <StoreForm {...props} />}
      {shown === "archive" && <ArchiveStore {...props} />}
      {shown === "delete" && <DeleteStore {...props} />}
    </Dialog>
  );
}

const asked = ({ store, workspace }: Pick<Props, "store" | "workspace">) => ({
  params: { memory_store_id: store.id },
  headers: inWorkspace(workspace),
});

function ArchiveStore({ store, workspace, onClose }: Props) {
  const archive = useAct({
    mutationFn: () => server.memory_stores.archive(asked({ store, workspace })),
    onSuccess: () => {
      say.good(`${store.name} is archived`);
      forgetStores();
      onClose();
    },
  });
  return (
    <>
      <div className="grid gap-2">
        <p>
          Its {plural(store.memory_count, "memory", "memories")} can be read from now on, and
          nothing can be written: agents that want to are refused, and no session can be given this
          store any more.
        </p>
        <p>
          Deleting a memory, redacting versions and deleting the store go on. An archived store
          never opens again: to go on with it, export it and import that as a new one.
        </p>
      </div>
      <Foot error={archive.error} onClose={onClose}>
        <Button look="danger" busy={archive.isPending} onClick={() => archive.mutate()}>
          Archive the store
        </Button>
      </Foot>
    </>
  );
}

function DeleteStore({ store, workspace, onClose, onDeleted }: Props) {
  const [typed, setTyped] = useState("");
  const remove = useAct({
    mutationFn: () => server.memory_stores.delete(asked({ store, workspace })),
    onSuccess: () => {
      say.good(`${store.name} is deleted`);
      onClose();
      onDeleted();
    },
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    remove.mutate();
  }
  return (
    <form onSubmit={submit}>
      <div className="grid gap-4">
        <p>
          Its {plural(store.memory_count, "memory", "memories")} and every version of them (
          {bytesText(store.size_bytes)}) are gone for everybody, at once. This cannot be undone:
          export the store before, if somebody may want it.
        </p>
        <TextField
          label={`Type ${store.name} to go on`}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setTyped(target.value)}
        />
      </div>
      <Foot error={remove.error} onClose={onClose}>
        <Button
          type="submit"
          look="danger"
          busy={remove.isPending}
          disabled={typed.trim() !== store.name.trim()}
        >
          Delete the store
        </Button>
      </Foot>
    </form>
  );
}

function Foot({
  error,
  onClose,
  children,
}: {
  error: unknown;
  onClose: () => void;
  children: React.ReactNode;
}) {
  return (
    <>
      {error !== null && (
        <div className="mt-3">
          <TroubleBox error={error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        {children}
      </DialogActions>
    </>
  );
}
