// A folder of files into a store: looked through before anything is sent, and gone on with when it is called again.
import type { Client } from "../../contract/client.ts";
import type { Memory, MemoryStore } from "../../contract/types.ts";
import type { PutFlags } from "../memory.ts";
import { makeBar } from "../progress.ts";
import { speak } from "../speak.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { count, plural } from "../words.ts";
import { findStore, memoriesBelow } from "./find.ts";
import { isFolder, type Place } from "./store-path.ts";
import { eachOf } from "./pool.ts";
import { readText } from "./text.ts";
import { filesIn, type FileAt } from "./walk.ts";
import { summary, writeSeen, type Written } from "./write.ts";

interface Task {
  place: Place;
  folder: string;
  flags: PutFlags;
}

export async function putFolder(terminal: Terminal, client: Client, task: Task): Promise<void> {
  const { place, folder, flags } = task;
  if (flags.expect !== undefined)
    throw new CliError("--expect is about one memory: name a file.", exitCodes.usage);
  const root = isFolder(place) ? place.path : `${place.path}/`;
  const { files, leftOut } = await filesIn(folder, root, flags.all === true);
  const isQuiet = flags.json === true || flags.quiet === true;
  if (leftOut.length > 0 && !isQuiet) terminal.note(`${terminal.dim(leftOutText(leftOut))}\n`);
  if (files.length === 0) throw new CliError(`${folder} holds no files to write.`);
  await checkAll(terminal, files);
  const { store, heads } = await speak(client, async () => {
    const found = await findStore(client, place.store, flags);
    return { store: found, heads: await headsIn(client, found, root) };
  });
  if (flags.create === true) expectNew(files, heads, place);
  const upload = { ...task, store, heads, files, isQuiet };
  const written = await writeAll(terminal, client, upload);
  if (flags.json === true) terminal.write(`${JSON.stringify(summary(written))}\n`);
  else if (!isQuiet) terminal.write(`${totals(written)}\n`);
}

const namedMax = 5;

function leftOutText(names: readonly string[]): string {
  const more = names.length > namedMax ? `, and ${count(names.length - namedMax)} more` : "";
  const hint = names.some((name) => name.endsWith("(hidden)")) ? " --all takes hidden ones." : "";
  return `Left out: ${names.slice(0, namedMax).join(", ")}${more}.${hint}`;
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

function expectNew(files: readonly FileAt[], heads: Map<string, Memory>, { store }: Place): void {
  const there = files.filter(({ path }) => heads.has(path));
  const [first] = there;
  if (first === undefined) return;
  const others = there.length === 1 ? "" : `, and ${count(there.length - 1)} more,`;
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

async function writeAll(terminal: Terminal, client: Client, upload: Upload): Promise<Written[]> {
  const { place, flags, store, heads, files, isQuiet } = upload;
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const { signal } = stopping;
  const bar = makeBar(terminal, isQuiet);
  const written: Written[] = [];
  const writeOne = async ({ file, path }: FileAt) => {
    signal.throwIfAborted();
    const text = await readText(terminal, file);
    const wanted = { storeId: store.id, path, head: heads.get(path), signal, ...text };
    written.push(await writeSeen(client, wanted, { ...place, path }, flags));
    bar.draw(
      written.length / files.length,
      `Written ${count(written.length)} of ${count(files.length)}`,
    );
  };
  const soFar = () => `${count(written.length)} of ${plural(files.length, "file")}`;
  try {
    await speak(client, () => eachOf(files, writeOne));
  } catch (error) {
    const goOn = `${soFar()} had been written; the same command goes on with the rest.`;
    if (signal.aborted) throw new CliError(`Stopped. ${goOn}`, exitCodes.interrupted);
    if (error instanceof CliError) throw new CliError(`${error.message} ${goOn}`, error.exitCode);
    throw error;
  } finally {
    release();
    bar.clear();
    if (!isQuiet) terminal.write(linesOf(written, place));
  }
  return written.toSorted(byPath);
}

const byPath = (one: Written, other: Written) => (one.memory.path < other.memory.path ? -1 : 1);

/** What was as it should be is counted, and not told. */
function linesOf(written: readonly Written[], { store }: Place): string {
  return written
    .filter(({ outcome }) => outcome !== "unchanged")
    .toSorted(byPath)
    .map(
      ({ outcome, memory }) => `${outcome} ${store}:${memory.path} ${memory.memory_version_id}\n`,
    )
    .join("");
}

function totals(written: readonly Written[]): string {
  const { created, updated, unchanged } = summary(written);
  return [
    `${count(created)} created`,
    `${count(updated)} updated`,
    `${count(unchanged)} unchanged`,
  ].join(", ");
}
