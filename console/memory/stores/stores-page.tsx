// Memory stores: what agents remember, a tree of texts each.
import { useNavigate } from "@tanstack/react-router";
import { BookMarked } from "lucide-react";
import { nameColumn, timeColumn } from "../../kit/list/columns.tsx";
import type { Filter } from "../../kit/list/filters.tsx";
import { ListPage } from "../../kit/list/list-page.tsx";
import { usePagedList } from "../../kit/list/list.ts";
import type { Column } from "../../kit/list/table.tsx";
import { useAskedFor, useSearchState, type Search } from "../../kit/page/search.ts";
import type { MemoryStore } from "../../kit/server/api.ts";
import { useServerUrl } from "../../kit/server/queries.ts";
import { useWorkspace } from "../../kit/server/workspace.ts";
import { Badge } from "../../kit/value/badge.tsx";
import { bytesText } from "../../kit/value/sizes.ts";
import { memoryQueries } from "../memory-queries.ts";
import { ImportButton, StoreDrop } from "./import-store.tsx";
import { MemorySearch } from "./memory-search.tsx";
import { storeActs } from "./store-acts.tsx";
import { newStore } from "./store-form.tsx";
import { firstMemory } from "./store-snippets.ts";

export function Page() {
  const workspace = useWorkspace();
  const { id, search } = workspace;
  const [{ q, archived }] = useSearchState();
  const navigate = useNavigate();
  const url = useServerUrl();
  const make = () =>
    newStore(id, ({ id }) => void navigate({ to: "/memory/$id", params: { id }, search }));
  useAskedFor({ store: make });
  return (
    <ListPage
      title="Memory"
      about="Stores of texts that agents read and write across sessions. Every change is kept as a version. Drop a tar on the page to import one."
      label="Memory stores"
      noun="store"
      icon={BookMarked}
      list={usePagedList({
        ...memoryQueries.stores(id, archived === "shown"),
        enabled: q === undefined,
      })}
      columns={columnsOf(search)}
      nameOf={({ name }) => name}
      acts={(store) => storeActs(store, id)}
      actions={<ImportButton workspace={id} search={search} />}
      create={{ label: "New store", inPalette: false, run: make }}
      filters={q === undefined ? [byWords, withArchived] : [byWords]}
      instead={q === undefined ? undefined : <MemorySearch workspace={id} q={q} />}
      empty={{
        title: "No memory stores yet",
        children:
          "A store holds texts at paths, like files in folders. Give one to an agent, and it remembers from session to session what it wrote there; you see each version, who wrote it and when.",
        snippets: firstMemory(url),
      }}
    >
      <StoreDrop workspace={id} search={search} />
    </ListPage>
  );
}

const byWords: Filter = {
  kind: "search",
  name: "q",
  label: "Search all memories",
  maxLength: 200,
  isAsked: true,
};
const withArchived: Filter = { kind: "check", name: "archived", label: "Show archived" };

/** `search` of the address of each store. */
const columnsOf = (search: Search): Column<MemoryStore>[] => [
  nameColumn({
    className: "md:w-1/2",
    name: ({ name }) => name,
    beside: ({ archived_at: archived }) => archived !== null && <Badge>Archived</Badge>,
    below: ({ description }) => description,
    opens: ({ id }) => ({ to: "/memory/$id", params: { id }, search }),
  }),
  { title: "Memories", cell: ({ memory_count: count }) => count.toLocaleString("en") },
  {
    title: "Size",
    cell: ({ size_bytes: bytes }) => (
      <span className="whitespace-nowrap" title="With all versions">
        {bytesText(bytes)}
      </span>
    ),
  },
  timeColumn("Created", ({ created_at: at }) => at),
];
