// `plinth batch list`: the workspace's batches as a table.
import { countsInWords, sizeOf } from "../../client/batches/counts.ts";
import type { MessageBatch } from "../../contract/types.ts";
import type { ListFlags } from "./options.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { listTable } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { liveCountsHeaders } from "./retrieve-batch.ts";
import { formatCount } from "../../client/text/words.ts";
import { formatDuration } from "../format.ts";
import { outcome } from "./format.ts";
import { noteNextPage } from "../next-page.ts";

export async function list(terminal: Terminal, flags: ListFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const query = { limit: flags.limit, after_id: flags.after };
  const page = await withServerErrors(client, () =>
    client.messages.batches.list({ query, headers: liveCountsHeaders }),
  );
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(page)}\n`);
    return;
  }
  if (page.data.length === 0) terminal.note("There are no batches here.\n");
  else terminal.write(tableOf(page.data, terminal));
  if (page.has_more && page.last_id !== null)
    noteNextPage(terminal, flags, "--after", page.last_id);
}

const titles = ["ID", "STATE", "REQUESTS", "COUNTS", "AGE", "EXPIRES IN"];

const tableOf = (batches: readonly MessageBatch[], terminal: Terminal): string =>
  listTable(
    terminal,
    titles,
    batches.map((batch) => row(batch, terminal.clock.now())),
  );

function row(batch: MessageBatch, now: Date): string[] {
  const { id, processing_status: state, request_counts: counts } = batch;
  const left = countsInWords(counts, ["processing"]);
  const done = outcome(batch);
  return [
    id,
    state,
    formatCount(sizeOf(batch)),
    [...left, ...(done === "" ? [] : [done])].join(", "),
    formatDuration(now.getTime() - Date.parse(batch.created_at)),
    state === "ended" ? "-" : formatDuration(Date.parse(batch.expires_at) - now.getTime()),
  ];
}
