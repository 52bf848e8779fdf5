// One memory store of a session, as it is mounted: what both sides had when they were last brought together.
import { isFailure } from "../../../../../kernel/base/failure.ts";
import type { World } from "../../../../../kernel/context.ts";
import {
  findEarlier,
  listMounted,
  markOf,
  type MountedMemory,
  type MountedStore,
  textsOf,
} from "../../../../memory/module.ts";
import type { MountedSandbox } from "../inside.ts";
import { isReserved, type LocalFile, type SeenFiles } from "./local.ts";
import type { Notes } from "../notes.ts";
import type { StoreMount } from "../places.ts";
import { hasShortSteps } from "../../../resources/paths.ts";

/** What mounts are brought together with. */
export interface MountWork {
  world: World;
  session: { id: string; workspaceId: string };
  sandbox: MountedSandbox;
  notes: Notes;
}

export interface MountedStoreState {
  mount: StoreMount;
  /** Hashes by path. */
  base: Map<string, string>;
  remote: Map<string, MountedMemory>;
  /** Of the workspace when `remote` was read. */
  mark: number | null;
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

export const newStoreState = (mount: StoreMount): MountedStoreState => ({
  mount,
  base: new Map(),
  remote: new Map(),
  mark: null,
  seen: new Map(),
  refused: new Map(),
  isTakenOver: false,
  unsettled: new Set(),
  conflicts: 0,
});

export const keyOf = ({ session }: MountWork, { storeId }: StoreMount): MountedStore => ({
  workspaceId: session.workspaceId,
  storeId,
});

/** False where the store is gone: its files stay in the sandbox as they are, and nothing is kept of them any more. */
export async function readRemote(work: MountWork, state: MountedStoreState): Promise<boolean> {
  const { world, notes } = work;
  const { mount } = state;
  const key = keyOf(work, mount);
  const mark = await markOf(world.db, key).catch((error: unknown) => {
    if (isFailure(error) && error.status === 404) return undefined;
    throw error;
  });
  if (mark !== undefined && mark === state.mark) return true;
  const memories = mark === undefined ? undefined : await listMounted(world.db, key);
  if (mark === undefined || memories === undefined) {
    const text = `The memory store ${mount.name} was deleted: ${mount.path} holds what was read of it, and nothing there is kept any more.`;
    notes.tell({ kind: "refused", storeId: mount.storeId, text }, mount.path, "deleted");
    return false;
  }
  state.mark = mark;
  const shown = memories.filter(({ path }) => !isReserved(path));
  state.remote = new Map(shown.map((memory) => [memory.path, memory]));
  return true;
}

/**
 * The process that gave the sandbox its files may have ended. A text that its memory has had was given by it, and is
 * unchanged since; any other was written by the agent.
 */
export async function takeOver(
  { world }: MountWork,
  state: MountedStoreState,
  local: ReadonlyMap<string, LocalFile>,
): Promise<void> {
  if (state.isTakenOver) return;
  const asked = [...local].flatMap(([path, { sha256, problem }]) =>
    problem !== undefined || state.remote.get(path)?.sha256 === sha256 ? [] : { path, sha256 },
  );
  const earlier =
    asked.length === 0 ? new Set() : await findEarlier(world.db, state.mount.storeId, asked);
  for (const { path, sha256 } of asked)
    if (earlier.has(`${path} ${sha256}`)) state.base.set(path, sha256);
  state.isTakenOver = true;
}

const textsAtOnce = 100;

/** Texts of memories, some at a time; one that changed meanwhile and is redacted has none. */
export async function* textsIn(
  { world }: MountWork,
  memories: readonly MountedMemory[],
): AsyncGenerator<{ memory: MountedMemory; content: Buffer }[]> {
  for (let at = 0; at < memories.length; at += textsAtOnce) {
    const some = memories.slice(at, at + textsAtOnce);
    const texts = await textsOf(
      world.db,
      some.map(({ versionId }) => versionId),
    );
    yield some.flatMap((memory) => {
      const text = texts.get(memory.versionId) ?? null;
      return text === null ? [] : { memory, content: Buffer.from(text) };
    });
  }
}

/** Of a store that the agent may only read: the server alone changes it, so there is nothing to bring together. */
export async function fillReadOnly(work: MountWork, state: MountedStoreState): Promise<void> {
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
  for await (const texts of textsIn(work, changed)) {
    const files = texts.map(({ memory, content }) => ({ path: below(memory.path), content }));
    await sandbox.fill(mount.path, { files });
    for (const { memory } of texts) base.set(memory.path, memory.sha256);
  }
  state.isTakenOver = true;
}

/** A memory may have a name that is longer than that of any file; the others are there without it. */
function canBeFile({ notes }: MountWork, mount: StoreMount, path: string): boolean {
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
