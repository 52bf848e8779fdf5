// The face of mounts: memory stores in sandboxes, the same for this server and for workers of self-hosted environments.
export {
  bareShell,
  type Found,
  hashFiles,
  InsideError,
  type MountedSandbox,
  readInPieces,
  runInside,
  unreadable,
} from "./inside.ts";
export { makeNotes, type Note, noteKinds, type NoteKind, type Notes, shownOf } from "./notes.ts";
export { memoryPlace, storeFoldersOf, type StoreMount, storesOf } from "./places.ts";
export {
  inOrder,
  keepInStep,
  listKnown,
  openStores,
  prepareStores,
  type SandboxStores,
  syncBeside,
  syncStores,
} from "./sandbox-stores.ts";
export {
  type RemoteMemory,
  type RemoteStore,
  StoreRefusal,
  type StoreSide,
  type StoreWrite,
  takenBy,
} from "./side.ts";
export { hasShortSteps } from "./steps.ts";
