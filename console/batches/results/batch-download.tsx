// The results of a batch as a file; or why there is none.
import { Download } from "lucide-react";
import { useId } from "react";
import { useAct } from "../../kit/form/act.ts";
import { server, type Batch } from "../../kit/server/api.ts";
import { isRunning } from "../batch.ts";
import { saveAs } from "../../kit/server/save-as.ts";
import { useWorkspace, inWorkspace } from "../../kit/server/workspace.ts";
import { Button, buttonClass } from "../../kit/page/button.tsx";
import { say } from "../../kit/page/say.ts";

export function BatchDownload({ batch }: { batch: Batch }) {
  const { id: workspace, isHome } = useWorkspace();
  const id = useId();
  if (batch.results_url === null)
    return (
      <span className="inline-flex flex-wrap items-center justify-end gap-2">
        <span id={id} className="text-sm text-soft">
          {isRunning(batch) ? "Once the batch has ended" : "Results are kept for 29 days"}
        </span>
        <Button disabled aria-describedby={id}>
          <Label />
        </Button>
      </span>
    );
  // The browser fetches it by itself, with the cookie: it can be large, and the browser shows how far it is. From
  // where this page came from, as everything else: that need not be the public address.
  if (isHome)
    return (
      <a href={`/v1/messages/batches/${batch.id}/results`} className={buttonClass()}>
        <Label />
      </a>
    );
  return <DownloadHere batch={batch} workspace={workspace} />;
}

function Label() {
  return (
    <>
      <Download size={16} aria-hidden />
      Download results
    </>
  );
}

/** Of a workspace that only a header can name. */
function DownloadHere({ batch, workspace }: { batch: Batch; workspace: string | undefined }) {
  const download = useAct({
    mutationFn: async () => {
      const response = await server.messages.batches.results({
        params: { message_batch_id: batch.id },
        headers: inWorkspace(workspace),
      });
      saveAs(await response.blob(), `${batch.id}_results.jsonl`);
    },
    onError: say.error,
  });
  return (
    <Button busy={download.isPending} onClick={() => download.mutate()}>
      <Label />
    </Button>
  );
}
