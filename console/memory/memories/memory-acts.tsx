// Renaming and deleting a memory. Deleting says what will happen before it does.
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type Memory } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import { useLast } from "../../kit/form/last.ts";
import { forgetMemory, forgetStore, memoryQueries } from "../memory-queries.ts";
import type { Place } from "./memory-editor.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { Dialog, DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

export interface MemoryAct {
  kind: "rename" | "delete";
  memory: Memory;
}

interface Props {
  act: MemoryAct | undefined;
  place: Place;
  onClose: () => void;
  onDeleted: (memory: Memory) => void;
}

export function MemoryActs({ act, place, onClose, onDeleted }: Props) {
  const shown = useLast(act);
  const title = shown?.kind === "delete" ? "Delete this memory?" : "Rename or move";
  return (
    <Dialog open={act !== undefined} onClose={onClose} title={title}>
      {shown?.kind === "rename" && (
        <Rename key={shown.memory.id} memory={shown.memory} place={place} onClose={onClose} />
      )}
      {shown?.kind === "delete" && (
        <Delete memory={shown.memory} place={place} onClose={onClose} onDeleted={onDeleted} />
      )}
    </Dialog>
  );
}

interface FormProps {
  memory: Memory;
  place: Place;
  onClose: () => void;
}

const asked = ({ workspace, store }: Place, { id }: Memory) => ({
  params: { memory_store_id: store, memory_id: id },
  headers: inWorkspace(workspace),
});

function Rename({ memory, place, onClose }: FormProps) {
  const [path, setPath] = useState(memory.path);
  const rename = useAct({
    mutationFn: () =>
      server.memory_stores.memories.update({ ...asked(place, memory), body: { path } }),
    onSuccess: (moved) => {
      const { queryKey } = memoryQueries.memory(place.workspace, place.store, memory.id);
      // The text is as it was; a path that is typed over must not wait for it.
      queryClient.setQueryData(queryKey, (now) =>
        now == null ? now : { ...moved, content: now.content },
      );
      forgetStore(place.workspace, place.store);
      say.good(`Moved to ${moved.path}`);
      onClose();
    },
  });
  const inline = fieldError(rename.error, "path");
  function submit(event: FormEvent): void {
    event.preventDefault();
    rename.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField
        label="Path"
        hint="Folders come and go with what is in them. The memory keeps its id and its history."
        value={path}
        error={inline}
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        onChange={({ target }) => setPath(target.value)}
      />
      {rename.error !== null && inline === undefined && <TroubleBox error={rename.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          busy={rename.isPending}
          disabled={path === "" || path === memory.path}
        >
          Move
        </Button>
      </DialogActions>
    </form>
  );
}

function Delete({
  memory,
  place,
  onClose,
  onDeleted,
}: FormProps & { onDeleted: (memory: Memory) => void }) {
  const remove = useAct({
    mutationFn: () =>
      server.memory_stores.memories.delete({
        ...asked(place, memory),
        query: { expected_content_sha256: memory.content_sha256 },
      }),
    onSuccess: () => {
      say.good(`${memory.path} is deleted`);
      onClose();
      onDeleted(memory);
      forgetMemory(place.workspace, place.store, memory.id);
    },
    // It may have changed, or be gone already: what the page shows then is no longer so.
    onError: () => forgetStore(place.workspace, place.store),
  });
  return (
    <>
      <div className="grid gap-2">
        <p>
          <span className="font-mono text-sm wrap-anywhere">{memory.path}</span> is gone for every
          reader at once, agents included.
        </p>
        <p>
          Its versions stay in the history for at least 30 days: until then its text can be restored
          from there, and redacted.
        </p>
      </div>
      {remove.error !== null && (
        <div className="mt-3">
          <TroubleBox error={remove.error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete the memory
        </Button>
      </DialogActions>
    </>
  );
}
