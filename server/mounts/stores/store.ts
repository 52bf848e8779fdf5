// One memory store of a session, as it is mounted: what both sides had when they were last brought together.
import type { Clock } from "../../../kernel/base/clock.ts";
import type { MountedSandbox } from "../inside.ts";
import type { Notes } from "../notes.ts";
import type { StoreMount } from "../places.ts";
import type { RemoteMemory, StoreSide } from "../side.ts";
import { hasShortSteps } from "../steps.ts";
import { isReserved, type LocalFile, type SeenFiles } from "./local.ts";

/** What stores are brought together with. */
export interface StoreWork {
  clock: Pick<Clock, "now">;
  sandbox: MountedSandbox;
  notes: Notes;
}

export interface MountedStoreState {
  mount: StoreMount;
  side: StoreSide;
  /** Hashes by path. */
  base: Map<string, string>;
  remote: Map<string, RemoteMemory>;
  /** Of the store when `remote` was read. */
  mark: string | null;
  seen: SeenFiles;
  /** What the store has refused, by path: not again before one of the sides has changed. */
  refused: Map<string, string>;
  /** Whether `base` says what the sandbox was given, also where someone else gave it. */
  isTakenOver: boolean;
  /** Files that were just being written when they were last looked at beside a call: they wait once. */
  unsettled: ReadonlySet<string>;
  /** How many files were put aside. */
  conflicts: number;
}

export const newStoreState = (mount: StoreMount, side: StoreSide): MountedStoreState => ({
  mount,
  side,
  base: new Map(),
  remote: new Map(),
  mark: null,
  seen: new Map(),
  refused: new Map(),
  isTakenOver: false,
  unsettled: new Set(),
  conflicts: 0,
});

/** False where the store is gone: its files stay in the sandbox as they are, and nothing is kept of them any more. */
export async function readRemote({ notes }: StoreWork, state: MountedStoreState): Promise<boolean> {
  const { mount } = state;
  const found = await state.side.look(state.mark);
  if (found === "same") return true;
  if (found === "gone") {
    const text = `The memory store ${mount.name} was deleted: ${mount.path} holds what was read of it, and nothing there is kept any more.`;
    notes.tell({ kind: "refused", storeId: mount.storeId, text }, mount.path, "deleted");
    return false;
  }
  state.mark = found.mark;
  const shown = found.memories.filter(({ path }) => !isReserved(path));
  state.remote = new Map(shown.map((memory) => [memory.path, memory]));
  return true;
}

/** The process that gave the sandbox its files may have ended: what it knew of them is found out again. */
export async function takeOver(
  state: MountedStoreState,
  local: ReadonlyMap<string, LocalFile>,
): Promise<void> {
  if (state.isTakenOver) return;
  const { base, remote, side } = state;
  const asked = [...local].flatMap(([path, { sha256, problem }]): [string, string][] =>
    problem !== undefined || remote.get(path)?.sha256 === sha256 ? [] : [[path, sha256]],
  );
  if (asked.length > 0)
    for (const [path, sha256] of await side.recall(new Map(asked), remote)) base.set(path, sha256);
  state.isTakenOver = true;
}

/** Of a store that the agent may only read: nothing in the sandbox changes it, so nothing is to be brought together. */
export async function fillReadOnly(work: StoreWork, state: MountedStoreState): Promise<void> {
  const { sandbox } = work;
  const { mount, base } = state;
  const before = state.mark;
  if (!(await readRemote(work, state))) return;
  if (state.isTakenOver && before === state.mark) return;
  const isWhole = !state.isTakenOver;
  const removed = [...base.keys()].filter((path) => !state.remote.has(path));
  const changed = [...state.remote.values()].filter(
    ({ path, sha256 }) => base.get(path) !== sha256 && canBeFile(work, mount, path),
  );
  const below = (path: string) => path.slice(1);
  await sandbox.fill(mount.path, { isWhole, removed: isWhole ? [] : removed.map(below) });
  for (const path of removed) base.delete(path);
  for await (const texts of state.side.texts(changed)) {
    const files = texts.map(({ memory, content }) => ({ path: below(memory.path), content }));
    await sandbox.fill(mount.path, { files });
    for (const { memory } of texts) base.set(memory.path, memory.sha256);
  }
  state.isTakenOver = true;
}

/** A memory may have a name that is longer than that of any file; the others are there without it. */
function canBeFile({ notes }: StoreWork, mount: StoreMount, path: string): boolean {
  if (hasShortSteps(path)) return true;
  const text = `${mount.path}${path} is not there: a step of its path has more than 255 bytes.`;
  notes.tell({ kind: "refused", storeId: mount.storeId, text }, mount.path + path, "too long");
  return false;
}

/** Hashes of texts; undefined where there is none. */
export interface Sides {
  /** What both had when they were last brought together. */
  base: string | undefined;
  local: string | undefined;
  remote: string | undefined;
}

export type Decision = "same" | "take" | "give" | "conflict";

/** `take` is from the store, `give` is to it. Nothing is overwritten by someone who has not seen it. */
export function decide({ base, local, remote }: Sides): Decision {
  if (local === remote) return "same";
  if (local === base) return "take";
  if (remote === base) return "give";
  // It was deleted here and changed there: the text that is left is taken, and nothing is lost.
  if (local === undefined) return "take";
  return "conflict";
}
