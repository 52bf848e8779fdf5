// What a session's sandbox has beside `/workspace`: made ready before each call of a tool, and taken in after it.
import type { World } from "../../../../kernel/context.ts";
import { SandboxError } from "../../../sandboxes/module.ts";
import { actorOf } from "../../model/caller.ts";
import type { WorkedSession } from "../../model/queries.ts";
import { besideOf, InsideError, listFiles, type MountedSandbox } from "./inside.ts";
import { makeNotes } from "./notes.ts";
import { type OutputsState, takeOutputs } from "./outputs.ts";
import { memoryPlace, outputsPlace, storesOf, uploadsPlace } from "./places.ts";
import {
  fillReadOnly,
  type MountedStoreState,
  type MountWork,
  newStoreState,
} from "./stores/store.ts";
import { bringTogether } from "./stores/together.ts";
import {
  cloneRepositories,
  newRepositories,
  type RepositoriesState,
  type RepositoryFaultTold,
} from "../repositories/repositories.ts";
import type { WorkApart } from "../repositories/separate.ts";
import { fillSkills, fillUploads, type UploadsState } from "./uploads.ts";

export type MountedSession = Pick<
  WorkedSession,
  | "id"
  | "agent"
  | "resources"
  | "organizationId"
  | "organizationType"
  | "workspaceId"
  | "credentialId"
  | "userId"
  | "serviceAccountId"
  | "keyMakerId"
>;

/** What this process knows of the sandbox. Another process, and a sandbox that is made anew, begin with nothing. */
interface Known {
  /** Stands in the sandbox where the agent cannot write: another sandbox in its place has not got it. */
  token: string;
  stores: MountedStoreState[];
  uploads: UploadsState;
  outputs: OutputsState;
}

export interface Mounts {
  session: MountedSession;
  work: MountWork;
  /** Where the server works beside the sandbox; undefined where nothing is cloned. */
  apart: WorkApart | undefined;
  repositories: RepositoriesState;
  known: Known | undefined;
  /** One after the other: each finds what the one before has left. */
  last: Promise<unknown>;
}

export const openMounts = (
  world: World,
  session: MountedSession,
  sandbox: MountedSandbox & { apart?: WorkApart },
): Mounts => ({
  session,
  apart: sandbox.apart,
  repositories: newRepositories(),
  work: { world, session, sandbox, notes: makeNotes() },
  known: undefined,
  last: Promise.resolve(),
});

export const hasStores = ({ session }: Pick<Mounts, "session">): boolean =>
  storesOf(session.resources).length > 0;

/** Before each call of a tool. What could not be made ready is told with the notes of the next `syncMounts`. */
export const prepareMounts = (mounts: Mounts, signal: AbortSignal): Promise<void> =>
  inOrder(mounts, async () => {
    const known = await begin(mounts);
    const { apart, work, repositories } = mounts;
    if (apart !== undefined)
      await cloneRepositories({ ...work, apart }, repositories, signal).finally(apart.room.leave);
    const actor = await actorOf(mounts.work.world, mounts.session, signal);
    await fillUploads(mounts.work, actor, known.uploads);
    for (const store of known.stores)
      if (store.mount.isReadOnly) await fillReadOnly(mounts.work, store);
    await syncStores(mounts, known);
  });

/** After each call, and at the end of a turn: what the agent is to be told with the result. */
export async function syncMounts(
  mounts: Mounts,
): Promise<{ notes: string[]; faults: RepositoryFaultTold[] }> {
  const { world, notes } = mounts.work;
  await inOrder(mounts, async () => {
    const known = await begin(mounts);
    await syncStores(mounts, known);
    const { found, isOther } = await list(mounts, known, [outputsPlace]);
    if (isOther) return;
    const { organizationId } = mounts.session;
    await takeOutputs(mounts.work, organizationId, { state: known.outputs, found });
  });
  const faults = mounts.repositories.faults.splice(0);
  return { notes: await notes.take(world, mounts.session.id), faults };
}

/** While a call runs. What it cannot do is left to the `syncMounts` behind it, and so is what is to be told. */
export function syncBeside(mounts: Mounts): Promise<void> {
  const work = { ...mounts.work, sandbox: besideOf(mounts.work.sandbox) };
  return inTurn(mounts, async () => {
    const { known } = mounts;
    if (known === undefined) return;
    try {
      for (const store of known.stores) if (store.mount.isReadOnly) await fillReadOnly(work, store);
      await syncStores({ ...mounts, work }, known, { isBeside: true });
    } catch (error) {
      if (!(error instanceof InsideError) && !(error instanceof SandboxError)) throw error;
    }
  });
}

function inOrder(mounts: Mounts, run: () => Promise<void>): Promise<void> {
  const { work } = mounts;
  const running = () =>
    run().catch((error: unknown) => {
      if (!(error instanceof InsideError) && !(error instanceof SandboxError)) throw error;
      const text = `Files under ${memoryPlace} and ${outputsPlace} could not be kept in step this time (${error.message}); it is tried again with the next call.`;
      work.notes.tell({ kind: "sandbox", storeId: null, text }, "sandbox", error.message);
    });
  return inTurn(mounts, running);
}

function inTurn(mounts: Mounts, run: () => Promise<void>): Promise<void> {
  const running = mounts.last.then(run);
  // Who waits for it is told of what broke.
  mounts.last = running.catch(() => {});
  return running;
}

const tokenFile = ".sandbox";

async function begin(mounts: Mounts): Promise<Known> {
  if (mounts.known !== undefined) return mounts.known;
  const { session, work } = mounts;
  const token = work.world.random.bytes(16).toString("hex");
  const files = [{ path: tokenFile, content: Buffer.from(token) }];
  await work.sandbox.fill(uploadsPlace, { isWhole: true, files });
  await fillSkills(work, session.agent);
  const known: Known = {
    token,
    stores: storesOf(session.resources).map(newStoreState),
    uploads: new Map(),
    outputs: { seen: new Map(), known: undefined },
  };
  mounts.known = known;
  return known;
}

async function syncStores(
  mounts: Mounts,
  known: Known,
  options: { isBeside?: boolean } = {},
): Promise<void> {
  for (const store of known.stores) {
    if (store.mount.isReadOnly) continue;
    const look = async () => {
      const listing = await list(mounts, known, [store.mount.path]);
      // Its files are not those that are known: what is missing was not deleted by the agent.
      if (listing.isOther) throw new InsideError("the sandbox was made anew");
      return listing;
    };
    await bringTogether(mounts.work, store, look, options);
  }
}

async function list(mounts: Mounts, known: Known, folders: readonly string[]) {
  const tokenPath = `${uploadsPlace}/${tokenFile}`;
  const listing = await listFiles(mounts.work.sandbox, { folders, tokenFile: tokenPath });
  const isOther = listing.token !== known.token;
  if (isOther) mounts.known = undefined;
  return { ...listing, isOther };
}
