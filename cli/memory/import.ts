// `plinth memory import`: a tar as a new store.
import { ApiError, type Client } from "../../contract/client.ts";
import type { ImportedMemoryStore } from "../../contract/types.ts";
import type { ImportFlags } from "./options.ts";
import { makeByteProgress } from "../progress.ts";
import { openSource, type Source } from "../source.ts";
import { clientOf, isBrokenConnection, isOtherLength, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { nextCommand } from "./memory-address.ts";

export async function importStore(
  terminal: Terminal,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const source = await openSource(terminal, file);
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  let store: ImportedMemoryStore;
  try {
    store = await withServerErrors(client, () =>
      send(terminal, client, source, flags, stopping.signal),
    );
  } finally {
    release();
  }
  if (flags.json === true) {
    terminal.write(`${JSON.stringify(store)}\n`);
    return;
  }
  terminal.write(`${store.id}\n`);
  if (flags.quiet !== true) terminal.note(`${terminal.dim(summaryOf(store, flags))}\n`);
}

function summaryOf({ id, name, imported }: ImportedMemoryStore, flags: ImportFlags): string {
  const { memories, versions, skipped } = imported;
  const passed = skipped.length === 0 ? "" : ` Left out: ${leftOut(skipped)}.`;
  return (
    `Imported ${plural(memories, "memory", "memories")} and ${plural(versions, "version")} as ${name}.` +
    `${passed} See them: ${nextCommand(["ls", "-r", id], flags)}`
  );
}

const namedMax = 5;

function leftOut(names: readonly string[]): string {
  const more = names.length > namedMax ? `, and ${formatCount(names.length - namedMax)} more` : "";
  return `${names.slice(0, namedMax).join(", ")}${more}`;
}

async function send(
  terminal: Terminal,
  client: Client,
  { name: file, bytes, read }: Source,
  flags: ImportFlags,
  signal: AbortSignal,
): Promise<ImportedMemoryStore> {
  const isQuiet = flags.json === true || flags.quiet === true;
  const meter = makeByteProgress(terminal, { word: "Sent", isQuiet, bytesInAll: bytes });
  let [isSent, isOver] = [false, false];
  let fault: unknown;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of read()) {
        // Fetch reads on when the connection is gone.
        if (isOver) return;
        yield chunk;
        meter.add(chunk.length);
      }
      isSent = true;
    } catch (error) {
      fault = error;
      throw error;
    }
  }
  try {
    return await client.memory_stores.import({
      query: { name: flags.name, description: flags.description },
      body: ReadableStream.from(counted()),
      headers: {
        "content-type": "application/x-tar",
        ...(bytes !== undefined && { "content-length": String(bytes) }),
      },
      signal,
    });
  } catch (error) {
    // Fetch reports a body that could not be read like a broken connection.
    if (fault !== undefined) throw fault;
    if (error instanceof ApiError)
      throw new ApiError(`${error.message} Nothing was imported.`, error);
    throw brokenOff(error, { file, isSent, isStopped: signal.aborted, flags });
  } finally {
    isOver = true;
    meter.end();
  }
}

interface Break {
  file: string;
  isSent: boolean;
  isStopped: boolean;
  flags: ImportFlags;
}

/** The server makes a store whole or not at all: before it has the whole body there is none. */
function brokenOff(error: unknown, { file, isSent, isStopped, flags }: Break): unknown {
  const look = `Whether the store was made shows in: ${nextCommand(["ls"], flags)}`;
  const sentence = isSent ? look : "Nothing was imported.";
  if (isStopped) return new CliError(`Stopped. ${sentence}`, exitCodes.interrupted);
  if (isOtherLength(error))
    return new CliError(`${file} changed while it was sent. Nothing was imported.`);
  return isBrokenConnection(error) ? new CliError(`The connection broke. ${sentence}`) : error;
}
