// Cancelling and deleting a batch. Each says what will happen before it does.
import { CircleX, Trash2 } from "lucide-react";
import { confirm } from "../kit/dialog/confirmation.tsx";
import type { MenuAct } from "../kit/list/act-menu.tsx";
import { server, type Batch } from "../kit/server/api.ts";
import { inWorkspace } from "../kit/server/workspace.ts";
import { plural } from "../../client/text/words.ts";
import { forgetBatches, forgetList } from "./batch-queries.ts";
import { sizeOf } from "../../client/batches/counts.ts";

export function batchActs(
  batch: Batch,
  workspace: string | undefined,
  onDeleted?: () => void,
): MenuAct[] {
  const { id, processing_status: state } = batch;
  const asked = { params: { message_batch_id: id }, headers: inWorkspace(workspace) };
  return [
    {
      label: "Cancel batch",
      icon: CircleX,
      run: () => cancel(batch, () => server.messages.batches.cancel(asked)),
      when: state === "in_progress",
      button: "plain",
    },
    {
      label: "Delete batch",
      icon: Trash2,
      run: () => remove(batch, () => server.messages.batches.delete(asked), onDeleted),
      when: state === "ended",
      button: "plain",
      isBad: true,
    },
  ];
}

function cancel(batch: Batch, run: () => Promise<unknown>): void {
  const { processing } = batch.request_counts;
  confirm({
    title: "Cancel this batch?",
    label: "Cancel the batch",
    keep: "Let it run",
    run,
    done: "The batch is being canceled",
    renew: forgetBatches,
    // It may have ended meanwhile.
    failed: forgetBatches,
    children: (
      <>
        <p>
          {plural(processing, "request")} of {sizeOf(batch).toLocaleString("en")}{" "}
          {processing === 1 ? "has" : "have"} no result yet. Those under way may still finish, and
          are charged at half the price. All others are canceled, and cost nothing.
        </p>
        <p>This cannot be undone. Results that are there stay.</p>
      </>
    ),
  });
}

const remove = (batch: Batch, run: () => Promise<unknown>, onDeleted?: () => void) =>
  confirm({
    title: "Delete this batch?",
    label: "Delete the batch",
    keep: "Keep it",
    run,
    done: "The batch is deleted",
    renew: forgetList,
    failed: forgetBatches,
    ...(onDeleted && { next: onDeleted }),
    children: (
      <>
        <p>
          The batch and its {plural(sizeOf(batch), "result")} are gone for everybody, at once. What
          it was charged stays charged.
        </p>
        <p>This cannot be undone. Download the results before, if somebody may want them.</p>
      </>
    ),
  });
