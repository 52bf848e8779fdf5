// One memory store: its tree, and the memory that is open beside it.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FileText, History, Plus } from "lucide-react";
import { useState } from "react";
import { NewMemory } from "./new-memory.tsx";
import { storeActs } from "../stores/store-acts.tsx";
import type { MemoryStore } from "../../kit/server/api.ts";
import { bytesText } from "../../kit/value/sizes.ts";
import { useCommands } from "../../kit/page/commands.ts";
import type { Place } from "./memory-editor.ts";
import { memoryQueries } from "../memory-queries.ts";
import { folderOf } from "../memory.ts";
import { useIsPhone } from "../../kit/page/screen.ts";
import { useSearchState, type Search } from "../../kit/page/search.ts";
import { queryClient } from "../../kit/server/queries.ts";
import { plural } from "../../../client/text/words.ts";
import { useWorkspace, useWorkspaceOf } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { Button, buttonClass } from "../../kit/page/button.tsx";
import { DetailPage } from "../../kit/page/detail-page.tsx";
import { EmptyState } from "../../kit/list/empty-state.tsx";
import { MemoryBrowser } from "../tree/memory-browser.tsx";
import { OpenMemory } from "./open-memory.tsx";
import { useIdOfPage } from "../../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search } = useWorkspace();
  const navigate = useNavigate();
  const [{ memory, new: folder }] = useSearchState();
  // A phone has no room for both the store and what is open in it.
  const isBare = useIsPhone() && (memory !== undefined || folder !== undefined);
  const toList = () => void navigate({ to: "/memory", search });
  const read = useQuery(memoryQueries.store(workspace, id));
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(memoryQueries.store(other, id)),
  );
  return (
    <DetailPage
      back={isBare ? undefined : { to: "/memory", search, label: "All memory stores" }}
      noun="Memory store"
      menuOf={() => "More for this store"}
      read={read}
      isLooking={isLooking}
      titleOf={({ name }) => name}
      aboutOf={isBare ? undefined : (store) => <Facts store={store} />}
      besideOf={isBare ? undefined : () => <HistoryLink store={id} />}
      actsOf={isBare ? undefined : (store) => storeActs(store, workspace, toList)}
    >
      {(store) => <Store key={id} place={{ workspace, store: id }} store={store} />}
    </DetailPage>
  );
}

function Facts({ store }: { store: MemoryStore }) {
  const { description, memory_count: count, size_bytes: bytes, archived_at: archived } = store;
  return (
    <>
      {description !== "" && <span className="mb-1 block text-ink">{description}</span>}
      <span className="text-sm">
        {archived !== null && (
          <>
            <Badge>Archived: read only</Badge>{" "}
          </>
        )}
        {plural(count, "memory", "memories")}, {bytesText(bytes)} with all versions
      </span>
    </>
  );
}

function HistoryLink({ store: id }: { store: string }) {
  const { search } = useWorkspace();
  return (
    <Link to="/memory/$id/history" params={{ id }} search={search} className={buttonClass()}>
      <History size={16} aria-hidden />
      History
    </Link>
  );
}

/** What is open stands in the address: `memory`, or `new` with the folder of one that is not there yet. */
function useOpened(): { search: Search; go: (opened: Search) => void } {
  const [search] = useSearchState();
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const go = (opened: Search) =>
    void navigate({ to: ".", search: { ...workspace.search, ...opened } });
  return { search, go };
}

function Store({ place, store }: { place: Place; store: MemoryStore }) {
  const { search, go } = useOpened();
  const [folder, setFolder] = useState("/");
  const isArchived = store.archived_at !== null;
  const isOpen = search.memory !== undefined || search.new !== undefined;
  const makeNew = () => go({ new: folder });
  useNewCommand(isArchived ? undefined : makeNew);
  return (
    <div
      data-wide
      className="grid items-start gap-x-6 gap-y-4 md:grid-cols-[minmax(220px,300px)_minmax(0,1fr)]"
    >
      <div className={isOpen ? "max-md:hidden" : ""}>
        <MemoryBrowser
          place={place}
          store={store}
          selected={search.memory}
          onOpen={(memory) => {
            setFolder(folderOf(memory.path));
            go({ memory: memory.id });
          }}
          onFolder={setFolder}
          onNew={makeNew}
          onDeleted={({ id }) => id === search.memory && go({})}
        />
      </div>
      {search.memory !== undefined && (
        <OpenMemory
          key={search.memory}
          place={place}
          id={search.memory}
          isArchived={isArchived}
          onDeleted={() => go({})}
        />
      )}
      {search.memory === undefined && search.new !== undefined && !isArchived && (
        <NewMemory key={search.new} place={place} folder={search.new} />
      )}
      {!isOpen && (
        <div className="max-md:hidden">
          <EmptyState
            icon={FileText}
            title={store.memory_count === 0 ? "No memories yet" : "No memory is open"}
            action={
              !isArchived && (
                <Button look={store.memory_count === 0 ? "primary" : "plain"} onClick={makeNew}>
                  <Plus size={16} aria-hidden />
                  New memory
                </Button>
              )
            }
          >
            {store.memory_count === 0
              ? "A memory is a text at a path, as /notes/today.md. Agents read and write them; so can you. Text files can be dropped on the tree."
              : "Choose one in the tree: arrows move, Enter opens. Text files can be dropped there."}
          </EmptyState>
        </div>
      )}
    </div>
  );
}

function useNewCommand(run: (() => void) | undefined): void {
  const focus = (selector: string) => () => document.querySelector<HTMLElement>(selector)?.focus();
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    ...(run === undefined
      ? []
      : [{ ...onPage, id: "memory:new", label: "New memory", keys: "n", inPalette: true, run }]),
    {
      ...onPage,
      id: "memory:filter",
      label: "Filter the tree",
      keys: "/",
      run: focus("[data-search]"),
    },
    { ...onPage, id: "memory:tree", label: "Go to the tree", keys: "t", run: focus("[data-tree]") },
  ]);
}
