// `plinth memory export`: a store with its history, as a tar.
import type { ExportFlags } from "./options.ts";
import { makeByteProgress } from "../progress.ts";
import { saveFile } from "../save.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatSize } from "../format.ts";
import { findStore } from "./find.ts";

export async function exportStore(
  terminal: Terminal,
  name: string,
  flags: ExportFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { out } = flags;
  if (out === undefined && terminal.isPerson.output)
    throw new CliError(
      "A tar is nothing to read: say --out with a file, or pipe it on.",
      exitCodes.usage,
    );
  if (out === undefined && flags.json === true)
    throw new CliError("Standard output has the tar: with --json, say --out.", exitCodes.usage);
  const store = await withServerErrors(client, () => findStore(client, name, flags));
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const { signal } = stopping;
  const isQuiet = flags.json === true || flags.quiet === true || out === undefined;
  const meter = makeByteProgress(terminal, { word: "Received", isQuiet, bytesInAll: undefined });
  let bytes = 0;
  try {
    await withServerErrors(client, async () => {
      const params = { memory_store_id: store.id };
      const { body } = await client.memory_stores.export({ params, signal });
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const chunk of body ?? []) {
          bytes += chunk.length;
          yield chunk;
          meter.add(chunk.length);
        }
        // A tar consists of such blocks, and ends with two of them.
        if (bytes === 0 || bytes % blockBytes > 0) throw new CliError(broken);
      }
      if (out !== undefined) await saveFile(whole(counted()), out);
      else for await (const chunk of whole(counted())) await terminal.writeBytes(chunk);
    });
  } catch (error) {
    if (signal.aborted) throw new CliError("Stopped.", exitCodes.interrupted);
    throw error;
  } finally {
    release();
    meter.end();
  }
  if (flags.json === true)
    terminal.write(`${JSON.stringify({ memory_store_id: store.id, file: out, bytes })}\n`);
  else if (!isQuiet) terminal.note(`${terminal.dim(`${formatSize(bytes)} in ${out}.`)}\n`);
}

const blockBytes = 512;
const broken = "The connection broke in the middle of the export. Begin it again.";

/** A body that breaks is reported as that; before its first byte, as a missing answer. */
async function* whole(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(broken);
  }
}
