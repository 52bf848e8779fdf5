// `plinth batch results`: the result of each request, to standard output or into a file.
import { sizeOf, type ResultType } from "../../client/batches/counts.ts";
import type { Client } from "../../contract/client.ts";
import type { MessageBatch } from "../../contract/types.ts";
import type { ResultsFlags } from "./options.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { download } from "./download.ts";
import { retrieveBatch } from "./retrieve-batch.ts";
import { filterResults } from "./result-lines.ts";
import { saveResults } from "./save-results.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { nextCommand } from "./format.ts";

export async function results(terminal: Terminal, id: string, flags: ResultsFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const batch = await withServerErrors(client, () => retrieveBatch(client, id));
  expectResults(batch, flags);
  if (flags.out === undefined)
    await withServerErrors(client, () => printResults(terminal, client, id, flags.type));
  else await saveResults(terminal, client, { id, batch, flags, file: flags.out });
}

function expectResults(batch: MessageBatch, flags: ResultsFlags): void {
  const { id, processing_status: state, archived_at: archived, request_counts: counts } = batch;
  if (state !== "ended")
    throw new CliError(
      `The batch ${id} has not ended: ${formatCount(counts.processing)} of ` +
        `${plural(sizeOf(batch), "request")} have no result yet. Wait for it: ${nextCommand(`watch ${id}`, flags)}`,
    );
  if (archived !== null)
    throw new CliError(
      `The results of ${id} are gone since ${archived}: they are kept for 29 days after the batch was made.`,
    );
}

async function printResults(
  { clock, writeBytes, isPerson }: Terminal,
  client: Client,
  id: string,
  types: readonly ResultType[] | undefined,
): Promise<void> {
  const all = await download(client, { clock, id, from: 0 });
  if (all === undefined) return;
  if (types === undefined && !isPerson.output) {
    for await (const bytes of all.bytes) await writeBytes(bytes);
    return;
  }
  for await (const { bytes } of filterResults(all.bytes, types))
    await writeBytes(isPerson.output ? Buffer.from(escapeControls(bytes.toString("utf8"))) : bytes);
}
