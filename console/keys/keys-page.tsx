// API keys: the list, its filters, and the ways to create and change them.
import { useInfiniteQuery } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { KeyActs, type KeyAct } from "./key-acts.tsx";
import { CreateKey } from "./create-key.tsx";
import type { Key, KeyKind, KeyStatus, Me } from "../kit/server/api.ts";
import { useCommands } from "../kit/page/commands.ts";
import { useMe, useServerUrl } from "../kit/server/queries.ts";
import { useSearchState, type Search } from "../kit/page/search.ts";
import { firstRequest } from "../kit/value/snippets.ts";
import { plural } from "../kit/value/words.ts";
import { Button } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { FilterSelect, SearchInput } from "../kit/form/field.tsx";
import { KeyTable } from "./key-table.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Code } from "../kit/value/snippet.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { keyQueries } from "./queries.ts";

const statusFilters: Record<string, { label: string; status?: KeyStatus[] }> = {
  "": { label: "Not archived", status: ["active", "inactive", "expired"] },
  active: { label: "Active", status: ["active"] },
  inactive: { label: "Inactive", status: ["inactive"] },
  expired: { label: "Expired", status: ["expired"] },
  archived: { label: "Archived", status: ["archived"] },
  all: { label: "Any status" },
};
const filterNames = ["q", "kind", "status", "workspace", "maker"];

export function Page() {
  const me = useMe();
  const [search, change] = useSearchState();
  const [act, setAct] = useState<KeyAct>();
  const mayWrite = me.permissions.includes("api_keys:write");
  const create = () => change({ new: "api" });
  useListCommands({ create: mayWrite ? create : undefined, clear: () => change(noFilters) });
  const list = useKeys(search, me.user.id);
  const filtered = filterNames.some((name) => search[name] !== undefined);

  return (
    <>
      <PageHeader
        title="API keys"
        actions={
          mayWrite && (
            <Button look="primary" onClick={create} title="N">
              <Plus size={16} aria-hidden />
              Create key
            </Button>
          )
        }
      >
        A key lets a program in. An API key belongs to one workspace; an admin key manages the
        organization.
      </PageHeader>
      <Filters me={me} search={search} change={change} />
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {list.data !== undefined && list.rows.length > 0 && (
        <KeyTable rows={list.rows} {...(mayWrite && { onAct: setAct })} />
      )}
      {list.data !== undefined && list.rows.length === 0 && !list.isFetching && (
        <Nothing filtered={filtered} onClear={() => change(noFilters)} create={create} />
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {list.data !== undefined && list.rows.length > 0 && plural(list.rows.length, "key")}
        {list.isFetchingNextPage && ", loading more"}
      </p>
      {list.hasNextPage && search.q === undefined && (
        <Button
          className="mt-2"
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </Button>
      )}
      <CreateKey
        kind={search.new === "admin" ? "admin" : "api"}
        open={search.new !== undefined && mayWrite}
        onClose={() => change({ new: undefined })}
      />
      <KeyActs act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

const kindFilters: Record<KeyKind, string> = {
  api: "API keys",
  admin: "Admin keys",
  oauth: "Access tokens",
};
const isKind = (text: string | undefined): text is KeyKind =>
  text !== undefined && Object.hasOwn(kindFilters, text);

const noFilters: Search = Object.fromEntries(filterNames.map((name) => [name, undefined]));

function useKeys({ q, kind, status = "", workspace, maker }: Search, me: string) {
  const chosen = statusFilters[status] ?? statusFilters[""];
  const list = useInfiniteQuery(
    keyQueries.list({
      ...(isKind(kind) && { kind: [kind] }),
      ...(workspace !== undefined && { workspace_id: workspace }),
      ...(maker === "me" && { created_by_user_id: me }),
      ...(chosen?.status !== undefined && { status: chosen.status }),
    }),
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  // The server does not search names, so a search looks through all pages.
  useEffect(() => {
    if (q !== undefined && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [q, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const all: Key[] = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const wanted = (q ?? "").toLowerCase();
  const rows = all.filter((key) =>
    `${key.name} ${key.id} ${key.partial_key_hint}`.toLowerCase().includes(wanted),
  );
  return { ...list, rows };
}

function useListCommands(acts: { create: (() => void) | undefined; clear: () => void }): void {
  useCommands([
    {
      id: "keys:search",
      label: "Search the list",
      group: "This page",
      keys: "/",
      inPalette: false,
      run: () => document.querySelector<HTMLInputElement>("[data-search]")?.focus(),
    },
    {
      id: "keys:clear",
      label: "Clear the filters",
      group: "This page",
      keys: "x",
      run: acts.clear,
    },
    ...(acts.create === undefined
      ? []
      : [
          {
            id: "keys:new",
            label: "New key",
            group: "This page" as const,
            keys: "n",
            inPalette: false,
            run: acts.create,
          },
        ]),
  ]);
}

function Filters({
  me,
  search,
  change,
}: {
  me: Me;
  search: Search;
  change: (patch: Search) => void;
}) {
  const set = (name: string) => (event: { target: { value: string } }) =>
    change({ [name]: event.target.value === "" ? undefined : event.target.value });
  return (
    <search aria-label="Filter keys" className="mb-4 flex flex-wrap gap-2">
      <SearchInput label="Search name or hint" value={search.q ?? ""} onChange={set("q")} />
      <FilterSelect label="Status" value={search.status ?? ""} onChange={set("status")}>
        {Object.entries(statusFilters).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </FilterSelect>
      <FilterSelect label="Kind" value={search.kind ?? ""} onChange={set("kind")}>
        <option value="">Any kind</option>
        {Object.entries(kindFilters).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </FilterSelect>
      {me.workspaces.length > 1 && (
        <FilterSelect label="Workspace" value={search.workspace ?? ""} onChange={set("workspace")}>
          <option value="">Any workspace</option>
          {me.workspaces
            .filter(({ makes_keys: has }) => has)
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </FilterSelect>
      )}
      <FilterSelect label="Made by" value={search.maker ?? ""} onChange={set("maker")}>
        <option value="">Made by anybody</option>
        <option value="me">Made by me</option>
      </FilterSelect>
    </search>
  );
}

function Nothing({
  filtered,
  onClear,
  create,
}: {
  filtered: boolean;
  onClear: () => void;
  create: () => void;
}) {
  const url = useServerUrl();
  if (filtered) {
    return (
      <EmptyState
        icon={KeyRound}
        title="No key fits these filters"
        action={<Button onClick={onClear}>Clear the filters</Button>}
      >
        Keys with another name, status or kind are hidden.
      </EmptyState>
    );
  }
  const [curl] = firstRequest(url);
  return (
    <EmptyState
      icon={KeyRound}
      title="No keys yet"
      action={
        <Button look="primary" onClick={create}>
          <Plus size={16} aria-hidden />
          Create key
        </Button>
      }
    >
      <p className="mb-4">Create one, and send your first request to this server:</p>
      <div className="text-left">
        <Code code={curl?.code ?? ""} label="First request" />
      </div>
    </EmptyState>
  );
}
