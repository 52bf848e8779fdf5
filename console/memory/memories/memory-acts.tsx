// Renaming and deleting a memory. Deleting says what will happen before it does.
import { confirm } from "../../kit/dialog/confirmation.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { server, type Memory } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import { forgetMemory, forgetStore, memoryQueries } from "../memory-queries.ts";
import type { Place } from "./memory-editor.ts";

const asked = ({ workspace, store }: Place, { id }: Memory) => ({
  params: { memory_store_id: store, memory_id: id },
  headers: inWorkspace(workspace),
});

export const renameMemory = (place: Place, memory: Memory): void =>
  openDialog({ title: "Rename or move", body: <RenameForm place={place} memory={memory} /> });

function RenameForm({ place, memory }: { place: Place; memory: Memory }) {
  const { workspace, store } = place;
  const form = useForm({
    start: { path: memory.path },
    save: (body) => server.memory_stores.memories.update({ ...asked(place, memory), body }),
    done: ({ path }) => `Moved to ${path}`,
    renew: (moved) => {
      // The text is as it was; a path that is typed over must not wait for it.
      queryClient.setQueryData(
        memoryQueries.memory(workspace, store, memory.id).queryKey,
        (now) => now && { ...moved, content: now.content },
      );
      forgetStore(workspace, store);
    },
  });
  return (
    <Form form={form} label="Move" isReady={form.isDirty && form.values.path !== ""}>
      <TextField
        label="Path"
        hint="Folders come and go with what is in them. The memory keeps its id and its history."
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        {...form.field("path")}
      />
    </Form>
  );
}

export const deleteMemory = (place: Place, memory: Memory, onDeleted: () => void): void =>
  confirm({
    title: "Delete this memory?",
    label: "Delete the memory",
    keep: "Keep it",
    run: () =>
      server.memory_stores.memories.delete({
        ...asked(place, memory),
        query: { expected_content_sha256: memory.content_sha256 },
      }),
    done: `${memory.path} is deleted`,
    renew: () => {},
    next: () => {
      onDeleted();
      forgetMemory(place.workspace, place.store, memory.id);
    },
    // It may have changed, or be gone already.
    failed: () => forgetStore(place.workspace, place.store),
    children: (
      <>
        <p>
          <span className="font-mono text-sm wrap-anywhere">{memory.path}</span> is gone for every
          reader at once, agents included.
        </p>
        <p>
          Its versions stay in the history for at least 30 days: until then its text can be restored
          from there, and redacted.
        </p>
      </>
    ),
  });
