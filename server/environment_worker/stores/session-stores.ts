// The memory stores of one session in its sandbox here.
import { posix } from "node:path";
import type { Client } from "../../../contract/client.ts";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import {
  inOrder,
  keepInStep,
  makeNotes,
  type MountedSandbox,
  openStores,
  prepareStores,
  storeFoldersOf,
  type StoreMount,
  syncStores,
} from "../../mounts/module.ts";
import type { SandboxFolder } from "../../sandboxes/module.ts";
import { apiSide } from "./api-side.ts";
import type { SavedHashes } from "./saved-hashes.ts";

export interface SessionStores {
  /** Before a call: the files are what the stores hold, and what was left over is given to them. */
  prepare(client: Client, signal: AbortSignal): Promise<void>;
  /** While a call runs, until it is told to stop. */
  keepInStep(client: Client, signal: AbortSignal, onFault: (error: unknown) => void): () => void;
  /** After a call: what it has written is in the stores. */
  takeIn(client: Client, signal: AbortSignal): Promise<void>;
  /** What the agent has not been told yet. */
  notes(): string[];
}

const tokenFolder = "/mnt/session/mounts";

/** What the sandbox of a session is to have for its stores. */
export function foldersFor(mounts: readonly StoreMount[]): SandboxFolder[] {
  if (mounts.length === 0) return [];
  const roots = new Set(mounts.map(({ path }) => rootOf(path)));
  const around = [...roots].filter((root) => mounts.every(({ path }) => path !== root));
  return [
    ...around.map((path): SandboxFolder => ({ path, kind: "in_memory" })),
    ...storeFoldersOf(mounts),
    { path: tokenFolder, kind: "read_only" },
  ];
}

/** `/mnt/memory` of `/mnt/memory/sesn_…/notes`: what is written there and belongs to no store is lost. */
const rootOf = (path: string): string => path.split("/").slice(0, 3).join("/");

/** Why a session's stores cannot be mounted in a sandbox; undefined where they can. */
export function mountProblem(mounts: readonly StoreMount[]): string | undefined {
  const outside = mounts.find(({ path }) => !posix.normalize(path).startsWith("/mnt/"));
  return outside === undefined
    ? undefined
    : `The memory store ${outside.name} is to be mounted at ${outside.path}, and this worker mounts below /mnt alone: environments.self_hosted_mount_root in the settings of the server says where.`;
}

export function openSessionStores({
  clock,
  random,
  sandbox,
  mounts,
  savedOf,
}: {
  clock: Clock;
  random: Random;
  sandbox: MountedSandbox;
  mounts: readonly StoreMount[];
  savedOf(storeId: string): SavedHashes;
}): SessionStores {
  let reach: { client: Client; signal: AbortSignal } | undefined;
  const reachOf = () => {
    if (reach === undefined) throw new Error("stores are prepared before they are used");
    return { clock, ...reach };
  };
  const notes = makeNotes();
  const stores = openStores<undefined>({
    work: { clock, sandbox, notes },
    random,
    mounts,
    sideOf: ({ storeId }) => apiSide(reachOf, { storeId, saved: savedOf(storeId) }),
    tokenFolder,
    places: mounts.map(({ path }) => path).join(", "),
    begin: async () => undefined,
  });
  return {
    prepare: (client, signal) =>
      inOrder(stores, (known) => {
        reach = { client, signal };
        return prepareStores(stores, known);
      }),
    keepInStep(client, signal, onFault) {
      reach = { client, signal };
      return keepInStep(stores, { signal, onFault });
    },
    takeIn: (client, signal) =>
      inOrder(stores, (known) => {
        reach = { client, signal };
        return syncStores(stores, known);
      }),
    notes: () => notes.take().shown,
  };
}
