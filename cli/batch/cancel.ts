// `plinth batch cancel`: explains what it does, asks, cancels.
import { doneOf, sizeOf } from "../../client/batches/counts.ts";
import type { MessageBatch } from "../../contract/types.ts";
import { confirm } from "../confirm.ts";
import type { CancelFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import type { Terminal } from "../terminal.ts";
import { liveCountsHeaders, retrieveBatch } from "./retrieve-batch.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { nextCommand } from "./format.ts";

export async function cancel(terminal: Terminal, id: string, flags: CancelFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const batch = await withServerErrors(client, () => retrieveBatch(client, id));
  const isOpen = batch.processing_status === "in_progress";
  if (isOpen && flags.json !== true) terminal.note(`${consequence(batch)}\n`);
  if (isOpen && flags.yes !== true) await confirm(terminal, "Cancel it?", "Nothing was canceled.");
  // The server itself refuses for a batch that has ended or is being canceled already.
  const params = { message_batch_id: id };
  const after = await withServerErrors(client, () =>
    client.messages.batches.cancel({ params, headers: liveCountsHeaders }),
  );
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(after)}\n`);
    return;
  }
  terminal.write(`${id} is being canceled${isOpen ? "" : " already"}.\n`);
  terminal.note(`${terminal.dim(`See its end: ${nextCommand(`watch ${id}`, flags)}`)}\n`);
}

function consequence(batch: MessageBatch): string {
  const [all, done] = [sizeOf(batch), doneOf(batch.request_counts)];
  const { succeeded } = batch.request_counts;
  return (
    `${formatCount(all - done)} of ${plural(all, "request")} of ${batch.id} have no result yet. Those under way ` +
    "may still finish, the rest will be canceled. That cannot be undone. What has succeeded" +
    `${succeeded === 0 ? "" : ` (${formatCount(succeeded)})`} is charged and keeps its result.`
  );
}
