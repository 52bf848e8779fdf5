// The memory stores of one sandbox: made ready before each call, and brought together while it runs and after it.
import type { Clock } from "../../kernel/base/clock.ts";
import type { Random } from "../../kernel/base/random.ts";
import { SandboxError } from "../sandboxes/module.ts";
import { besideOf, InsideError, listFiles, type Listing } from "./inside.ts";
import { limits } from "./limits.ts";
import type { StoreMount } from "./places.ts";
import type { StoreSide } from "./side.ts";
import {
  fillReadOnly,
  type MountedStoreState,
  newStoreState,
  type StoreWork,
} from "./stores/store.ts";
import { bringTogether } from "./stores/together.ts";

/** What this process knows of the sandbox. Another process, and a sandbox that is made anew, begin with nothing. */
export interface KnownSandbox<More> {
  /** Stands in the sandbox where the agent cannot write: another sandbox in its place has not got it. */
  token: string;
  stores: MountedStoreState[];
  more: More;
}

interface Options<More> {
  work: StoreWork & { clock: Clock };
  random: Random;
  mounts: readonly StoreMount[];
  sideOf(mount: StoreMount): StoreSide;
  /** A read-only folder that holds nothing yet. */
  tokenFolder: string;
  /** All that is kept in step, in words for the agent. */
  places: string;
  /** What else is put into a sandbox of which nothing is known yet. */
  begin(): Promise<More>;
}

export interface SandboxStores<More = undefined> extends Options<More> {
  known: KnownSandbox<More> | undefined;
  /** One after the other: each finds what the one before has left. */
  last: Promise<unknown>;
}

export const openStores = <More>(options: Options<More>): SandboxStores<More> => ({
  ...options,
  known: undefined,
  last: Promise.resolve(),
});

/** What the sandbox does not do is told to the agent, and tried again with the next call. */
export function inOrder<More>(
  stores: SandboxStores<More>,
  run: (known: KnownSandbox<More>) => Promise<void>,
): Promise<void> {
  const { notes } = stores.work;
  const running = async () => {
    try {
      await run(await begin(stores));
    } catch (error) {
      if (!isSandboxFault(error)) throw error;
      const text = `Files under ${stores.places} could not be kept in step this time (${error.message}); it is tried again with the next call.`;
      notes.tell({ kind: "sandbox", storeId: null, text }, "sandbox", error.message);
    }
  };
  return inTurn(stores, running);
}

const isSandboxFault = (error: unknown): error is InsideError | SandboxError =>
  error instanceof InsideError || error instanceof SandboxError;

function inTurn<More>(stores: SandboxStores<More>, run: () => Promise<void>): Promise<void> {
  const running = stores.last.then(run);
  // Who waits for it is told of what broke.
  stores.last = running.catch(() => {});
  return running;
}

const tokenFile = ".sandbox";

async function begin<More>(stores: SandboxStores<More>): Promise<KnownSandbox<More>> {
  if (stores.known !== undefined) return stores.known;
  const { work, random, tokenFolder, mounts, sideOf } = stores;
  const token = random.bytes(16).toString("hex");
  const files = [{ path: tokenFile, content: Buffer.from(token) }];
  await work.sandbox.fill(tokenFolder, { isWhole: true, files });
  const more = await stores.begin();
  const known = { token, stores: mounts.map((mount) => newStoreState(mount, sideOf(mount))), more };
  stores.known = known;
  return known;
}

/** Before each call of a tool. */
export async function prepareStores<More>(
  stores: SandboxStores<More>,
  known: KnownSandbox<More>,
): Promise<void> {
  await fillAll(stores.work, known);
  await syncStores(stores, known);
}

async function fillAll<More>(work: StoreWork, known: KnownSandbox<More>): Promise<void> {
  for (const store of known.stores) if (store.mount.isReadOnly) await fillReadOnly(work, store);
}

export async function syncStores<More>(
  stores: SandboxStores<More>,
  known: KnownSandbox<More>,
  options: { isBeside?: boolean } = {},
): Promise<void> {
  for (const store of known.stores) {
    if (store.mount.isReadOnly) continue;
    const look = async () => {
      const listing = await listKnown(stores, known, [store.mount.path]);
      // Its files are not those that are known: what is missing was not deleted by the agent.
      if (listing.isOther) throw new InsideError("the sandbox was made anew");
      return listing;
    };
    await bringTogether(stores.work, store, look, options);
  }
}

/** `isOther`: the sandbox is not the one that is known. */
export async function listKnown<More>(
  stores: SandboxStores<More>,
  known: KnownSandbox<More>,
  folders: readonly string[],
): Promise<Listing & { isOther: boolean }> {
  const tokenPath = `${stores.tokenFolder}/${tokenFile}`;
  const listing = await listFiles(stores.work.sandbox, { folders, tokenFile: tokenPath });
  const isOther = listing.token !== known.token;
  if (isOther) stores.known = undefined;
  return { ...listing, isOther };
}

/** While a call runs. What it cannot do is left to what comes behind the call, and so is what is to be told. */
export function syncBeside<More>(stores: SandboxStores<More>): Promise<void> {
  const work = { ...stores.work, sandbox: besideOf(stores.work.sandbox) };
  return inTurn(stores, async () => {
    const { known } = stores;
    if (known === undefined) return;
    try {
      await fillAll(work, known);
      await syncStores({ ...stores, work }, known, { isBeside: true });
    } catch (error) {
      if (!isSandboxFault(error)) throw error;
    }
  });
}

/** Until it is told to stop: what is under way then comes to its end before anything else is done with the stores. */
export function keepInStep<More>(
  stores: SandboxStores<More>,
  { signal, onFault }: { signal: AbortSignal; onFault: (error: unknown) => void },
): () => void {
  const stopping = new AbortController();
  const until = AbortSignal.any([signal, stopping.signal]);
  const repeat = async () => {
    while (await stores.work.clock.sleep(limits.besideMs, until))
      await syncBeside(stores).catch(onFault);
  };
  if (stores.mounts.length > 0) void repeat();
  return () => stopping.abort();
}
