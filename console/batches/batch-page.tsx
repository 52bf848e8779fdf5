// One batch: how far it is, what becomes of it, and its results, also while it runs.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { DetailPage } from "../kit/page/detail-page.tsx";
import { Card } from "../kit/page/page-header.tsx";
import { queryClient } from "../kit/server/queries.ts";
import { useWorkspace, useWorkspaceOf } from "../kit/server/workspace.ts";
import { CopyButton } from "../kit/value/copy-button.tsx";
import { Fact } from "../kit/value/facts.tsx";
import { RequestsLink } from "../kit/value/object-link.tsx";
import { exactTime, inDays } from "../kit/value/time.ts";
import { Time } from "../kit/value/time.tsx";
import { batchActs } from "./batch-acts.tsx";
import { BatchState } from "./batch-columns.tsx";
import { Counts, CountsBar, doneWords, Pace, Throughput } from "./batch-progress.tsx";
import { batchQueries } from "./batch-queries.ts";
import { BatchSpent } from "./batch-spent.tsx";
import { isRunning, type ToldBatch } from "./batch.ts";
import { BatchDownload } from "./results/batch-download.tsx";
import { BatchResults } from "./results/batch-results.tsx";
import { useIdOfPage } from "../kit/page/page-id.ts";

export function Page() {
  const id = useIdOfPage();
  const { id: workspace, search } = useWorkspace();
  const navigate = useNavigate();
  const toList = () => void navigate({ to: "/batches", search });
  const read = useLive(workspace, id);
  const { isLooking } = useWorkspaceOf(id, read, (other) =>
    queryClient.fetchQuery(batchQueries.one(other, id)),
  );
  return (
    <DetailPage
      back={{ to: "/batches", search, label: "All batches" }}
      noun="Batch"
      read={read}
      isLooking={isLooking}
      titleOf={() => "Batch"}
      aboutOf={() => <span className="font-mono text-sm">{id}</span>}
      besideOf={(batch) => (
        <>
          <BatchDownload batch={batch} />
          <CopyButton text={id} label="Copy id" />
        </>
      )}
      actsOf={(batch) => batchActs(batch, workspace, toList)}
    >
      {(batch) => (
        <>
          <Progress batch={batch} />
          <BatchResults key={batch.id} batch={batch} workspace={workspace} />
        </>
      )}
    </DetailPage>
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

function Progress({ batch }: { batch: ToldBatch }) {
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
      <BatchSpent batch={batch} />
      <Times batch={batch} />
      <RequestsLink of={{ batch_id: batch.id }} />
    </Card>
  );
}

const keptDays = 29;

function Times({ batch }: { batch: ToldBatch }) {
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
