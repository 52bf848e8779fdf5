// A new memory: where it stands, and its text.
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server } from "../../kit/server/api.ts";
import { fieldError } from "../../kit/server/errors.ts";
import type { Place } from "./memory-editor.ts";
import { forgetStores } from "../memory-queries.ts";
import { bytesOf, contentBytesMax } from "../memory.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { Button } from "../../kit/page/button.tsx";
import { TextField } from "../../kit/form/field.tsx";
import { MemoryText } from "./memory-text.tsx";
import { say } from "../../kit/page/say.ts";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { useCommands } from "../../kit/page/commands.ts";
import { Leaving } from "../../kit/dialog/leaving.tsx";

export function NewMemory({ place, folder }: { place: Place; folder: string }) {
  const [path, setPath] = useState(folder);
  const [text, setText] = useState("");
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const create = useAct({
    mutationFn: () =>
      server.memory_stores.memories.create({
        params: { memory_store_id: place.store },
        body: { path, content: text },
        headers: inWorkspace(place.workspace),
      }),
    onSuccess: ({ id, path }) => {
      say.good(`${path} is there`);
      forgetStores();
      void navigate({ to: ".", search: { ...search, memory: id }, ignoreBlocker: true });
    },
  });
  const bytes = bytesOf(text);
  const isReady = path !== "" && !path.endsWith("/") && bytes <= contentBytesMax;
  const inline = fieldError(create.error, "path");
  const save = () => {
    if (isReady) create.mutate();
  };
  useCommands([
    { id: "memory:create", label: "Create it", group: "This page", keys: "mod+s", run: save },
  ]);
  function submit(event: FormEvent): void {
    event.preventDefault();
    save();
  }
  return (
    <form onSubmit={submit} aria-label="New memory" className="grid content-start gap-3">
      <TextField
        label="Path of the new memory"
        hint="As in /notes/today.md. Folders come with what is in them."
        value={path}
        error={inline}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-sm"
        onChange={({ target }) => setPath(target.value)}
      />
      <MemoryText
        label="Text of the new memory"
        value={text}
        bytes={bytes}
        isShort
        onChange={setText}
      />
      {create.error !== null && inline === undefined && <TroubleBox error={create.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={create.isPending} disabled={!isReady}>
          Create memory
        </Button>
        <Button onClick={() => void navigate({ to: ".", search })}>Cancel</Button>
      </div>
      <Leaving isDirty={text !== ""} />
    </form>
  );
}
