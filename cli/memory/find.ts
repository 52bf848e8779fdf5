// Stores by name and memories by path: the API knows ids alone.
import { ApiError, type Client } from "../../contract/client.ts";
import type { Memory, MemoryPrefix, MemoryStore, MemoryVersion } from "../../contract/types.ts";
import { CliError, exitCodes } from "../terminal.ts";
import { isFolder, nextCommand, formatAddress, type MemoryAddress } from "./memory-address.ts";

interface Flags {
  url?: string;
}

/** The API's largest page. */
const storesAtOnce = 1_000;
export const memoriesAtOnce = 100;
export const textsAtOnce = 20;

/** By id; or by name, where that is unique: an archived store has it only when no other does. */
export async function findStore(client: Client, store: string, flags: Flags): Promise<MemoryStore> {
  if (/^memstore_\w+$/.test(store)) {
    const found = await retrieve(client, store);
    if (found !== undefined) return found;
  }
  const query = { limit: storesAtOnce, include_archived: true };
  const named: MemoryStore[] = [];
  for await (const one of client.pages(client.memory_stores.list, { query }))
    if (one.name === store) named.push(one);
  const open = named.filter(({ archived_at }) => archived_at === null);
  const [found, other] = open.length > 0 ? open : named;
  if (found === undefined)
    throw new CliError(
      `There is no memory store "${store}". See which there are: ${nextCommand(["ls"], flags)}`,
    );
  if (other === undefined) return found;
  const ids = (open.length > 0 ? open : named).map(({ id }) => id);
  throw new CliError(
    `${ids.length} memory stores have the name "${store}": say which by its id, ${ids.join(" or ")}.`,
    exitCodes.usage,
  );
}

async function retrieve(client: Client, id: string): Promise<MemoryStore | undefined> {
  try {
    return await client.memory_stores.retrieve({ params: { memory_store_id: id } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** What a path names: a memory, a folder that others lie in, or nothing. */
export async function findAt(
  client: Client,
  storeId: string,
  path: string,
): Promise<Memory | MemoryPrefix | undefined> {
  const parent = path.slice(0, path.lastIndexOf("/") + 1);
  const query = { path_prefix: parent, depth: 1, limit: memoriesAtOnce };
  const params = { memory_store_id: storeId };
  for await (const item of client.pages(client.memory_stores.memories.list, { params, query }))
    if (item.path === path || item.path === `${path}/`) return item;
  return undefined;
}

/** The memory at a path, or a sentence that says what is there instead. */
export async function expectMemory(
  client: Client,
  storeId: string,
  address: MemoryAddress,
  flags: Flags,
): Promise<Memory> {
  const found = isFolder(address) ? undefined : await findAt(client, storeId, address.path);
  if (found?.type === "memory") return found;
  const { store, path } = address;
  const folder = isFolder(address) ? path : `${path}/`;
  if (found !== undefined || isFolder(address))
    throw new CliError(
      `${formatAddress(address)} is a folder, not a memory. See what is in it: ${nextCommand(["ls", `${store}:${folder}`], flags)}`,
    );
  throw new CliError(
    `There is no memory at ${formatAddress(address)}. See which there are: ${nextCommand(["ls", "-r", store], flags)}`,
  );
}

/** All memories in a folder, subfolders included, by path. */
export async function memoriesBelow(
  client: Client,
  storeId: string,
  folder: string,
  view: "basic" | "full" = "basic",
): Promise<Memory[]> {
  const limit = view === "full" ? textsAtOnce : memoriesAtOnce;
  const query = { path_prefix: folder, depth: 0, limit, view };
  const params = { memory_store_id: storeId };
  const found: Memory[] = [];
  for await (const item of client.pages(client.memory_stores.memories.list, { params, query }))
    if (item.type === "memory") found.push(item);
  return found;
}

/** A version that the path had; also of a memory that is deleted, or has another path by now. */
export async function versionAt(
  client: Client,
  storeId: string,
  address: MemoryAddress,
  versionId: string,
): Promise<MemoryVersion> {
  const params = { memory_store_id: storeId, memory_version_id: versionId };
  const version = await client.memory_stores.memory_versions.retrieve({ params });
  if (version.path === address.path) return version;
  const found = await findAt(client, storeId, address.path);
  if (found?.type === "memory" && found.id === version.memory_id) return version;
  if (version.redacted_at !== null) throw redacted(version);
  throw new CliError(
    `${versionId} is a version of another memory: its path is ${version.path ?? "unknown"}.`,
    exitCodes.usage,
  );
}

/** The text of a version, or a sentence that says why there is none. */
export function textOf(version: MemoryVersion): string {
  if (version.redacted_at !== null) throw redacted(version);
  if (version.content === null)
    throw new CliError(
      `${version.id} is the deletion of ${version.path ?? "a memory"}: it has no text. The version before it has.`,
    );
  return version.content;
}

function redacted({ id, redacted_at, redaction_reason }: MemoryVersion): CliError {
  const why = redaction_reason === null ? "" : ` (${redaction_reason})`;
  return new CliError(`The text of ${id} is gone: it was redacted at ${redacted_at}${why}.`);
}
