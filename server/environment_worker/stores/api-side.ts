// The store's side of a mount, over the API: with the token of the work, which has the stores of its session.
import { createHash } from "node:crypto";
import { ApiError, type Client } from "../../../contract/client.ts";
import type { Memory } from "../../../contract/types.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import {
  type RemoteMemory,
  StoreRefusal,
  type StoreSide,
  type StoreWrite,
  takenBy,
} from "../../mounts/module.ts";
import { lostWhereRefused } from "../lease.ts";
import { limits } from "../limits.ts";
import { insist, mayPass } from "../requests.ts";
import type { SavedHashes } from "./saved-hashes.ts";

/** How the server is reached just now: each piece of work has a token of its own. */
export interface Reach {
  clock: Clock;
  client: Client;
  /** Ends requests that are tried again for as long as the server is away. */
  signal: AbortSignal;
}

export function apiSide(
  reachOf: () => Reach,
  { storeId, saved }: { storeId: string; saved: SavedHashes },
): StoreSide {
  const params = { memory_store_id: storeId };
  const list = (view: "basic" | "full", limit: number) => pagesOf(reachOf, params, { view, limit });
  return {
    contentBytesMax: limits.memoryBytesMax,
    // The store says so itself when it is given the file.
    pathProblem: () => undefined,
    async look(before) {
      const memories: RemoteMemory[] = [];
      const hash = createHash("sha256");
      try {
        for await (const page of list("basic", limits.memoriesOfPage))
          for (const memory of page) {
            memories.push(headOf(memory));
            hash.update(`${memory.path}\0${memory.memory_version_id}\n`);
          }
      } catch (error) {
        if (isGone(error)) return "gone";
        throw error;
      }
      const mark = hash.digest("hex");
      return mark === before ? "same" : { mark, memories };
    },
    async *texts(memories) {
      const wanted = new Map(memories.map((memory) => [memory.versionId, memory]));
      if (memories.length <= limits.textsOneByOne) yield await eachOf(reachOf, params, wanted);
      else
        for await (const page of list("full", limits.textsOfPage))
          yield page.flatMap((memory) => textIn(memory, wanted));
    },
    write: (write) => writeTo(reachOf, params, write),
    async recall(local) {
      const before = await saved.read();
      return new Map([...before].filter(([path]) => local.has(path)));
    },
    remember: (base) => saved.write(base),
  };
}

type StoreParams = { memory_store_id: string };

const headOf = (memory: Memory): RemoteMemory => ({
  id: memory.id,
  path: memory.path,
  versionId: memory.memory_version_id,
  sha256: memory.content_sha256,
});

/** One that has changed since it was seen is seen anew with the next look. */
function textIn(memory: Memory, wanted: ReadonlyMap<string, RemoteMemory>) {
  const seen = wanted.get(memory.memory_version_id);
  return seen === undefined || memory.content === null
    ? []
    : { memory: seen, content: Buffer.from(memory.content) };
}

async function* pagesOf(
  reachOf: () => Reach,
  params: StoreParams,
  query: { view: "basic" | "full"; limit: number },
): AsyncGenerator<Memory[]> {
  let page: string | undefined;
  do {
    const asked = { ...query, ...(page !== undefined && { page }) };
    const read = await send(reachOf(), ({ memory_stores }, signal) =>
      memory_stores.memories.list({ params, query: asked, signal }),
    );
    yield read.data.filter((item) => item.type === "memory");
    page = read.next_page ?? undefined;
  } while (page !== undefined);
}

async function eachOf(
  reachOf: () => Reach,
  { memory_store_id }: StoreParams,
  wanted: ReadonlyMap<string, RemoteMemory>,
) {
  const read = await Promise.all(
    [...wanted.values()].map(async ({ id }) => {
      const params = { memory_store_id, memory_id: id };
      try {
        const memory = await send(reachOf(), ({ memory_stores }, signal) =>
          memory_stores.memories.retrieve({ params, query: { view: "full" }, signal }),
        );
        return textIn(memory, wanted);
      } catch (error) {
        if (isGone(error)) return [];
        throw error;
      }
    }),
  );
  return read.flat();
}

async function writeTo(
  reachOf: () => Reach,
  params: StoreParams,
  { path, text, memory }: StoreWrite,
): Promise<RemoteMemory | null> {
  try {
    return await send(reachOf(), async ({ memory_stores: { memories } }, signal) => {
      if (memory === undefined) {
        const body = { path, content: text };
        return headOf(await memories.create({ params, body, signal }));
      }
      const one = { ...params, memory_id: memory.id };
      if (text === null) {
        const query = { expected_content_sha256: memory.sha256 };
        await memories.delete({ params: one, query, signal });
        return null;
      }
      const precondition = { type: "content_sha256" as const, content_sha256: memory.sha256 };
      const body = { content: text, precondition };
      return headOf(await memories.update({ params: one, body, signal }));
    });
  } catch (error) {
    throw refusalOf(error, path);
  }
}

/** Until it is answered, or the work is over. A conflict does not pass by itself. */
async function send<T>(
  { clock, client, signal }: Reach,
  request: (client: Client, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const passes = (error: unknown) => mayPass(error) && !isConflict(error);
  try {
    return await insist(clock, signal, (until) => request(client, until), passes);
  } catch (error) {
    throw lostWhereRefused(error);
  }
}

const isConflict = (error: unknown) => error instanceof ApiError && error.status === 409;
const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

function refusalOf(error: unknown, path: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { type, message, details } = error;
  if (type === "memory_precondition_failed_error" || isGone(error))
    return new StoreRefusal(message, { type: "race" });
  const other = details["conflicting_path"];
  if (typeof other === "string") return takenBy(message, path, other);
  return new StoreRefusal(message, { type: "refused" });
}
