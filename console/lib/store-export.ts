// A store as a file: everything in it, with its history.
import { say } from "../parts/toast.tsx";
import type { MemoryStore } from "./api.ts";

export function useExport(_: { id: string | undefined }, store: MemoryStore): () => void {
  return () => say.bad(`${store.name} cannot be exported yet.`);
}
