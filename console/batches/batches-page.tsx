// Message batches: many requests at once in the background; how far each batch is.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Layers, Plus } from "lucide-react";
import { batchQueries } from "./batch-queries.ts";
import { firstBatch } from "./batch-snippets.ts";
import { isRunning } from "./batch.ts";
import { useCommands } from "../kit/page/commands.ts";
import { usePaging } from "../kit/list/paging.ts";
import { useServerUrl } from "../kit/server/queries.ts";
import { plural } from "../kit/value/words.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { BatchTable } from "./batch-table.tsx";
import { buttonClass } from "../kit/page/button.tsx";
import { EmptyState } from "../kit/list/empty-state.tsx";
import { PageHeader } from "../kit/page/page-header.tsx";
import { Pager } from "../kit/list/pager.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { SnippetTabs } from "../kit/value/snippet.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";
import { WorkspaceSelect } from "../kit/page/workspace-select.tsx";

export function Page() {
  const workspace = useWorkspace();
  const paging = usePaging(workspace.id ?? "");
  const list = useQuery(batchQueries.list(workspace.id, paging.cursor));
  const batches = list.data?.data ?? [];
  useNewCommand(workspace.search);
  // Every look is a picture of its own: the pace changes also where the counts do not.
  void list.dataUpdatedAt;
  return (
    <>
      <PageHeader title="Batches" actions={<NewBatch search={workspace.search} />}>
        Many requests at once, worked off in the background at half the price. Results are kept for
        29 days.
      </PageHeader>
      {workspace.workspaces.length > 1 && (
        <search aria-label="Filter batches" className="mb-4 flex">
          <WorkspaceSelect workspace={workspace} />
        </search>
      )}
      {list.error !== null && <TroubleBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <RowsSkeleton />}
      {batches.length > 0 && <BatchTable batches={batches} search={workspace.search} />}
      {list.data !== undefined && batches.length === 0 && (
        <Nothing search={workspace.search} isFirst={paging.place === 0} />
      )}
      <p role="status" className="mt-3 text-sm text-soft">
        {batches.length > 0 && statusWords(batches.length, batches.filter(isRunning).length)}
      </p>
      <Pager
        paging={paging}
        next={list.data?.has_more === true ? list.data.last_id : null}
        label={["Newer", "Older"]}
      />
    </>
  );
}

const statusWords = (count: number, running: number): string =>
  `${plural(count, "batch", "batches")}${running > 0 ? `, ${running} under way` : ""}`;

type Search = Record<string, string | undefined>;

function NewBatch({ search }: { search: Search }) {
  return (
    <Link to="/batches/new" search={search} className={buttonClass("primary")} title="N">
      <Plus size={16} aria-hidden />
      New batch
    </Link>
  );
}

function Nothing({ search, isFirst }: { search: Search; isFirst: boolean }) {
  const url = useServerUrl();
  if (!isFirst)
    return (
      <EmptyState icon={Layers} title="Nothing here any more">
        The batches of this page were deleted. Go back to newer ones.
      </EmptyState>
    );
  return (
    <EmptyState icon={Layers} title="No batches yet" action={<NewBatch search={search} />}>
      <p className="mb-4">Drop a file of requests on the page for a new one, or send them:</p>
      <div className="text-left">
        <SnippetTabs snippets={firstBatch(url)} label="First batch" />
      </div>
    </EmptyState>
  );
}

function useNewCommand(search: Search): void {
  const navigate = useNavigate();
  useCommands([
    {
      id: "batches:new",
      label: "New batch",
      group: "This page",
      keys: "n",
      inPalette: false,
      run: () => void navigate({ to: "/batches/new", search }),
    },
  ]);
}
