// `plinth memory log`: versions, newest first, with who wrote them and when.
import type { Client } from "../../contract/client.ts";
import type { MemoryVersion } from "../../contract/types.ts";
import type { LogFlags } from "./options.ts";
import { nameIn, namesOf, type Names } from "../names.ts";
import { escapeControls } from "../print-answer.ts";
import { clientOf, withServerErrors } from "../server-calls.ts";
import { listTable } from "../table.ts";
import { CliError, exitCodes, type Terminal } from "../terminal.ts";
import { formatDuration, formatSize } from "../format.ts";
import { findAt, findStore, memoriesAtOnce } from "./find.ts";
import {
  isFolder,
  nextCommand,
  formatAddress,
  splitAddress,
  type MemoryAddress,
} from "./memory-address.ts";

export async function log(terminal: Terminal, what: string, flags: LogFlags): Promise<void> {
  const client = clientOf(terminal, flags.url, ["PLINTH_API_KEY"]);
  const { store, path } = splitAddress(what);
  const { versions, hasMore, names } = await withServerErrors(client, async () => {
    const { id } = await findStore(client, store, flags);
    const query =
      path === undefined ? {} : { memory_id: await memoryIdAt(client, id, { store, path }, flags) };
    const found = await newest(client, id, query, flags.limit);
    const isBare = flags.ids === true || flags.json === true;
    const shown = isBare ? [] : found.versions.map(({ created_by }) => actorId(created_by));
    return { ...found, names: await namesOf(client, shown) };
  });
  if (flags.json === true) {
    terminal.write(`${JSON.stringify({ data: versions, has_more: hasMore })}\n`);
    return;
  }
  if (versions.length === 0) terminal.note(`Nothing was ever written to ${store}.\n`);
  else terminal.write(tableOf(versions, terminal, names));
  if (hasMore) {
    const more = nextCommand(["log", what, "--limit", `${flags.limit * 10}`], flags);
    terminal.note(`${terminal.dim(`There are more: ${more}`)}\n`);
  }
}

async function newest(
  client: Client,
  storeId: string,
  query: { memory_id?: string },
  limit: number,
): Promise<{ versions: MemoryVersion[]; hasMore: boolean }> {
  const params = { memory_store_id: storeId };
  const list = client.memory_stores.memory_versions.list;
  const pages = client.pages(list, { params, query: { ...query, limit: memoriesAtOnce } });
  const versions: MemoryVersion[] = [];
  for await (const version of pages) {
    if (versions.length === limit) return { versions, hasMore: true };
    versions.push(version);
  }
  return { versions, hasMore: false };
}

/** What a path names; where that is nothing, the memory last deleted there. */
export async function memoryIdAt(
  client: Client,
  storeId: string,
  address: MemoryAddress,
  flags: { url?: string },
): Promise<string> {
  if (isFolder(address))
    throw new CliError(
      `${formatAddress(address)} is a folder: versions are those of a memory, or of the whole store.`,
      exitCodes.usage,
    );
  const found = await findAt(client, storeId, address.path);
  if (found?.type === "memory") return found.id;
  const query = { operation: "deleted" as const, limit: memoriesAtOnce };
  const params = { memory_store_id: storeId };
  const deletions = client.pages(client.memory_stores.memory_versions.list, { params, query });
  for await (const { path, memory_id } of deletions) if (path === address.path) return memory_id;
  throw new CliError(
    `There is no memory at ${formatAddress(address)}, and none was deleted there in the time that versions are kept. See which there are: ${nextCommand(["ls", "-r", address.store], flags)}`,
  );
}

const titles = ["VERSION", "AGE", "WHAT", "SIZE", "WHO", "PATH"];

const tableOf = (versions: readonly MemoryVersion[], terminal: Terminal, names: Names): string =>
  listTable(
    terminal,
    titles,
    versions.map((version) => row(version, names, terminal.clock.now())),
  );

function row(version: MemoryVersion, names: Names, now: Date): string[] {
  const { id, operation, path, content_size_bytes: bytes, created_at, imported_at } = version;
  const redaction = version.redaction_reason === null ? "" : `: ${version.redaction_reason}`;
  return [
    id,
    formatDuration(now.getTime() - Date.parse(created_at)),
    imported_at === null ? operation : `${operation}, imported`,
    bytes === null ? "-" : formatSize(bytes),
    nameIn(names, actorId(version.created_by) ?? "-"),
    escapeControls(path ?? `(redacted${redaction})`),
  ];
}

function actorId(actor: MemoryVersion["created_by"]): string | null {
  if (actor === null) return null;
  if (actor.type === "api_actor") return actor.api_key_id;
  if (actor.type === "user_actor") return actor.user_id;
  if (actor.type === "session_actor") return actor.session_id;
  return actor.service_account_id;
}
