// The room that the sandbox of a session takes among those of this process: once its packages are there, and for two
// where a repository is to be cloned beside it.
import type { World } from "../../../kernel/context.ts";
import {
  hostIdOf,
  sandboxSettingsOf,
  type SandboxLimits,
  type SandboxNetwork,
} from "../../sandboxes/module.ts";
import type { PackageLayers, ReadyLayer } from "../packages/layers.ts";
import type { SandboxVariables } from "../variables/variables.ts";
import type { MountedSession, Mounts } from "./mounts/mounts.ts";
import { foldersOf } from "./mounts/places.ts";
import { listMissing } from "./repositories/queries.ts";
import type { SpareRoom } from "./repositories/separate.ts";
import type { Slots } from "./slots.ts";
import { untilDatabaseIsThere } from "./workspaces.ts";

/** At least one, and all processes of this machine together no more than the setting says. */
export const mostOfProcess = (world: World): number =>
  Math.max(1, Math.floor(sandboxSettingsOf(world).runningMax / world.server.workers));

export interface Room {
  /** Undefined where the environment of the session names none. */
  packages: ReadyLayer | undefined;
  spare: SpareRoom;
  leave(): void;
}

/** Who waits until packages are installed takes no room: the sandbox in which they are installed needs it. */
export async function enterRoom(
  world: World,
  { slots, layers }: { slots: Slots; layers: PackageLayers },
  session: MountedSession,
  signal: AbortSignal,
): Promise<Room> {
  for (;;) {
    await layers.ready(session, signal);
    const hasSpare = slots.most > 1 && (await isToClone(world, session, signal));
    await slots.enter(session.workspaceId, signal, hasSpare ? 2 : 1);
    const spare = makeSpareRoom(slots, session.workspaceId, hasSpare);
    const leave = () => {
      spare.leave();
      slots.leave();
    };
    try {
      // Most often they are there still; what changed since is seen too.
      const found = await layers.find(session.id, signal);
      if (found.isThere) return { packages: found.layer, spare, leave };
    } catch (error) {
      leave();
      throw error;
    }
    leave();
  }
}

async function isToClone(
  world: World,
  { id, resources }: MountedSession,
  signal: AbortSignal,
): Promise<boolean> {
  if (!resources.some((resource) => "url" in resource)) return false;
  const ask = () => listMissing(world.db, id, hostIdOf(world));
  return (await untilDatabaseIsThere(world, signal, ask)).length > 0;
}

/** Where this process may have one sandbox alone, that of a clone is not counted: else none could be cloned. */
function makeSpareRoom(slots: Slots, workspaceId: string, hasIt: boolean): SpareRoom {
  let isTaken = hasIt;
  return {
    take() {
      if (slots.most === 1) return true;
      return (isTaken ||= slots.tryEnter(workspaceId));
    },
    leave() {
      if (isTaken) slots.leave();
      isTaken = false;
    },
  };
}

/** What the sandbox of a session is made of. */
export interface Parts {
  session: MountedSession;
  limits: SandboxLimits;
  network: SandboxNetwork;
  variables: SandboxVariables;
  mounts: Mounts;
  room: Room;
}

export const specOf = ({ session, limits, network, variables, mounts, room }: Parts) => ({
  sessionId: session.id,
  limits,
  env: { ...variables.env, ...room.packages?.env },
  folders: [...foldersOf(session), ...variables.folders],
  network,
  hasSecondShell: mounts.stores.mounts.length > 0,
  ...(room.packages && { layer: room.packages.layer }),
});
