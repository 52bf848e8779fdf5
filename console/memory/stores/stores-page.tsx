// Memory stores: what agents remember, a tree of texts each.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { BookMarked, FileUp, Plus } from "lucide-react";
import { useCallback, useRef, useState } from "react";
import { useDrop } from "../../kit/form/file-drop.tsx";
import { ImportStore } from "./import-store.tsx";
import { StoreForm } from "./store-form.tsx";
import type { MemoryStore } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useCommands } from "../../kit/page/commands.ts";
import { memoryQueries } from "../memory-queries.ts";
import { usePaging } from "../../kit/list/paging.ts";
import { useSearchState } from "../../kit/page/search.ts";
import { plural } from "../../kit/value/words.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Button } from "../../kit/page/button.tsx";
import { Dialog } from "../../kit/form/dialog.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { CheckField } from "../../kit/form/field.tsx";
import { MemorySearch, MemorySearchBox } from "./memory-search.tsx";
import { PageHeader } from "../../kit/page/page-header.tsx";
import { Pager } from "../../kit/list/pager.tsx";
import { RowsSkeleton } from "../../kit/page/skeleton.tsx";
import { Table, type Column } from "../../kit/list/table.tsx";
import { Time } from "../../kit/value/time.tsx";
import { TroubleBox } from "../../kit/page/trouble-box.tsx";
import { WorkspaceSelect } from "../../kit/page/workspace-select.tsx";

export function Page() {
  const workspace = useWorkspace();
  const [search, change] = useSearchState();
  const isAll = search.archived === "shown";
  const makeNew = () => change({ new: "store" });
  const [file, setFile] = useState<File>();
  const take = useCallback(([first]: File[]) => first && setFile(first), []);
  const isOver = useDrop(file !== undefined, take);
  useStoreCommands(makeNew);
  return (
    <>
      <PageHeader
        title="Memory"
        actions={
          <div className="flex flex-wrap gap-2">
            <ChooseTar onFile={setFile} />
            <NewStore onPress={makeNew} />
          </div>
        }
      >
        Stores of texts that agents read and write across sessions. Every change is kept as a
        version. Drop a tar on the page to import one.
      </PageHeader>
      {isOver && (
        <div className="pointer-events-none fixed inset-3 z-50 grid place-items-center rounded-xl border-2 border-dashed border-accent bg-accent-soft text-lg font-semibold text-accent">
          Drop the tar to import it
        </div>
      )}
      <search aria-label="Search and filter" className="mb-4 flex flex-wrap items-center gap-3">
        <MemorySearchBox value={search.q ?? ""} onSettle={(q) => change({ q: q || undefined })} />
        {workspace.workspaces.length > 1 && <WorkspaceSelect workspace={workspace} />}
        {search.q === undefined && (
          <CheckField
            label="Show archived"
            checked={isAll}
            onChange={({ target }) => change({ archived: target.checked ? "shown" : undefined })}
          />
        )}
      </search>
      {search.q === undefined ? (
        <Stores isAll={isAll} onNew={makeNew} />
      ) : (
        <MemorySearch workspace={workspace.id} q={search.q} />
      )}
      <ImportStore file={file} onClose={() => setFile(undefined)} />
      <NewStoreDialog isOpen={search.new === "store"} onClose={() => change({ new: undefined })} />
    </>
  );
}

function ChooseTar({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>
        <FileUp size={16} aria-hidden />
        Import
      </Button>
      <input
        ref={input}
        type="file"
        aria-label="Tar of a memory store"
        accept=".tar,.tgz,.gz,application/x-tar,application/gzip"
        className="hidden"
        onChange={({ target }) => {
          const file = target.files?.[0];
          // The same file, packed anew, is chosen anew.
          target.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}

function NewStore({ onPress }: { onPress: () => void }) {
  return (
    <Button look="primary" onClick={onPress} title="N">
      <Plus size={16} aria-hidden />
      New store
    </Button>
  );
}

function Stores({ isAll, onNew }: { isAll: boolean; onNew: () => void }) {
  const workspace = useWorkspace();
  const paging = usePaging(`${workspace.id} ${isAll}`);
  const list = useQuery(memoryQueries.stores(workspace.id, isAll, paging.cursor));
  const stores = list.data?.data ?? [];
  return (
    <>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {stores.length > 0 && (
        <Table
          label="Memory stores"
          columns={columns(workspace.search)}
          rows={stores}
          keyOf={({ id }) => id}
        />
      )}
      {list.data !== undefined && stores.length === 0 && (
        <EmptyState
          icon={BookMarked}
          title={paging.place === 0 ? "No memory stores yet" : "Nothing here any more"}
          action={paging.place === 0 && <NewStore onPress={onNew} />}
        >
          {paging.place === 0
            ? "A store holds texts at paths, like files in folders. Give one to an agent, and it remembers from session to session what it wrote there; you see each version, who wrote it and when."
            : "The stores of this page were deleted. Go back to newer ones."}
        </EmptyState>
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {stores.length > 0 && plural(stores.length, "store")}
      </p>
      <Pager paging={paging} next={list.data?.next_page ?? null} label={["Newer", "Older"]} />
    </>
  );
}

const columns = (search: Record<string, string | undefined>): Column<MemoryStore>[] => [
  {
    title: "Name",
    heads: true,
    className: "md:w-1/2",
    cell: ({ id, name, description, archived_at: archived }) => (
      <>
        <Link
          to="/memory/$id"
          params={{ id }}
          search={search}
          className="font-medium underline-offset-2 wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        {archived !== null && (
          <span className="ml-2">
            <Badge>Archived</Badge>
          </span>
        )}
        <span className="line-clamp-2 text-sm text-soft wrap-anywhere">{description}</span>
      </>
    ),
  },
  { title: "Memories", cell: ({ memory_count: count }) => count.toLocaleString("en") },
  {
    title: "Size",
    cell: ({ size_bytes: bytes }) => (
      <span className="whitespace-nowrap" title="With all versions">
        {bytesText(bytes)}
      </span>
    ),
  },
  { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
];

function NewStoreDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { id: workspace, search } = useWorkspace();
  const navigate = useNavigate();
  // Every time it opens it begins empty.
  const [round, setRound] = useState(0);
  return (
    <Dialog open={isOpen} onClose={onClose} title="New memory store">
      <StoreForm
        key={round}
        workspace={workspace}
        onClose={onClose}
        onMade={({ id }) => {
          setRound(round + 1);
          void navigate({ to: "/memory/$id", params: { id }, search });
        }}
      />
    </Dialog>
  );
}

function useStoreCommands(makeNew: () => void): void {
  const focus = () => document.querySelector<HTMLInputElement>("[data-search]")?.focus();
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "stores:new", label: "New memory store", keys: "n", run: makeNew },
    { ...onPage, id: "stores:search", label: "Search all memories", keys: "/", run: focus },
  ]);
}
