// Cancelling and deleting a batch. Each says what will happen before it does.
import { useEffect, useState } from "react";
import { useAct } from "../kit/form/act.ts";
import { server, type Batch } from "../kit/server/api.ts";
import { sizeOf } from "./batch.ts";
import { queryClient } from "../kit/server/queries.ts";
import { plural } from "../kit/value/words.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { Button } from "../kit/page/button.tsx";
import { Dialog, DialogActions } from "../kit/form/dialog.tsx";
import { say } from "../kit/page/toast.tsx";
import { TroubleBox } from "../kit/page/trouble-box.tsx";

export type BatchAct = "cancel" | "delete";

interface Props {
  batch: Batch;
  workspace: string | undefined;
  onClose: () => void;
  onDeleted: () => void;
}

export function BatchActs({ act, ...props }: Props & { act: BatchAct | undefined }) {
  // The words stay while the dialog fades out.
  const [last, setLast] = useState(act);
  useEffect(() => {
    if (act !== undefined) setLast(act);
  }, [act]);
  const shown = act ?? last;
  return (
    <Dialog
      open={act !== undefined}
      onClose={props.onClose}
      title={shown === "delete" ? "Delete this batch?" : "Cancel this batch?"}
    >
      {shown === "cancel" && <Cancel {...props} />}
      {shown === "delete" && <Delete {...props} />}
    </Dialog>
  );
}

const asked = ({ batch, workspace }: Pick<Props, "batch" | "workspace">) => ({
  params: { message_batch_id: batch.id },
  headers: inWorkspace(workspace),
});

const lookAgain = () => void queryClient.invalidateQueries({ queryKey: ["batches"] });

function Cancel({ batch, workspace, onClose }: Props) {
  const cancel = useAct({
    mutationFn: () => server.messages.batches.cancel(asked({ batch, workspace })),
    onSuccess: () => {
      say.good("The batch is being canceled");
      onClose();
    },
    // It may have ended meanwhile: what the page shows then is no longer so.
    onSettled: lookAgain,
  });
  const { processing } = batch.request_counts;
  return (
    <>
      <div className="grid gap-2">
        <p>
          {plural(processing, "request")} of {sizeOf(batch).toLocaleString("en")}{" "}
          {processing === 1 ? "has" : "have"} no result yet. Those under way may still finish, and
          are charged at half the price. All others are canceled, and cost nothing.
        </p>
        <p>This cannot be undone. Results that are there stay.</p>
      </div>
      <Foot
        error={cancel.error}
        stay="Let it run"
        onClose={onClose}
        act={{ label: "Cancel the batch", busy: cancel.isPending, run: cancel.mutate }}
      />
    </>
  );
}

function Delete({ batch, workspace, onClose, onDeleted }: Props) {
  const remove = useAct({
    mutationFn: () => server.messages.batches.delete(asked({ batch, workspace })),
    onSuccess: () => {
      say.good("The batch is deleted");
      onClose();
      onDeleted();
    },
    onError: lookAgain,
  });
  return (
    <>
      <div className="grid gap-2">
        <p>
          The batch and its {plural(sizeOf(batch), "result")} are gone for everybody, at once. What
          it was charged stays charged.
        </p>
        <p>This cannot be undone. Download the results before, if somebody may want them.</p>
      </div>
      <Foot
        error={remove.error}
        stay="Keep it"
        onClose={onClose}
        act={{ label: "Delete the batch", busy: remove.isPending, run: remove.mutate }}
      />
    </>
  );
}

function Foot({
  error,
  stay,
  onClose,
  act,
}: {
  error: unknown;
  stay: string;
  onClose: () => void;
  act: { label: string; busy: boolean; run: () => void };
}) {
  return (
    <>
      {error !== null && (
        <div className="mt-3">
          <TroubleBox error={error} />
        </div>
      )}
      <DialogActions>
        <Button onClick={onClose}>{stay}</Button>
        <Button look="danger" busy={act.busy} onClick={() => act.run()}>
          {act.label}
        </Button>
      </DialogActions>
    </>
  );
}
