// Workspaces: the parts of an organization, each with its own keys, files, memory and people.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { LayoutGrid, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { WorkspaceForm } from "./workspace-form.tsx";
import type { Me } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { useMe } from "../kit/server/queries.ts";
import { useSearchState } from "../kit/page/search.ts";
import { plural } from "../kit/value/words.ts";
import { isDefaultOf, placesText, workspaceQueries, type Workspace } from "./workspaces.ts";
import { Badge } from "../kit/value/badge.tsx";
import { Button } from "../kit/page/button.tsx";
import { Dialog } from "../kit/form/dialog.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { CheckField, SearchInput } from "../kit/form/field.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Table, type Column } from "../kit/list/table.tsx";
import { Tags, YourRole } from "./tags.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WorkspaceDot } from "./workspace-dot.tsx";

export function Page() {
  const me = useMe();
  const [search, change] = useSearchState();
  const mayMake = me.permissions.includes("workspaces:write");
  const make = () => change({ new: "workspace" });
  usePageCommands(mayMake ? make : undefined);
  return (
    <>
      <PageHeader
        title="Workspaces"
        actions={
          mayMake && (
            <Button look="primary" onClick={make} title="N">
              <Plus size={16} aria-hidden />
              New workspace
            </Button>
          )
        }
      >
        Parts of the organization that do not see each other. API keys, batches, files and memory
        stores belong to one, and people work in those they are members of.
      </PageHeader>
      <search aria-label="Search and filter" className="mb-4 flex flex-wrap items-center gap-3">
        <SearchInput
          label="Search name or tag"
          value={search["q"] ?? ""}
          onChange={({ target }) => change({ q: target.value || undefined })}
        />
        <CheckField
          label="Show archived"
          checked={search["archived"] === "shown"}
          onChange={({ target }) => change({ archived: target.checked ? "shown" : undefined })}
        />
      </search>
      <List mayMake={mayMake} />
      <NewWorkspace
        isOpen={search["new"] === "workspace" && mayMake}
        onClose={() => change({ new: undefined })}
      />
    </>
  );
}

function List({ mayMake }: { mayMake: boolean }) {
  const me = useMe();
  const [search, change] = useSearchState();
  const list = useWorkspaces(search["archived"] === "shown", search["q"]);
  const isNarrow = search["q"] !== undefined;
  return (
    <>
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {list.rows.length > 0 && (
        <Table label="Workspaces" columns={columns(me)} rows={list.rows} keyOf={({ id }) => id} />
      )}
      {list.data !== undefined && list.rows.length === 0 && !list.isFetching && (
        <EmptyState
          icon={LayoutGrid}
          title={isNarrow ? "No workspace fits" : "No workspaces"}
          action={<Button onClick={() => change({ q: undefined })}>Clear the search</Button>}
        >
          Names and tags are searched.
        </EmptyState>
      )}
      {list.rows.length === 1 && mayMake && !isNarrow && <Lesson />}
      <p role="status" className="mt-3 text-sm text-soft">
        {list.rows.length > 0 && plural(list.rows.length, "workspace")}
        {list.isFetchingNextPage && ", loading more"}
      </p>
      {list.hasNextPage && !isNarrow && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
    </>
  );
}

/** Shown while there is nothing but the default one. */
function Lesson() {
  return (
    <p className="mt-4 max-w-[70ch] text-soft">
      One workspace is enough for one team. Make another where things should be kept apart: a
      product with keys and a budget of its own, production beside tests, or data that only some
      people may see.
    </p>
  );
}

function useWorkspaces(isAll: boolean, q: string | undefined) {
  const list = useInfiniteQuery(workspaceQueries.list(isAll));
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  // The server does not search names, so a search looks through all pages.
  useEffect(() => {
    if (q !== undefined && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [q, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const wanted = (q ?? "").toLowerCase();
  const rows = (list.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter((row) => wordsOf(row).includes(wanted));
  return { ...list, rows };
}

const wordsOf = ({ name, id, tags }: Workspace): string =>
  [name, id, ...Object.entries(tags).map((pair) => pair.join(": "))].join("\n").toLowerCase();

const columns = (me: Me): Column<Workspace>[] => [
  {
    title: "Name",
    heads: true,
    className: "md:w-1/3",
    cell: ({ id, name, display_color: color, archived_at: archived }) => (
      <span className="inline-flex items-center gap-2">
        <WorkspaceDot color={color} />
        <Link
          to="/workspaces/$id"
          params={{ id }}
          className="font-medium underline-offset-2 wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        {isDefaultOf(me, id) && <Badge tone="accent">Default</Badge>}
        {archived !== null && <Badge>Archived</Badge>}
      </span>
    ),
  },
  {
    title: "Tags",
    cell: ({ tags }) => <Tags tags={tags} most={3} />,
  },
  { title: "Inference", cell: (row) => placesText(row) },
  {
    title: "Your role",
    cell: ({ id }) => <YourRole id={id} />,
  },
  { title: "Created", cell: ({ created_at: at }) => <Time at={at} /> },
];

function NewWorkspace({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const navigate = useNavigate();
  // Every time it opens it begins empty.
  const [round, setRound] = useState(0);
  return (
    <Dialog open={isOpen} onClose={onClose} title="New workspace">
      <WorkspaceForm
        key={round}
        onClose={onClose}
        onMade={({ id }) => {
          setRound(round + 1);
          void navigate({ to: "/workspaces/$id", params: { id } });
        }}
      />
    </Dialog>
  );
}

function usePageCommands(make: (() => void) | undefined): void {
  const focus = () => document.querySelector<HTMLInputElement>("[data-search]")?.focus();
  const onPage = { group: "This page", inPalette: false } as const;
  useCommands([
    { ...onPage, id: "workspaces:search", label: "Search workspaces", keys: "/", run: focus },
    ...(make === undefined
      ? []
      : [{ ...onPage, id: "workspaces:new", label: "New workspace", keys: "n", run: make }]),
  ]);
}
