// Writes an old text back as the newest version; where its memory is gone, as a memory of its own.
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type Memory, type MemoryVersion } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import type { Place } from "../memories/memory-editor.ts";
import { memoryQueries, renewStores } from "../memory-queries.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { DialogActions } from "../../kit/form/dialog.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { say } from "../../kit/page/toast.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  place: Place;
  version: MemoryVersion;
  text: string;
  /** As it is today; null where it is gone. */
  memory: Memory | null;
  onClose: () => void;
}

function useRestore({ place: { workspace, store }, text, memory, onClose }: Props, path: string) {
  const { search } = useWorkspace();
  const navigate = useNavigate();
  return useAct({
    mutationFn: () =>
      memory === null
        ? server.memory_stores.memories.create({
            params: { memory_store_id: store },
            body: { path, content: text },
            headers: inWorkspace(workspace),
          })
        : server.memory_stores.memories.update({
            params: { memory_store_id: store, memory_id: memory.id },
            body: {
              content: text,
              precondition: { type: "content_sha256", content_sha256: memory.content_sha256 },
            },
            headers: inWorkspace(workspace),
          }),
    onSuccess: (restored) => {
      const { queryKey } = memoryQueries.memory(workspace, store, restored.id);
      const now: Memory = { ...restored, content: text };
      queryClient.setQueryData(queryKey, now);
      say.good(`${restored.path} has this text again`);
      onClose();
      void navigate({
        to: "/memory/$id",
        params: { id: store },
        search: { ...search, memory: restored.id },
      });
    },
    // Also where it has changed meanwhile: that is told once the next try is made over what is there then.
    onSettled: renewStores,
  });
}

export function RestoreVersion(props: Props) {
  const { version, memory, onClose } = props;
  const [path, setPath] = useState(version.path ?? "/");
  const restore = useRestore(props, path);
  const inline = fieldError(restore.error, "path");
  function submit(event: FormEvent): void {
    event.preventDefault();
    restore.mutate();
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      {memory === null ? (
        <>
          <p>
            The memory was deleted. Its text becomes a new memory with an id and a history of its
            own; the old history stays where it is.
          </p>
          <TextField
            label="Path"
            value={path}
            error={inline}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            onChange={({ target }) => setPath(target.value)}
          />
        </>
      ) : (
        <p>
          This text becomes the newest version of{" "}
          <span className="font-mono text-sm wrap-anywhere">{memory.path}</span>. The text of today
          stays in the history.
        </p>
      )}
      {restore.error !== null && inline === undefined && <TroubleBox error={restore.error} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={restore.isPending} disabled={path === ""}>
          {memory === null ? "Create it again" : "Restore this text"}
        </Button>
      </DialogActions>
    </form>
  );
}
