// One memory: its text to read and to change, and what can be done with it.
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, Download, History, Pencil, Save, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Leaving } from "../../kit/dialog/leaving.tsx";
import { MemoryConflict } from "./memory-conflict.tsx";
import { deleteMemory, renameMemory } from "./memory-acts.tsx";
import { useAct } from "../../kit/form/act.ts";
import { server, type Memory } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useCommands } from "../../kit/page/commands.ts";
import { forgetStore, forgetStores } from "../memory-queries.ts";
import { useMemoryEditor, type MemoryEditor, type Place } from "./memory-editor.ts";
import { nameOf } from "../memory.ts";
import { turnsDirection, turningWords } from "../../kit/text/direction.ts";
import { saveAs } from "../../kit/server/save-as.ts";
import { inWorkspace, useWorkspace } from "../../kit/server/workspace.ts";
import { ActMenu } from "../../kit/list/act-menu.tsx";
import { Button, buttonClass } from "../../kit/page/button.tsx";
import { CopyButton } from "../../kit/value/copy-button.tsx";
import { MemoryText } from "./memory-text.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  place: Place;
  /** Null where it is gone. */
  memory: Memory | null;
  /** As it was before it was gone. */
  last: Memory;
  isArchived: boolean;
  onDeleted: () => void;
}

export function MemoryPanel({ place, memory, last, isArchived, onDeleted }: Props) {
  const editor = useMemoryEditor(place, memory, last);
  useEditorCommands(editor, place, memory ?? last);
  return (
    <section aria-label="Memory" className="grid content-start gap-3">
      <Head place={place} memory={memory ?? last} editor={editor} {...{ isArchived, onDeleted }} />
      <Notices place={place} editor={editor} isGone={memory === null} />
      <MemoryText
        label={`Text of ${(memory ?? last).path}`}
        value={editor.typed}
        bytes={editor.bytes}
        readOnly={isArchived}
        onChange={editor.type}
        note={<Note editor={editor} />}
      />
      <MemoryConflict place={place} editor={editor} />
      <Leaving isDirty={editor.isDirty} />
    </section>
  );
}

interface HeadProps {
  place: Place;
  memory: Memory;
  editor: MemoryEditor;
  isArchived: boolean;
  onDeleted: () => void;
}

function Head(props: HeadProps) {
  const { place, memory, editor, isArchived } = props;
  const { search } = useWorkspace();
  return (
    <div className="grid gap-2">
      <Link
        to="."
        search={search}
        className="inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10 md:hidden"
      >
        <ArrowLeft size={15} aria-hidden />
        All memories of the store
      </Link>
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="font-mono text-base font-semibold wrap-anywhere">{memory.path}</h2>
          <p className="text-sm text-soft">
            {bytesText(memory.content_size_bytes)}, changed <Time at={memory.updated_at} />
          </p>
        </div>
        <div className="flex items-center gap-2 max-md:w-full">
          {editor.isDirty && (
            <Button disabled={editor.isSaving} onClick={editor.discard}>
              Discard
            </Button>
          )}
          {!isArchived && (
            <Button
              look="primary"
              disabled={!editor.canSave}
              busy={editor.isSaving}
              onClick={editor.save}
              title="Ctrl+S"
            >
              <Save size={16} aria-hidden />
              Save
            </Button>
          )}
          <Link
            to="/memory/$id/history"
            params={{ id: place.store }}
            search={{ ...search, memory: memory.id }}
            className={buttonClass()}
          >
            <History size={16} aria-hidden />
            History
          </Link>
          <MemoryMenu {...props} />
        </div>
      </div>
    </div>
  );
}

function MemoryMenu({ place, memory, editor, isArchived, onDeleted }: HeadProps) {
  return (
    <ActMenu
      label="More for this memory"
      acts={[
        {
          label: "Rename or move",
          icon: Pencil,
          when: !isArchived,
          run: () => renameMemory(place, memory),
        },
        {
          label: "Download",
          icon: Download,
          run: () => saveAs(new Blob([editor.text]), nameOf(memory.path)),
        },
        {
          label: "Delete",
          icon: Trash2,
          isBad: true,
          run: () => deleteMemory(place, memory, onDeleted),
        },
      ]}
    />
  );
}

function Note({ editor: { isDirty, ends } }: { editor: MemoryEditor }) {
  if (ends === "mixed" && isDirty)
    return "Its lines end in different ways: saved, they all end with a line feed.";
  if (isDirty) return "Not saved";
  return ends === "crlf" ? "Lines end with CR LF" : null;
}

function Notices({
  place,
  editor,
  isGone,
}: {
  place: Place;
  editor: MemoryEditor;
  isGone: boolean;
}) {
  return (
    <>
      {isGone && <Gone place={place} editor={editor} />}
      {editor.isBehind && editor.theirs === undefined && (
        <Notice
          text="Somebody else changed this memory since you began to type."
          actions={<Button onClick={editor.compare}>See both</Button>}
        />
      )}
      {turnsDirection(editor.text) && <Notice text={turningWords} actions={null} />}
      {editor.aside !== undefined && (
        <Notice
          text="What you had typed before is kept until you leave this memory."
          actions={
            <>
              <Button onClick={editor.bringBack}>
                {editor.isDirty ? "Exchange with it" : "Bring it back"}
              </Button>
              <CopyButton text={editor.aside} />
              <Button onClick={editor.forgetAside}>Forget it</Button>
            </>
          }
        />
      )}
      {editor.error !== null && editor.theirs === undefined && <TroubleBox error={editor.error} />}
    </>
  );
}

function Notice({ text, actions }: { text: string; actions: ReactNode }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-warn-soft px-3 py-2 text-warn"
    >
      <p className="min-w-0 flex-1 basis-60">{text}</p>
      <div className="flex flex-wrap gap-2">{actions}</div>
    </div>
  );
}

/** Deleted by somebody while it is open here. */
function Gone({ place, editor }: { place: Place; editor: MemoryEditor }) {
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const again = useAct({
    mutationFn: () =>
      server.memory_stores.memories.create({
        params: { memory_store_id: place.store },
        body: { path: editor.base.path, content: editor.text },
        headers: inWorkspace(place.workspace),
      }),
    onSuccess: ({ id }) => {
      forgetStore(place.workspace, place.store);
      forgetStores();
      void navigate({ to: ".", search: { ...search, memory: id }, ignoreBlocker: true });
    },
  });
  return (
    <>
      <Notice
        text="This memory was deleted. Its text is still here, and its versions are in the history."
        actions={
          <>
            <CopyButton text={editor.text} label="Copy text" />
            <Button busy={again.isPending} onClick={() => again.mutate()}>
              Create it again
            </Button>
          </>
        }
      />
      {again.error !== null && <TroubleBox error={again.error} />}
    </>
  );
}

function useEditorCommands(editor: MemoryEditor, { store }: Place, { id, path }: Memory): void {
  const { search } = useWorkspace();
  const navigate = useNavigate();
  const focus = () => document.querySelector<HTMLElement>("[data-memory-text]")?.focus();
  const onPage = { group: "This page" } as const;
  useCommands([
    { ...onPage, id: "memory:save", label: `Save ${path}`, keys: "mod+s", run: editor.save },
    {
      ...onPage,
      id: "memory:edit",
      label: "Edit the text",
      keys: "e",
      inPalette: false,
      run: focus,
    },
    {
      ...onPage,
      id: "memory:history",
      label: `History of ${path}`,
      keys: "h",
      run: () =>
        void navigate({
          to: "/memory/$id/history",
          params: { id: store },
          search: { ...search, memory: id },
        }),
    },
  ]);
}
