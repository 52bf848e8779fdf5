// A folder of files into a store: checked before anything is sent, and resumed when called again.
import type { Client } from "../../contract/client.ts";
import type { Memory, MemoryStore } from "../../contract/types.ts";
import type { PutFlags } from "./options.ts";
import { makeProgressBar } from "../progress.ts";
import { withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { findStore, memoriesBelow } from "./find.ts";
import { isFolder, type MemoryAddress } from "./memory-address.ts";
import { forEachConcurrently } from "./concurrency.ts";
import { readText } from "./text.ts";
import { filesIn, leftOutText, type FileAt } from "../walk.ts";
import { summary, writeUnlessChanged, type WriteResult } from "./write.ts";

interface Task {
  address: MemoryAddress;
  folder: string;
  flags: PutFlags;
}

export async function putFolder(terminal: Terminal, client: Client, task: Task): Promise<void> {
  const { address, folder, flags } = task;
  if (flags.expect !== undefined)
    throw new CliError("--expect is about one memory: name a file.", exitCodes.usage);
  const root = isFolder(address) ? address.path : `${address.path}/`;
  const { files, leftOut } = await filesIn(folder, root, flags.all === true);
  const isQuiet = flags.json === true || flags.quiet === true;
  if (leftOut.length > 0 && !isQuiet) terminal.note(`${terminal.dim(leftOutText(leftOut))}\n`);
  if (files.length === 0) throw new CliError(`${folder} holds no files to write.`);
  await checkAll(terminal, files);
  const { store, heads } = await withServerErrors(client, async () => {
    const found = await findStore(client, address.store, flags);
    return { store: found, heads: await headsIn(client, found, root) };
  });
  if (flags.create === true) expectNew(files, heads, address);
  const upload = { ...task, store, heads, files, isQuiet };
  const written = await writeAll(terminal, client, upload);
  if (flags.json === true) terminal.write(`${JSON.stringify(summary(written))}\n`);
  else if (!isQuiet) terminal.write(`${totals(written)}\n`);
}

/** They are read again when they are sent: together they may be larger than memory should be. */
async function checkAll(terminal: Terminal, files: readonly FileAt[]): Promise<void> {
  for (const { file } of files) {
    try {
      await readText(terminal, file);
    } catch (error) {
      if (error instanceof CliError)
        throw new CliError(`${error.message} Nothing was written.`, error.exitCode);
      throw error;
    }
  }
}

async function headsIn(client: Client, { id }: MemoryStore, folder: string) {
  const memories = await memoriesBelow(client, id, folder);
  return new Map(memories.map((memory) => [memory.path, memory]));
}

function expectNew(
  files: readonly FileAt[],
  heads: Map<string, Memory>,
  { store }: MemoryAddress,
): void {
  const there = files.filter(({ path }) => heads.has(path));
  const [first] = there;
  if (first === undefined) return;
  const others = there.length === 1 ? "" : `, and ${formatCount(there.length - 1)} more,`;
  throw new CliError(
    `${store}:${first.path}${others} is there already, and --create writes only what is new. Nothing was written.`,
  );
}

interface Upload extends Task {
  store: MemoryStore;
  heads: Map<string, Memory>;
  files: readonly FileAt[];
  isQuiet: boolean;
}

async function writeAll(
  terminal: Terminal,
  client: Client,
  upload: Upload,
): Promise<WriteResult[]> {
  const { address, flags, store, heads, files, isQuiet } = upload;
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const { signal } = stopping;
  const bar = makeProgressBar(terminal, isQuiet);
  const written: WriteResult[] = [];
  const writeOne = async ({ file, path }: FileAt) => {
    signal.throwIfAborted();
    const text = await readText(terminal, file);
    const wanted = { storeId: store.id, path, current: heads.get(path), signal, ...text };
    written.push(await writeUnlessChanged(client, wanted, { ...address, path }, flags));
    bar.draw(
      written.length / files.length,
      `Written ${formatCount(written.length)} of ${formatCount(files.length)}`,
    );
  };
  const soFar = () => `${formatCount(written.length)} of ${plural(files.length, "file")}`;
  try {
    await withServerErrors(client, () => forEachConcurrently(files, writeOne));
  } catch (error) {
    const goOn = `${soFar()} had been written; the same command goes on with the rest.`;
    if (signal.aborted) throw new CliError(`Stopped. ${goOn}`, exitCodes.interrupted);
    if (error instanceof CliError) throw new CliError(`${error.message} ${goOn}`, error.exitCode);
    throw error;
  } finally {
    release();
    bar.clear();
    if (!isQuiet) terminal.write(linesOf(written, address));
  }
  return written.toSorted(byPath);
}

const byPath = (one: WriteResult, other: WriteResult) =>
  one.memory.path < other.memory.path ? -1 : 1;

/** Unchanged memories are counted, not listed. */
function linesOf(written: readonly WriteResult[], { store }: MemoryAddress): string {
  return written
    .filter(({ outcome }) => outcome !== "unchanged")
    .toSorted(byPath)
    .map(
      ({ outcome, memory }) => `${outcome} ${store}:${memory.path} ${memory.memory_version_id}\n`,
    )
    .join("");
}

function totals(written: readonly WriteResult[]): string {
  const { created, updated, unchanged } = summary(written);
  return [
    `${formatCount(created)} created`,
    `${formatCount(updated)} updated`,
    `${formatCount(unchanged)} unchanged`,
  ].join(", ");
}
