// The left side of a store: the filter, the tree, and the place where text files may fall.
import { useQuery } from "@tanstack/react-query";
import { FilePlus2, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { DroppedFiles } from "./dropped-files.tsx";
import { deleteMemory, renameMemory } from "../memories/memory-acts.tsx";
import type { Memory, MemoryStore } from "../../kit/server/api.ts";
import { memoriesPerStore } from "../memory.ts";
import type { Place } from "../memories/memory-editor.ts";
import { memoryQueries } from "../memory-queries.ts";
import { useFiltered, useTree, type TreeRow } from "./memory-tree.ts";
import { plural } from "../../../client/text/words.ts";
import { IconButton } from "../../kit/page/button.tsx";
import { SearchInput } from "../../kit/form/field.tsx";
import { MemoryTree } from "./tree-view.tsx";
import { Skeleton } from "../../kit/page/skeleton.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";

interface Props {
  place: Place;
  store: MemoryStore;
  selected: string | undefined;
  onOpen: (memory: Memory) => void;
  /** A folder was opened or closed: what is new next is likely to stand in it. */
  onFolder: (folder: string) => void;
  onNew: () => void;
  onDeleted: (memory: Memory) => void;
}

export function MemoryBrowser(props: Props) {
  const { place, store, selected, onOpen, onFolder, onNew, onDeleted } = props;
  const { workspace, store: id } = place;
  const shown = useShownPath(place, selected);
  const tree = useTree(workspace, id, shown);
  const [typed, setTyped] = useState("");
  const filtered = useFiltered(workspace, id, typed);
  const isArchived = store.archived_at !== null;
  const drop = useFileDrop(isArchived);
  const { rows, error, isPending } = filtered.isOn ? filtered : tree;
  const toggle = (folder: string, open?: boolean) => {
    onFolder(folder);
    tree.toggle(folder, open);
  };
  return (
    <div className="grid gap-2 md:sticky md:top-16 lg:top-6">
      <div className="flex items-center gap-1.5">
        <div className="min-w-0 flex-1">
          <SearchInput
            label="Filter the paths"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </div>
        {!isArchived && (
          <>
            <IconButton label="New memory (N)" onClick={onNew}>
              <Plus size={17} aria-hidden />
            </IconButton>
            <ChooseFiles onFiles={drop.take} />
          </>
        )}
      </div>
      {error !== null && <TroubleBox error={error} retry={tree.retry} />}
      <div
        className={`h-[55dvh] overflow-hidden rounded-lg border bg-surface md:h-[max(20rem,calc(100dvh-18.7rem))] ${drop.target === undefined ? "border-line" : "border-accent bg-accent-soft"}`}
      >
        {isPending ? (
          <TreeSkeleton />
        ) : rows.length === 0 ? (
          <p className="px-4 py-8 text-center text-soft">
            {filtered.isOn ? "No path has that in it." : "Nothing in here yet."}
          </p>
        ) : (
          <MemoryTree
            rows={rows}
            selected={selected}
            isFlat={filtered.isOn}
            target={drop.target}
            acts={{
              open: onOpen,
              toggle,
              more: tree.more,
              rename: (memory) => !isArchived && renameMemory(place, memory),
              remove: (memory) => deleteMemory(place, memory, () => onDeleted(memory)),
            }}
          />
        )}
      </div>
      <p role="status" className="text-sm text-soft">
        {statusOf(filtered.isOn, rows, store)}
      </p>
      <DroppedFiles place={place} dropped={drop.dropped} onClose={drop.clear} onOpen={onOpen} />
    </div>
  );
}

/** The path of what is open, as soon as it is known. */
function useShownPath({ workspace, store }: Place, id: string | undefined): string | undefined {
  const { data } = useQuery({
    ...memoryQueries.memory(workspace, store, id ?? ""),
    enabled: id !== undefined,
  });
  return data?.path;
}

function statusOf(isOn: boolean, rows: TreeRow[], { memory_count: count }: MemoryStore): string {
  if (isOn) return `${rows.length.toLocaleString("en")} of ${plural(count, "memory", "memories")}`;
  return count >= memoriesPerStore
    ? "This store is full: 2,000 memories."
    : plural(count, "memory", "memories");
}

function TreeSkeleton() {
  return (
    <div role="status" className="grid gap-2 p-3">
      <span className="sr-only">Loading</span>
      {Array.from({ length: 8 }, (_, row) => (
        <Skeleton key={row} className="h-5" />
      ))}
    </div>
  );
}

function ChooseFiles({ onFiles }: { onFiles: (files: File[], folder: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label="Add text files" onClick={() => input.current?.click()}>
        <FilePlus2 size={17} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        aria-label="Text files to add"
        className="hidden"
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same files, changed, are chosen anew.
          target.value = "";
          if (files.length > 0) onFiles(files, "/");
        }}
      />
    </>
  );
}

export interface Dropped {
  files: File[];
  folder: string;
}

/** Files over a folder fall into it, anywhere else on the page into the store: a browser would open them instead. */
function useFileDrop(isArchived: boolean) {
  const [target, setTarget] = useState<string>();
  const [dropped, setDropped] = useState<Dropped>();
  const take = (files: File[], folder: string) => setDropped({ files, folder });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const folderAt = ({ target }: DragEvent) =>
      (target as Element).closest<HTMLElement>("[data-folder]")?.dataset["folder"] ?? "/";
    const onOver = (event: DragEvent) => {
      event.preventDefault();
      if (!isArchived) setTarget(folderAt(event));
    };
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setTarget(undefined);
    };
    const onDrop = (event: DragEvent) => {
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      setTarget(undefined);
      if (files.length > 0 && !isArchived) take(files, folderAt(event));
    };
    window.addEventListener("dragover", onOver, { signal });
    window.addEventListener("dragleave", onLeave, { signal });
    window.addEventListener("drop", onDrop, { signal });
    return () => controller.abort();
  }, [isArchived]);
  return { target, dropped, take, clear: () => setDropped(undefined) };
}
