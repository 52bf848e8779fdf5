// `plinth memory rm`: a memory, a folder of them, or a whole store.
import type { Client } from "../../contract/client.ts";
import type { Memory, MemoryStore } from "../../contract/types.ts";
import type { RmFlags } from "./options.ts";
import { confirm, confirmByName } from "../confirm.ts";
import { makeProgressBar } from "../progress.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatCount, plural } from "../../client/text/words.ts";
import { formatSize } from "../format.ts";
import { expectMemory, findAt, findStore, memoriesBelow } from "./find.ts";
import {
  isFolder,
  nextCommand,
  formatAddress,
  splitAddress,
  type MemoryAddress,
} from "./memory-address.ts";
import { forEachConcurrently } from "./concurrency.ts";

export async function rm(terminal: Terminal, what: string, flags: RmFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { store, path } = splitAddress(what);
  if (flags.store === true) return removeStore(terminal, client, what, flags);
  if (path === undefined)
    throw new CliError(
      `To delete a memory, name its path: ${store}:/path. To delete the whole store: ${nextCommand(["rm", "--store", store], flags)}`,
      exitCodes.usage,
    );
  const address = { store, path };
  const { id: storeId } = await withServerErrors(client, () => findStore(client, store, flags));
  const memories = await withServerErrors(client, () =>
    memoriesAt(client, storeId, address, flags),
  );
  if (flags.yes !== true) {
    terminal.note(`${consequence(memories, address)}\n`);
    await confirm(terminal, "Delete?", "Nothing was deleted.");
  }
  const removed = await removeAll(terminal, client, { address, memories, storeId, flags });
  tell(terminal, removed, flags, address);
}

async function memoriesAt(
  client: Client,
  storeId: string,
  address: MemoryAddress,
  flags: RmFlags,
): Promise<Memory[]> {
  if (flags.recursive !== true) {
    if (!isFolder(address)) return [await expectMemory(client, storeId, address, flags)];
    throw new CliError(
      `${formatAddress(address)} is a folder: say -r to delete all in it.`,
      exitCodes.usage,
    );
  }
  const found = isFolder(address) ? undefined : await findAt(client, storeId, address.path);
  if (found?.type === "memory") return [found];
  const memories = await memoriesBelow(
    client,
    storeId,
    isFolder(address) ? address.path : `${address.path}/`,
  );
  if (memories.length > 0) return memories;
  throw new CliError(
    `There is nothing at ${formatAddress(address)}. See what is there: ${nextCommand(["ls", "-r", address.store], flags)}`,
  );
}

function consequence(memories: readonly Memory[], address: MemoryAddress): string {
  const bytes = memories.reduce((sum, { content_size_bytes }) => sum + content_size_bytes, 0);
  const [first] = memories;
  const isOne = memories.length === 1 && first?.path === address.path;
  const what = isOne
    ? formatAddress(address)
    : `All ${formatCount(memories.length)} in ${formatAddress(address)}`;
  return `${what} (${formatSize(bytes)}) will be deleted. Versions stay for 30 days: until then the text can be read and put back.`;
}

interface Removal {
  address: MemoryAddress;
  memories: readonly Memory[];
  storeId: string;
  flags: RmFlags;
}

async function removeAll(terminal: Terminal, client: Client, removal: Removal): Promise<Memory[]> {
  const { address, memories, storeId, flags } = removal;
  const stopping = new AbortController();
  const release = terminal.onInterrupt(() => stopping.abort());
  const { signal } = stopping;
  const bar = makeProgressBar(
    terminal,
    flags.json === true || flags.quiet === true || memories.length === 1,
  );
  const removed: Memory[] = [];
  const removeOne = async (memory: Memory) => {
    signal.throwIfAborted();
    const params = { memory_store_id: storeId, memory_id: memory.id };
    // The person has not agreed to delete text that was written since the check.
    const query = { expected_content_sha256: memory.content_sha256 };
    await client.memory_stores.memories.delete({ params, query, signal });
    removed.push(memory);
    bar.draw(
      removed.length / memories.length,
      `Deleted ${formatCount(removed.length)} of ${formatCount(memories.length)}`,
    );
  };
  try {
    await withServerErrors(client, () => forEachConcurrently(memories, removeOne));
  } catch (error) {
    const soFar =
      memories.length === 1
        ? "Nothing was deleted."
        : `${formatCount(removed.length)} of ${formatCount(memories.length)} in ${formatAddress(address)} are deleted.`;
    if (signal.aborted) throw new CliError(`Stopped. ${soFar}`, exitCodes.interrupted);
    if (error instanceof CliError) throw new CliError(`${error.message} ${soFar}`, error.exitCode);
    throw error;
  } finally {
    release();
    bar.clear();
  }
  return removed;
}

function tell(
  terminal: Terminal,
  removed: readonly Memory[],
  flags: RmFlags,
  address: MemoryAddress,
): void {
  if (flags.json === true) terminal.write(`${JSON.stringify({ deleted: removed })}\n`);
  else if (flags.quiet !== true) {
    const paths = removed.map(({ path }) => path).toSorted();
    terminal.write(paths.map((path) => `deleted ${address.store}:${path}\n`).join(""));
    const [only] = removed;
    if (removed.length === 1 && only !== undefined)
      terminal.note(
        `${terminal.dim(`Its versions: ${nextCommand(["log", `${address.store}:${only.path}`], flags)}`)}\n`,
      );
  }
}

async function removeStore(
  terminal: Terminal,
  client: Client,
  what: string,
  flags: RmFlags,
): Promise<void> {
  const { store: name, path } = splitAddress(what);
  if (path !== undefined)
    throw new CliError(
      `--store deletes a whole store: name it without a path. For a folder say -r.`,
      exitCodes.usage,
    );
  const store = await withServerErrors(client, () => findStore(client, name, flags));
  if (flags.yes !== true) {
    terminal.note(`${storeConsequence(store)}\n`);
    await confirmByName(terminal, name, "Nothing was deleted.");
  }
  const params = { memory_store_id: store.id };
  const reply = await withServerErrors(client, () => client.memory_stores.delete({ params }));
  if (flags.json === true) terminal.write(`${JSON.stringify(reply)}\n`);
  else if (flags.quiet !== true) terminal.write(`deleted ${store.id}\n`);
}

const storeConsequence = ({ name, id, memory_count, size_bytes }: MemoryStore) =>
  `The store ${name} (${id}) will be deleted with ${plural(memory_count, "memory", "memories")} and all versions, ` +
  `${formatSize(size_bytes)} in all. That cannot be undone. plinth memory export saves it first.`;
