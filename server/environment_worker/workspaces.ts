// The sandboxes of this machine's sessions: made for the first call, stopped when they are idle, and their files
// kept for as long as the operator wants.
import { mkdirSync } from "node:fs";
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../kernel/base/clock.ts";
import { ExitError } from "../../kernel/base/failure.ts";
import { silentLogger } from "../../kernel/base/logger.ts";
import type { Random } from "../../kernel/base/random.ts";
import { tryLock } from "../../kernel/sql/embedded/lock.ts";
import {
  inWords,
  makeFixedDoors,
  openSandboxes,
  SandboxError,
  sandboxSettingsOf,
  shown,
  summaryLine,
  type ExecRequest,
  type FolderChange,
  type NetworkPolicy,
  type Sandbox,
  type SandboxProvider,
} from "../sandboxes/module.ts";
import type { StoreMount } from "../mounts/module.ts";
import { limits } from "./limits.ts";
import type { Tell } from "./report.ts";
import { savedHashesIn } from "./stores/saved-hashes.ts";
import { foldersFor, openSessionStores, type SessionStores } from "./stores/session-stores.ts";

export interface WorkspaceOptions {
  clock: Clock;
  random: Random;
  /** Of this worker alone, made where it is not there. */
  directory: string;
  sections: Readonly<Record<string, unknown>>;
  keepMs: number;
  /** What sandboxes may reach. */
  network: NetworkPolicy;
  tell: Tell;
}

interface Used {
  /** A call runs, or its session is at work here. */
  isBusy: boolean;
  idleSinceMs: number;
  skills?: string;
  stores?: SessionStores;
}

/** What a call has to do with here. */
export interface Inside {
  sandbox: Sandbox;
  /** Undefined where the session has none. */
  stores: SessionStores | undefined;
}

export interface Workspaces {
  /** How sandboxes are made, in a sentence. */
  readonly summary: string;
  /** The session is at work here until it is released: nothing of it is swept. */
  begin(sessionId: string): Promise<void>;
  release(sessionId: string): Promise<void>;
  run<T>(
    sessionId: string,
    mounts: readonly StoreMount[],
    work: (inside: Inside) => Promise<T>,
  ): Promise<T>;
  skillsOf(sessionId: string): string | undefined;
  setSkills(sessionId: string, key: string): void;
  /** Every process of it ends; its files stay. */
  stop(sessionId: string): Promise<void>;
  destroy(sessionId: string, reason: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWorkspaces(options: WorkspaceOptions): Promise<Workspaces> {
  const unlock = lockDirectory(options.directory);
  try {
    const provider = await openProvider(options);
    return await makeWorkspaces(options, provider, unlock);
  } catch (error) {
    unlock();
    throw error instanceof SandboxError ? new ExitError(error.message, 1, error) : error;
  }
}

/** Two workers with one directory would open the same files twice. */
function lockDirectory(directory: string): () => void {
  try {
    mkdirSync(join(directory, "used"), { recursive: true, mode: 0o700 });
  } catch (error) {
    const { message } = error as Error;
    throw new ExitError(
      `The worker cannot use ${directory} (${message}): name another --directory.`,
    );
  }
  const unlock = tryLock(join(directory, "worker.lock"));
  if (unlock !== undefined) return unlock;
  throw new ExitError(`Another worker uses ${directory}: name another --directory for this one.`);
}

async function openProvider(options: WorkspaceOptions): Promise<SandboxProvider> {
  const { clock, random, directory, sections } = options;
  const provider = await openSandboxes({ clock, random, dataDirectory: directory, sections });
  const probe = await provider.probe();
  if (probe.ok) return provider;
  await provider.close();
  throw new SandboxError(inWords(probe));
}

async function makeWorkspaces(
  options: WorkspaceOptions,
  provider: SandboxProvider,
  unlock: () => void,
): Promise<Workspaces> {
  const { clock, tell } = options;
  const { limits: sizes } = sandboxSettingsOf(options);
  const asked = { limits: sizes, env: {} };
  const used = new Map<string, Used>();
  const closing = new AbortController();
  const times = makeTimes(options);
  const stores = makeStores(options, provider);
  const networkOf = makeNetworks(options);

  const resting = () => ({ isBusy: false, idleSinceMs: clock.monotonicMs() });
  const useOf = (sessionId: string): Used => used.getOrInsertComputed(sessionId, resting);

  const destroy = async (sessionId: string, reason: string): Promise<void> => {
    used.delete(sessionId);
    await provider.destroy(sessionId);
    await stores.forget(sessionId);
    await times.forget(sessionId);
    tell({ type: "removed", session: sessionId, reason });
  };

  const sweeping = await startSweeps(options, closing.signal, { provider, used, times, destroy });

  return {
    summary: summaryLine({ provider: provider.name, ...(await provider.probe()) }),
    async begin(sessionId) {
      useOf(sessionId).isBusy = true;
      await times.touch(sessionId);
    },
    async release(sessionId) {
      const use = used.get(sessionId);
      if (use === undefined) return;
      Object.assign(use, resting());
      await times.touch(sessionId);
    },
    async run(sessionId, mounts, work) {
      const [network, folders] = [networkOf(sessionId), foldersFor(mounts)];
      const hasSecondShell = mounts.length > 0;
      await provider.ensure({ ...asked, sessionId, network, folders, hasSecondShell });
      const use = useOf(sessionId);
      if (mounts.length > 0) use.stores ??= stores.open(sessionId, mounts);
      return work({ sandbox: sandboxOf(provider, sessionId), stores: use.stores });
    },
    skillsOf: (sessionId) => used.get(sessionId)?.skills,
    setSkills: (sessionId, key) => void (useOf(sessionId).skills = key),
    stop: (sessionId) => provider.stop(sessionId),
    destroy,
    async close() {
      closing.abort();
      await Promise.all(sweeping);
      await provider.close();
      unlock();
    },
  };
}

interface Swept {
  provider: SandboxProvider;
  used: Map<string, Used>;
  times: ReturnType<typeof makeTimes>;
  destroy(sessionId: string, reason: string): Promise<void>;
}

/** What was kept for long enough goes at once, and from now on; sandboxes that are idle stop. */
async function startSweeps(
  options: WorkspaceOptions,
  signal: AbortSignal,
  { provider, used, times, destroy }: Swept,
): Promise<Promise<void>[]> {
  const { clock, sections } = options;
  const { idleMs } = sandboxSettingsOf({ sections });
  const sweep = async (): Promise<void> => {
    for (const { id, reason } of await times.tooOld(await provider.list()))
      if (used.get(id)?.isBusy !== true) await destroy(id, reason);
  };
  const stopIdle = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    for (const [id, { isBusy, idleSinceMs }] of used)
      if (!isBusy && nowMs - idleSinceMs >= idleMs) {
        used.delete(id);
        await provider.stop(id);
      }
  };
  await sweep();
  return [
    everySoOften(options, { ms: limits.sweepMs, signal }, sweep),
    everySoOften(options, { ms: limits.idleSweepMs, signal }, stopIdle),
  ];
}

const sandboxOf = (provider: SandboxProvider, sessionId: string) => ({
  exec: (request: ExecRequest) => provider.exec(sessionId, request),
  stop: () => provider.stop(sessionId),
  fill: (folder: string, change: FolderChange) => provider.fill(sessionId, folder, change),
});

function makeStores(options: WorkspaceOptions, provider: SandboxProvider) {
  const saved = savedHashesIn(options.directory);
  return {
    open: (sessionId: string, mounts: readonly StoreMount[]) =>
      openSessionStores({
        ...options,
        mounts,
        sandbox: sandboxOf(provider, sessionId),
        savedOf: (storeId) => saved.of(sessionId, storeId),
      }),
    forget: saved.forget,
  };
}

const makeNetworks = ({ clock, sections, network, tell }: WorkspaceOptions) =>
  makeFixedDoors({
    world: { clock, sections, logger: silentLogger },
    policy: network,
    ruledBy: { by: "the worker", mend: "Who runs the worker may add it with --hosts." },
    onRefused: ({ host, port, reason }, session) =>
      tell({ type: "refused", session, host: shown(host), port, reason }),
  });

async function everySoOften(
  { clock, tell }: Pick<WorkspaceOptions, "clock" | "tell">,
  { ms, signal }: { ms: number; signal: AbortSignal },
  act: () => Promise<void>,
): Promise<void> {
  while (await clock.sleep(ms, signal))
    await act().catch((error: unknown) =>
      tell({ type: "failed", reason: `Workspaces could not be swept: ${String(error)}` }),
    );
}

/** When each session was last at work here: the time of an empty file of its name. */
function makeTimes({ clock, directory, keepMs }: WorkspaceOptions) {
  const fileOf = (sessionId: string) => join(directory, "used", sessionId);
  const touch = async (sessionId: string): Promise<void> => {
    const file = fileOf(sessionId);
    await writeFile(file, "", { mode: 0o600 });
    const now = clock.now();
    await utimes(file, now, now);
  };
  return {
    touch,
    forget: (sessionId: string) => rm(fileOf(sessionId), { force: true }),
    /** Those of these that are not to be kept, and why. */
    async tooOld(ids: readonly string[]): Promise<{ id: string; reason: string }[]> {
      const nowMs = clock.now().getTime();
      const ages: { id: string; ageMs: number }[] = [];
      for (const id of ids) {
        const found = await stat(fileOf(id)).catch(() => undefined);
        // Of a worker that was killed before it wrote the time: it counts from now on.
        if (found === undefined) await touch(id);
        ages.push({ id, ageMs: found === undefined ? 0 : nowMs - found.mtimeMs });
      }
      // Of sessions that ran nothing here there is no more than this.
      for (const name of await readdir(join(directory, "used"))) {
        const found = ids.includes(name) ? undefined : await stat(fileOf(name));
        if (found !== undefined && nowMs - found.mtimeMs >= keepMs) await rm(fileOf(name));
      }
      const oldest = ages.toSorted((a, b) => b.ageMs - a.ageMs);
      return oldest.flatMap(({ id, ageMs }, at) => {
        if (ageMs >= keepMs) return { id, reason: "it was kept for as long as it is to be" };
        const isTooMany = at < oldest.length - limits.workspacesMax;
        return isTooMany ? { id, reason: `there are more than ${limits.workspacesMax}` } : [];
      });
    },
  };
}
