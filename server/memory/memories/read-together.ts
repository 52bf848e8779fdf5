// Reads of single memories: those that come at the same time are one statement.
import { gather } from "../../../kernel/base/gather.ts";
import type { World } from "../../../kernel/context.ts";
import { limits } from "../limits.ts";
import { findMemories, type MemoryKey, type MemoryRow } from "./queries.ts";
import type { View } from "../schema.ts";

type Find = (key: MemoryKey) => Promise<MemoryRow | undefined>;

const byDatabase = new WeakMap<World["db"], Record<View, Find>>();

export function findMemory(
  { db }: Pick<World, "db">,
  view: View,
  key: MemoryKey,
): Promise<MemoryRow | undefined> {
  let finds = byDatabase.get(db);
  if (finds === undefined) {
    const find = (of: View): Find =>
      gather((keys) => findMemories(db, keys, of), {
        keysMax: limits.readsGatheredMax,
        atOnce: limits.readsAtOnceMax,
      });
    byDatabase.set(db, (finds = { basic: find("basic"), full: find("full") }));
  }
  return finds[view](key);
}
