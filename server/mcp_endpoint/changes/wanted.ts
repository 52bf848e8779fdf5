// What a client wants to be told of, as far as it may read it.
import { invalid, isFailure } from "../../../kernel/base/failure.ts";
import type { ChangingList } from "../../workspaces/module.ts";
import type { Api } from "../caller.ts";
import { limits } from "../limits.ts";
import { namedBy, type Named } from "../readable/uris.ts";

/** The fields of the protocol's filter that this server knows. */
export interface Filter {
  resourcesListChanged?: boolean;
  promptsListChanged?: boolean;
  resourceSubscriptions?: readonly string[];
}

export interface WatchedUri {
  /** As the client wrote it, and wants to read it. */
  uri: string;
  named: Named;
}

export interface Wanted {
  /** Those of whose rows the list of resources is made. */
  resources: ChangingList[];
  prompts: boolean;
  uris: WatchedUri[];
}

const lists = [
  { list: "memories", operation: "memory_stores.list" },
  { list: "files", operation: "files.list" },
  { list: "sessions", operation: "sessions.list" },
] as const;

/** Rule MCE35: what the credential may not see, and what is not there, is left out. */
export async function allowedOf(api: Api, filter: Filter): Promise<Wanted> {
  const mayList = (operation: string) => isAnswered(api(operation, { query: { limit: 1 } }));
  const [resources, prompts, uris] = await Promise.all([
    filter.resourcesListChanged === true
      ? chosen(lists, ({ operation }) => mayList(operation))
      : [],
    filter.promptsListChanged === true && mayList("skills.list"),
    chosen(
      [...new Set(filter.resourceSubscriptions)].flatMap((uri) => watched(uri) ?? []),
      ({ named }) => isThere(api, named),
    ),
  ]);
  return { resources: resources.map(({ list }) => list), prompts, uris };
}

export function expectFewUris(uris: readonly string[], path: string): void {
  const { watchedUrisPerStream: most, watchedUriCharactersMax: charactersMax } = limits;
  if (uris.length > most)
    throw invalid(`${path}: names ${uris.length} resources, and ${most} can be watched at a time.`);
  if (uris.some((uri) => uri.length > charactersMax))
    throw invalid(`${path}: has an address of more than ${charactersMax} characters.`);
}

export function watched(uri: string): WatchedUri | undefined {
  const named = namedBy(uri);
  return named && { uri, named };
}

/** A memory that is yet to be written can be waited for, in a store that is there. */
export function isThere(api: Api, named: Named): Promise<boolean> {
  if (named.kind === "transcript")
    return isAnswered(api("sessions.retrieve", { params: { session_id: named.session_id } }));
  if (named.kind === "file")
    return isAnswered(api("files.retrieve_metadata", { params: { file_id: named.file_id } }));
  const params = { memory_store_id: named.memory_store_id };
  return isAnswered(api("memory_stores.memories.list", { params, query: { limit: 1 } }));
}

/** False where it is refused; a server that cannot say fails. */
async function isAnswered(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (isFailure(error) && error.status < 429) return false;
    throw error;
  }
}

async function chosen<Item>(
  items: readonly Item[],
  isChosen: (item: Item) => Promise<boolean>,
): Promise<Item[]> {
  const found = await Promise.all(items.map(isChosen));
  return items.filter((_item, index) => found[index]);
}
