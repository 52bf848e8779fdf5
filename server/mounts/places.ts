// Where memory stores are mounted in the sandbox of a session, and the folders that its provider is to make for them.
import type { SandboxFolder } from "../sandboxes/module.ts";

export const memoryPlace = "/mnt/memory";
/** Not below `/mnt/memory`, where it would be lost when the sandbox stops. */
export const conflictsPlace = "/workspace/.memory-conflicts";

export interface StoreMount {
  storeId: string;
  name: string;
  path: string;
  isReadOnly: boolean;
}

/** `resources` as sessions show them: those that are no stores are passed over. */
export const storesOf = (resources: readonly object[]): StoreMount[] =>
  (resources as readonly Record<string, unknown>[]).flatMap(
    ({ memory_store_id, name, mount_path, access }) =>
      typeof memory_store_id === "string" && typeof mount_path === "string"
        ? [
            {
              storeId: memory_store_id,
              name: String(name),
              path: mount_path,
              isReadOnly: access === "read_only",
            },
          ]
        : [],
  );

export const storeFoldersOf = (mounts: readonly StoreMount[]): SandboxFolder[] =>
  mounts.map(({ path, isReadOnly }) => ({ path, kind: isReadOnly ? "read_only" : "writable" }));
