// What a session's sandbox has beside `/workspace`: made ready before each call of a tool, and taken in after it.
import type { World } from "../../../../kernel/context.ts";
import {
  inOrder,
  listKnown,
  makeNotes,
  memoryPlace,
  type MountedSandbox,
  openStores,
  prepareStores,
  type SandboxStores,
  storesOf,
  syncStores,
} from "../../../mounts/module.ts";
import { actorOf } from "../../model/caller.ts";
import type { WorkedSession } from "../../model/queries.ts";
import {
  cloneRepositories,
  newRepositories,
  type RepositoriesState,
  type RepositoryFaultTold,
} from "../repositories/repositories.ts";
import type { WorkApart } from "../repositories/separate.ts";
import { takeNotes } from "./notes.ts";
import { type OutputsState, takeOutputs } from "./outputs.ts";
import { ownSide } from "./own-side.ts";
import { outputsPlace, uploadsPlace } from "./places.ts";
import { fillSkills, fillUploads, type UploadsState } from "./uploads.ts";
import type { MountWork } from "./work.ts";

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
  | "vaultIds"
>;

/** What this process knows of the sandbox, beside its stores. */
interface KnownFiles {
  uploads: UploadsState;
  outputs: OutputsState;
}

export interface Mounts {
  session: MountedSession;
  work: MountWork;
  stores: SandboxStores<KnownFiles>;
  /** Where the server works beside the sandbox; undefined where nothing is cloned. */
  apart: WorkApart | undefined;
  repositories: RepositoriesState;
}

export function openMounts(
  world: World,
  session: MountedSession,
  sandbox: MountedSandbox & { apart?: WorkApart },
): Mounts {
  const work = { world, session, sandbox, notes: makeNotes() };
  const stores = openStores<KnownFiles>({
    work: { ...work, clock: world.clock },
    random: world.random,
    mounts: storesOf(session.resources),
    sideOf: (mount) => ownSide(world, session, mount),
    tokenFolder: uploadsPlace,
    places: `${memoryPlace} and ${outputsPlace}`,
    async begin() {
      await fillSkills(work, session.agent);
      return { uploads: new Map(), outputs: { seen: new Map(), known: undefined } };
    },
  });
  return { session, work, stores, apart: sandbox.apart, repositories: newRepositories() };
}

/** Before each call of a tool. What could not be made ready is told with the notes of the next `syncMounts`. */
export const prepareMounts = (mounts: Mounts, signal: AbortSignal): Promise<void> =>
  inOrder(mounts.stores, async (known) => {
    const { apart, work, repositories } = mounts;
    if (apart !== undefined)
      await cloneRepositories({ ...work, apart }, repositories, signal).finally(apart.room.leave);
    const actor = await actorOf(work.world, mounts.session, signal);
    await fillUploads(work, actor, known.more.uploads);
    await prepareStores(mounts.stores, known);
  });

/** After each call, and at the end of a turn: what the agent is to be told with the result. */
export async function syncMounts(
  mounts: Mounts,
): Promise<{ notes: string[]; faults: RepositoryFaultTold[] }> {
  const { world, notes } = mounts.work;
  await inOrder(mounts.stores, async (known) => {
    await syncStores(mounts.stores, known);
    const { found, isOther } = await listKnown(mounts.stores, known, [outputsPlace]);
    if (isOther) return;
    const { organizationId } = mounts.session;
    await takeOutputs(mounts.work, organizationId, { state: known.more.outputs, found });
  });
  const faults = mounts.repositories.faults.splice(0);
  return { notes: await takeNotes(world, mounts.session.id, notes), faults };
}
