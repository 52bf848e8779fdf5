// Where things are mounted in the sandbox of a session, and what the session's provider is to make for them.
import type { SandboxFolder } from "../../../sandboxes/module.ts";

export const memoryPlace = "/mnt/memory";
export const uploadsPlace = "/mnt/session/uploads";
export const outputsPlace = "/mnt/session/outputs";
export const skillsPlace = "/mnt/skills";
/** Not below `/mnt/memory`, where it would be lost when the sandbox stops. */
export const conflictsPlace = "/workspace/.memory-conflicts";

export interface StoreMount {
  storeId: string;
  name: string;
  path: string;
  isReadOnly: boolean;
}

/** `resources` as sessions show them: those that are no stores are passed over. */
export const storesOf = (resources: readonly Record<string, unknown>[]): StoreMount[] =>
  resources.flatMap(({ memory_store_id, name, mount_path, access }) =>
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

/** The same for as long as the session lives: stores are named when it begins. */
export const foldersOf = (session: {
  resources: readonly Record<string, unknown>[];
}): SandboxFolder[] => [
  { path: memoryPlace, kind: "in_memory" },
  ...storesOf(session.resources).map(({ path, isReadOnly }): SandboxFolder => ({
    path,
    kind: isReadOnly ? "read_only" : "writable",
  })),
  { path: uploadsPlace, kind: "read_only" },
  { path: outputsPlace, kind: "writable" },
  { path: skillsPlace, kind: "read_only" },
];
