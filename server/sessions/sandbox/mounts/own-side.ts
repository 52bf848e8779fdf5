// The store's side of a mount, from this server's own database.
import { isFailure } from "../../../../kernel/base/failure.ts";
import type { World } from "../../../../kernel/context.ts";
import {
  findEarlier,
  findOwn,
  listMounted,
  markOf,
  memoryLimits,
  pathProblem,
  textsOf,
  writeMounted,
} from "../../../memory/module.ts";
import {
  type RemoteMemory,
  StoreRefusal,
  type StoreMount,
  type StoreSide,
  takenBy,
} from "../../../mounts/module.ts";

const textsAtOnce = 100;

export function ownSide(
  world: World,
  session: { id: string; workspaceId: string },
  { storeId }: StoreMount,
): StoreSide {
  const { db } = world;
  const key = { workspaceId: session.workspaceId, storeId };
  return {
    contentBytesMax: memoryLimits.contentBytesMax,
    pathProblem,
    async look(before) {
      const seq = await markOf(db, key).catch((error: unknown) => {
        if (isFailure(error) && error.status === 404) return undefined;
        throw error;
      });
      const mark = String(seq);
      if (mark === before) return "same";
      const memories = seq === undefined ? undefined : await listMounted(db, key);
      return memories === undefined ? "gone" : { mark, memories };
    },
    async *texts(memories) {
      for (let at = 0; at < memories.length; at += textsAtOnce) {
        const some = memories.slice(at, at + textsAtOnce);
        const texts = await textsOf(db, some.map(({ versionId }) => versionId)); // prettier-ignore
        yield some.flatMap((memory) => {
          const text = texts.get(memory.versionId) ?? null;
          return text === null ? [] : { memory, content: Buffer.from(text) };
        });
      }
    },
    write: (write) =>
      writeMounted(world, key, session.id, write).catch((error: unknown) => {
        throw refusalOf(error, write.path);
      }),
    recall: (local, remote) => recall(world, { storeId, sessionId: session.id }, { local, remote }),
  };
}

/**
 * What the session itself wrote last, the file was when it was taken in. Else a text that its memory has had was given
 * by another process, and is unchanged since; any other was written by the agent.
 */
async function recall(
  { db }: World,
  { storeId, sessionId }: { storeId: string; sessionId: string },
  {
    local,
    remote,
  }: { local: ReadonlyMap<string, string>; remote: ReadonlyMap<string, RemoteMemory> },
): Promise<Map<string, string>> {
  const asked = [...local].map(([path, sha256]) => ({ path, sha256 }));
  const earlier = await findEarlier(db, storeId, asked);
  const heads = asked.flatMap(({ path }) => remote.get(path)?.versionId ?? []);
  const own = heads.length === 0 ? new Set() : await findOwn(db, sessionId, heads);
  const base = new Map<string, string>();
  for (const { path, sha256 } of asked) {
    const head = remote.get(path);
    if (head !== undefined && own.has(head.versionId)) base.set(path, head.sha256);
    else if (earlier.has(`${path} ${sha256}`)) base.set(path, sha256);
  }
  return base;
}

function refusalOf(error: unknown, path: string): unknown {
  if (!isFailure(error)) return error;
  const { type, status, message, options } = error;
  const isRace = type === "memory_precondition_failed_error" || status === 404 || status === 503;
  if (isRace) return new StoreRefusal(message, { type: "race" });
  const other = options.fields?.["conflicting_path"];
  if (typeof other === "string") return takenBy(message, path, other);
  return new StoreRefusal(message, { type: "refused" });
}
