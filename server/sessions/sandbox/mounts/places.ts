// Where things are mounted in the sandbox of a session, and what the session's provider is to make for them.
import { memoryPlace, storeFoldersOf, storesOf } from "../../../mounts/module.ts";
import type { SandboxFolder } from "../../../sandboxes/module.ts";

export const uploadsPlace = "/mnt/session/uploads";
export const outputsPlace = "/mnt/session/outputs";
export const skillsPlace = "/mnt/skills";

/** The same for as long as the session lives: stores are named when it begins. */
export const foldersOf = (session: {
  resources: readonly Record<string, unknown>[];
}): SandboxFolder[] => [
  { path: memoryPlace, kind: "in_memory" },
  ...storeFoldersOf(storesOf(session.resources)),
  { path: uploadsPlace, kind: "read_only" },
  { path: outputsPlace, kind: "writable" },
  { path: skillsPlace, kind: "read_only" },
];
