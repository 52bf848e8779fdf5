// `plinth memory ls`: the stores, or the content of one.
import type { Client } from "../../contract/client.ts";
import type { Memory, MemoryPrefix, MemoryStore } from "../../contract/types.ts";
import type { LsFlags } from "./options.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { listTable } from "../table.ts";
import { CliError, type Terminal } from "../terminal.ts";
import { formatCount } from "../../client/text/words.ts";
import { formatDuration, formatSize } from "../format.ts";
import { findAt, findStore, memoriesAtOnce, memoriesBelow } from "./find.ts";
import { nextCommand, splitAddress } from "./memory-address.ts";

export async function ls(
  terminal: Terminal,
  what: string | undefined,
  flags: LsFlags,
): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  if (what === undefined) return listStores(terminal, client, flags);
  const { store, path = "/" } = splitAddress(what);
  const items = await withServerErrors(client, async () => {
    const { id } = await findStore(client, store, flags);
    return itemsAt(client, id, path, flags);
  });
  if (items === undefined)
    throw new CliError(
      `There is nothing at ${what}. See what is there: ${nextCommand(["ls", "-r", store], flags)}`,
    );
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ data: items })}\n`);
    return;
  }
  if (items.length === 0) terminal.note(`There are no memories in ${store}.\n`);
  else terminal.write(tableOf(items, terminal, flags));
}

type Item = Memory | MemoryPrefix;

/** Undefined for a path that does not exist; an empty store exists. */
async function itemsAt(
  client: Client,
  storeId: string,
  path: string,
  flags: LsFlags,
): Promise<Item[] | undefined> {
  if (!path.endsWith("/")) {
    const found = await findAt(client, storeId, path);
    if (found === undefined) return undefined;
    if (found.type === "memory") return [found];
  }
  const folder = path.endsWith("/") ? path : `${path}/`;
  const items =
    flags.recursive === true
      ? await memoriesBelow(client, storeId, folder)
      : await childrenOf(client, storeId, folder);
  return items.length === 0 && folder !== "/" ? undefined : items;
}

async function childrenOf(client: Client, storeId: string, folder: string): Promise<Item[]> {
  const query = { path_prefix: folder, depth: 1, limit: memoriesAtOnce };
  const params = { memory_store_id: storeId };
  return Array.fromAsync(client.pages(client.memory_stores.memories.list, { params, query }));
}

/** A person sees a tree; a program gets whole paths, one on each line. */
function tableOf(items: readonly Item[], terminal: Terminal, flags: LsFlags): string {
  const isTree = terminal.isPerson.output && flags.recursive === true;
  const rows = isTree ? treeOf(items) : items.map((item) => ({ item, name: item.path }));
  const now = terminal.clock.now();
  const isLong = flags.long === true;
  const titles = isLong
    ? ["ID", "SHA256", "BYTES", "CHANGED", "PATH"]
    : ["SIZE", "CHANGED", "PATH"];
  const cells = rows.map(({ item, name }) => [
    ...(item?.type === "memory" ? factsOf(item, now, isLong) : titles.slice(1).map(() => "-")),
    escapeControls(name),
  ]);
  return listTable(terminal, titles, cells);
}

const factsOf = (memory: Memory, now: Date, isLong: boolean): string[] =>
  isLong
    ? [memory.id, memory.content_sha256, `${memory.content_size_bytes}`, memory.updated_at]
    : [formatSize(memory.content_size_bytes), `${ageOf(memory.updated_at, now)} ago`];

const ageOf = (time: string, now: Date) => formatDuration(now.getTime() - Date.parse(time));

interface Row {
  item: Item | undefined;
  name: string;
}

/** Each folder on a line of its own, its content after it. */
function treeOf(items: readonly Item[]): Row[] {
  const rows: Row[] = [];
  let open: readonly string[] = [];
  for (const item of items) {
    const segments = item.path.split("/").slice(1);
    const folders = segments.slice(0, -1);
    let depth = 0;
    while (depth < folders.length && folders[depth] === open[depth]) depth++;
    for (; depth < folders.length; depth++)
      rows.push({ item: undefined, name: `${"  ".repeat(depth)}${folders[depth]}/` });
    rows.push({ item, name: `${"  ".repeat(folders.length)}${segments.at(-1)}` });
    open = folders;
  }
  return rows;
}

async function listStores(terminal: Terminal, client: Client, flags: LsFlags): Promise<void> {
  const query = { limit: 1_000, include_archived: flags.all === true };
  const stores = await withServerErrors(client, () =>
    Array.fromAsync(client.pages(client.memory_stores.list, { query })),
  );
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ data: stores })}\n`);
    return;
  }
  const now = terminal.clock.now();
  if (stores.length === 0)
    terminal.note(
      `There are no memory stores here. Make one: ${nextCommand(["create", "NAME"], flags)}\n`,
    );
  else
    terminal.write(
      listTable(
        terminal,
        ["ID", "MEMORIES", "SIZE", "MADE", "NAME"],
        stores.map((store) => storeRow(store, now)),
      ),
    );
}

const storeRow = (store: MemoryStore, now: Date): string[] => [
  store.id,
  formatCount(store.memory_count),
  formatSize(store.size_bytes),
  `${ageOf(store.created_at, now)} ago`,
  escapeControls(store.archived_at === null ? store.name : `${store.name} (archived)`),
];
