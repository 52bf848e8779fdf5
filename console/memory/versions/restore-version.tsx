// Writes an old text back as the newest version; where its memory is gone, as a memory of its own.
import { useQuery } from "@tanstack/react-query";
import { TextField } from "../../kit/form/field.tsx";
import { Form, useForm } from "../../kit/form/form.tsx";
import { openDialog } from "../../kit/dialog/open-dialog.ts";
import { server, type Memory, type MemoryVersion } from "../../kit/server/api.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { inWorkspace } from "../../kit/server/workspace.ts";
import type { Place } from "../memories/memory-editor.ts";
import { memoryQueries, renewStores } from "../memory-queries.ts";

interface Props {
  place: Place;
  version: MemoryVersion;
  text: string;
  onRestored: (memory: Memory) => void;
}

export const restoreVersion = (props: Props): void =>
  openDialog({ title: "Restore this text?", body: <RestoreForm {...props} /> });

function RestoreForm({ place, version, text, onRestored }: Props) {
  const { workspace, store } = place;
  // As the page has it, also after a try that came too late; null where it is gone.
  const { data: memory } = useQuery({
    ...memoryQueries.memory(workspace, store, version.memory_id),
    refetchOnMount: false,
  });
  const form = useForm({
    start: { path: version.path ?? "/" },
    save: ({ path }) => write(place, text, path, memory ?? null),
    done: ({ path }) => `${path} has this text again`,
    renew: (restored) => {
      const { queryKey } = memoryQueries.memory(workspace, store, restored.id);
      const now: Memory = { ...restored, content: text };
      queryClient.setQueryData(queryKey, now);
      void renewStores();
    },
    next: onRestored,
    failed: renewStores,
  });
  return (
    <Form
      form={form}
      label={memory === null ? "Create it again" : "Restore this text"}
      isReady={memory !== undefined && form.values.path !== ""}
    >
      {memory === null && (
        <>
          <p>
            The memory was deleted. Its text becomes a new memory with an id and a history of its
            own; the old history stays where it is.
          </p>
          <TextField
            label="Path"
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            {...form.field("path")}
          />
        </>
      )}
      {memory != null && (
        <p>
          This text becomes the newest version of{" "}
          <span className="font-mono text-sm wrap-anywhere">{memory.path}</span>. The text of today
          stays in the history.
        </p>
      )}
    </Form>
  );
}

/** Over the text that the page knows, or as a memory of its own. */
function write({ workspace, store }: Place, content: string, path: string, memory: Memory | null) {
  const { memories } = server.memory_stores;
  const headers = inWorkspace(workspace);
  if (memory === null)
    return memories.create({
      params: { memory_store_id: store },
      body: { path, content },
      headers,
    });
  const { content_sha256: seen } = memory;
  return memories.update({
    params: { memory_store_id: store, memory_id: memory.id },
    body: { content, precondition: { type: "content_sha256", content_sha256: seen } },
    headers,
  });
}
