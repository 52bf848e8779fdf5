// One batch: how far it is, what becomes of it, and its results, also while it runs.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { BatchActs, type BatchAct } from "./batch-acts.tsx";
import type { Batch } from "../kit/server/api.ts";
import { batchQueries } from "./batch-queries.ts";
import { isRunning } from "./batch.ts";
import { queryClient } from "../kit/server/queries.ts";
import { exactTime, inDays } from "../kit/value/time.ts";
import { useWorkspace } from "../kit/server/workspace.ts";
import { BatchDownload } from "./results/batch-download.tsx";
import { Counts, CountsBar, doneWords, Pace, Throughput } from "./batch-progress.tsx";
import { BatchResults } from "./results/batch-results.tsx";
import { BatchState } from "./batch-table.tsx";
import { Button } from "../kit/page/button.tsx";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Fact } from "../kit/value/fact.tsx";
import { Card, PageHeader } from "../kit/page/page-header.tsx";
import { RowsSkeleton } from "../kit/page/skeleton.tsx";
import { Time } from "../kit/value/time.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export function Page() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const workspace = useWorkspace();
  const { data, error, refetch } = useLive(workspace.id, id);
  return (
    <>
      <Link
        to="/batches"
        search={workspace.search}
        className="mb-3 inline-flex items-center gap-1.5 text-sm text-soft hover:text-ink max-md:min-h-10"
      >
        <ArrowLeft size={15} aria-hidden />
        All batches
      </Link>
      <PageHeader title="Batch" actions={data !== undefined && <Acts batch={data} />}>
        <span className="font-mono text-sm">{id}</span>
      </PageHeader>
      {error !== null && <TroubleBox error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <RowsSkeleton />}
      {data !== undefined && (
        <>
          <Progress batch={data} />
          <BatchResults key={data.id} batch={data} workspace={workspace.id} />
        </>
      )}
    </>
  );
}

/** The batch as it is now; its last results are fetched when it ends. */
function useLive(workspace: string | undefined, id: string) {
  const live = useQuery(batchQueries.one(workspace, id));
  const state = live.data?.processing_status;
  useEffect(() => {
    if (state === "ended")
      void queryClient.invalidateQueries({ queryKey: ["batches", "results", workspace, id] });
  }, [state, workspace, id]);
  // Every look is a picture of its own: the pace changes also where the counts do not.
  void live.dataUpdatedAt;
  return live;
}

function Acts({ batch }: { batch: Batch }) {
  const [act, setAct] = useState<BatchAct>();
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const leave = () => {
    queryClient.removeQueries({ queryKey: ["batches", "list"] });
    void navigate({ to: "/batches", search: workspace.search });
  };
  return (
    <div className="flex flex-wrap items-center gap-2">
      <BatchDownload batch={batch} />
      {batch.processing_status === "in_progress" && (
        <Button onClick={() => setAct("cancel")}>Cancel batch</Button>
      )}
      {batch.processing_status === "ended" && (
        <Button onClick={() => setAct("delete")}>Delete batch</Button>
      )}
      <CopyButton text={batch.id} label="Copy id" />
      <BatchActs
        act={act}
        batch={batch}
        workspace={workspace.id}
        onClose={() => setAct(undefined)}
        onDeleted={leave}
      />
    </div>
  );
}

function Progress({ batch }: { batch: Batch }) {
  return (
    <Card className="mb-8 grid gap-4">
      <div className="grid gap-2">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span role="status">
            <BatchState batch={batch} />
          </span>
          <span className="font-medium">{doneWords(batch)}</span>
          <span className="text-soft">
            <Pace batch={batch} />
          </span>
        </div>
        <CountsBar batch={batch} tall />
        {batch.processing_status === "canceling" && (
          <p className="text-sm text-soft">
            No request begins any more. Those under way may still finish.
          </p>
        )}
      </div>
      <Counts batch={batch} />
      <Throughput batch={batch} />
      <Times batch={batch} />
    </Card>
  );
}

const keptDays = 29;

function Times({ batch }: { batch: Batch }) {
  const { created_at, expires_at, ended_at, cancel_initiated_at, archived_at } = batch;
  const keptUntil = inDays(keptDays, new Date(created_at)).toISOString();
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-2 border-t border-line pt-3">
      <Moment name="Created" at={created_at} />
      {isRunning(batch) && <Moment name="Expires" at={expires_at} />}
      {cancel_initiated_at !== null && <Moment name="Cancel asked" at={cancel_initiated_at} />}
      {ended_at !== null && <Moment name="Ended" at={ended_at} />}
      {archived_at === null ? (
        <Moment name="Results kept until" at={keptUntil} />
      ) : (
        <Moment name="Results removed" at={archived_at} />
      )}
    </dl>
  );
}

function Moment({ name, at }: { name: string; at: string }): ReactNode {
  return (
    <Fact name={name}>
      <Time at={at} />
      <span className="block text-sm font-normal text-soft">{exactTime(at)}</span>
    </Fact>
  );
}
