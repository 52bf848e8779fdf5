// `plinth memory export`: a store with its history, as a tar.
import { createWriteStream } from "node:fs";
import { rename, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { ExportFlags } from "../memory.ts";
import { fileTrouble } from "../files.ts";
import { makeMeter } from "../progress.ts";
import { clientOf, speak } from "../speak.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { size } from "../words.ts";
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
  const store = await speak(client, () => findStore(client, name, flags));
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const { signal } = stopping;
  const isQuiet = flags.json === true || flags.quiet === true || out === undefined;
  const meter = makeMeter(terminal, { word: "Received", isQuiet, bytesInAll: undefined });
  let bytes = 0;
  try {
    await speak(client, async () => {
      const params = { memory_store_id: store.id };
      const { body } = await client.memory_stores.export({ params, signal });
      async function* counted(): AsyncGenerator<Uint8Array> {
        for await (const chunk of body ?? []) {
          yield chunk;
          bytes += chunk.length;
          meter.add(chunk.length);
        }
      }
      if (out !== undefined) await save(whole(counted()), out);
      else for await (const chunk of whole(counted())) await terminal.pour(chunk);
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
  else if (!isQuiet) terminal.note(`${terminal.dim(`${size(bytes)} in ${out}.`)}\n`);
}

/** A body that breaks is told as that: before its first byte, nobody answered. */
async function* whole(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError("The connection broke in the middle of the export. Begin it again.");
  }
}

/** Under its name it is whole: what came before stays there until then. */
async function save(chunks: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory() === true)
    throw new CliError(`${file}: That is a folder.`, exitCodes.usage);
  // What is no file, such as a pipe with a name, is written to as it is.
  const isFile = there === undefined || there.isFile();
  const part = isFile ? `${file}.part` : file;
  try {
    await pipeline(chunks, createWriteStream(part));
    if (isFile) await rename(part, file);
  } catch (error) {
    if (isFile) await rm(part, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof CliError || code === undefined || code === "ABORT_ERR") throw error;
    throw fileTrouble(error as NodeJS.ErrnoException, file);
  }
}
