// Names of people by their ids, also of those who left: asked for together, and remembered.
import { useSyncExternalStore } from "react";
import { api } from "../server/api.ts";

const idsPerAsk = 100;
/** Null: nobody of that id. */
let names: ReadonlyMap<string, string | null> = new Map();
const wanted = new Set<string>();
const listeners = new Set<() => void>();
let isAsking = false;

async function ask(): Promise<void> {
  while (wanted.size > 0) {
    const ids = [...wanted].slice(0, idsPerAsk);
    const found = await api.people({ query: { ids } }).catch(() => undefined);
    for (const id of ids) wanted.delete(id);
    // What could not be asked is asked again with the next picture.
    if (found === undefined) continue;
    const next = new Map(names);
    for (const id of ids) next.set(id, null);
    for (const { id, name, removed_at: left } of found.data)
      next.set(id, left === null ? name : `${name} (left)`);
    names = next;
    for (const heard of listeners) heard();
  }
  isAsking = false;
}

/** Everybody whom one picture names is asked for at once. */
function want(id: string): void {
  wanted.add(id);
  if (isAsking) return;
  isAsking = true;
  queueMicrotask(() => void ask());
}

function subscribe(heard: () => void): () => void {
  listeners.add(heard);
  return () => void listeners.delete(heard);
}

/** The name behind an id; undefined until it is known, and for nobody. */
export function usePersonName(): (id: string) => string | undefined {
  const known = useSyncExternalStore(subscribe, () => names);
  return (id) => {
    if (!known.has(id)) want(id);
    return known.get(id) ?? undefined;
  };
}
