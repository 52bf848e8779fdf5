// The store's side of a mount: what the server's own database gives, or its API.
export interface RemoteMemory {
  id: string;
  path: string;
  versionId: string;
  sha256: string;
}

/** All of a store without its texts. */
export interface RemoteStore {
  /** Another one where anything in the store has changed. */
  mark: string;
  memories: readonly RemoteMemory[];
}

/** A null in place of a text deletes. */
export type StoreWrite = { path: string } & (
  | { text: string; memory?: undefined }
  | { text: string | null; memory: Pick<RemoteMemory, "id" | "sha256"> }
);

export interface StoreSide {
  /** Of one memory. */
  contentBytesMax: number;
  /** Why no memory may have the path; undefined also where only the store itself can say so. */
  pathProblem(path: string): string | undefined;
  /** "same" where nothing has changed since the mark; "gone" where there is no such store any more. */
  look(mark: string | null): Promise<RemoteStore | "same" | "gone">;
  /** Texts of memories, some at a time; one that is no longer what was seen may be missing. */
  texts(
    memories: readonly RemoteMemory[],
  ): AsyncIterable<readonly { memory: RemoteMemory; content: Buffer }[]>;
  /** What the memory is then; null where it was deleted. A StoreRefusal where the store does not take it. */
  write(write: StoreWrite): Promise<RemoteMemory | null>;
  /**
   * Hashes by path of what these files were when the store was last brought together with them, as far as a process
   * can know that has not done so itself. `local` has hashes of files, by path, that are not what the store holds.
   */
  recall(
    local: ReadonlyMap<string, string>,
    remote: ReadonlyMap<string, RemoteMemory>,
  ): Promise<ReadonlyMap<string, string>>;
  /** Hears what both sides have now, for a later `recall`. */
  remember?(base: ReadonlyMap<string, string>): Promise<void>;
}

/** `race`: another writer was first. `beside`: the path cannot stand beside that of another memory. */
export type RefusalCause =
  | { type: "race" }
  | { type: "beside"; path: string }
  | { type: "refused" };

export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";
  readonly why: RefusalCause;

  constructor(message: string, why: RefusalCause) {
    super(message);
    this.why = why;
  }
}

/** The path itself may have been taken meanwhile, or one that it lies below, or that lies below it. */
export const takenBy = (message: string, path: string, other: string): StoreRefusal =>
  new StoreRefusal(message, other === path ? { type: "race" } : { type: "beside", path: other });
