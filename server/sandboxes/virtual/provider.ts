// The provider `virtual`: a shell written in JavaScript, in a process of its own for each sandbox, where there are no
// real programs. It is for machines that cannot make sandboxes otherwise.
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../kernel/base/clock.ts";
import { makeKeyedQueues } from "../../../kernel/base/keyed-queues.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { expectFillable, expectFolders, fillFolder, storedName } from "../folders.ts";
import {
  type Guarantee,
  type Probe,
  type ExecRequest,
  type ExecResult,
  SandboxError,
  type SandboxLayers,
  type SandboxProvider,
  type SandboxSpec,
} from "../provider.ts";
import { expectRunnable, expectSessionId } from "../request.ts";
import type { HostDirectory } from "./messages.ts";
import { startVirtualShell, type VirtualShell } from "./process.ts";

export interface VirtualOptions {
  clock: Clock;
  random: Random;
  /** Of sandboxes alone; it is made. */
  directory: string;
}

interface Session {
  spec: SandboxSpec;
  directories: readonly HostDirectory[];
  shell?: VirtualShell;
  /** The last shell ended without being told to. */
  wasLost: boolean;
}

const noPrograms = (): never => {
  throw new SandboxError(
    "Virtual sandboxes have neither package managers nor git: take packages out of the environment and repositories out of the session, or let sandbox.provider be linux.",
  );
};

const noLayers: SandboxLayers = {
  newSandboxId: noPrograms,
  keep: async () => noPrograms(),
  sizeOf: async () => undefined,
  remove: async () => {},
  list: async () => [],
};

export async function openVirtual({
  clock,
  random,
  directory,
}: VirtualOptions): Promise<SandboxProvider> {
  // Beside those of other providers, which lie otherwise.
  const all = join(directory, "virtual");
  await mkdir(all, { recursive: true, mode: 0o700 });
  const sessions = new Map<string, Session>();
  const queues = makeKeyedQueues(1);

  const ensure = async (spec: SandboxSpec): Promise<void> => {
    const known = sessions.get(spec.sessionId);
    // One that runs stays as it was started.
    if (known?.shell !== undefined) return;
    const directories = directoriesOf(spec, join(all, spec.sessionId));
    for (const each of directories) await mkdir(each.directory, { recursive: true, mode: 0o700 });
    sessions.set(spec.sessionId, { spec, directories, wasLost: known?.wasLost ?? false });
  };

  const find = (sessionId: string): Session => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw new SandboxError(`There is no sandbox for ${sessionId}.`);
    return session;
  };

  const stop = (sessionId: string) => endShell(sessions.get(sessionId));

  return {
    name: "virtual",
    layers: noLayers,
    probe: () => Promise.resolve(virtualProbe),
    async ensure(spec) {
      expectSessionId(spec.sessionId);
      expectFolders(spec.folders ?? []);
      await queues.run(spec.sessionId, () => ensure(spec));
    },
    async exec(sessionId, request) {
      expectRunnable(request);
      if (request.isBeside === true)
        throw new SandboxError("Virtual sandboxes run one call at a time.");
      return await queues.run(sessionId, () => exec(find(sessionId), clock, request));
    },
    async fill(sessionId, folder, change) {
      expectFillable(find(sessionId).spec.folders ?? [], folder, change);
      const unique = random.bytes(8).toString("hex");
      await fillFolder(join(all, sessionId, foldersName), folder, change, unique);
    },
    stop,
    async destroy(sessionId) {
      expectSessionId(sessionId);
      await stop(sessionId);
      await queues.run(sessionId, async () => {
        await stop(sessionId); // a call that waited may have started it again
        sessions.delete(sessionId);
        await removeTree(join(all, sessionId));
      });
    },
    list: () => readdir(all),
    async close() {
      await Promise.all([...sessions.keys()].map(stop));
    },
  };
}

async function exec(session: Session, clock: Clock, request: ExecRequest): Promise<ExecResult> {
  forgetEnded(session);
  const { spec, directories } = session;
  session.shell ??= await startVirtualShell(spec, { clock, directories });
  const isRestarted = session.wasLost;
  if (request.isInternal !== true) session.wasLost = false;
  const result = await session.shell.exec(request);
  forgetEnded(session);
  return { ...result, isRestarted };
}

/** The session goes on with a new one when it has to. */
async function endShell(session: Session | undefined): Promise<void> {
  const shell = session?.shell;
  if (session === undefined || shell === undefined) return;
  delete session.shell;
  await shell.kill();
}

const foldersName = "folders";

function directoriesOf({ folders = [] }: SandboxSpec, place: string): HostDirectory[] {
  const kept = folders.filter(({ kind }) => kind !== "in_memory");
  return [
    { path: "/workspace", directory: join(place, "files"), isReadOnly: false },
    ...kept.map(({ path, kind }) => ({
      path,
      directory: join(place, foldersName, storedName(path)),
      isReadOnly: kind === "read_only",
    })),
  ];
}

/** A shell that is gone was told to go, unless the session still has it. */
function forgetEnded(session: Session): void {
  if (session.shell?.hasEnded !== true) return;
  delete session.shell;
  session.wasLost = true;
}

/** The agent may have made folders that their owner cannot enter. No link is followed. */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    await openFolders(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openFolders(path: string): Promise<void> {
  await chmod(path, 0o700);
  for (const entry of await readdir(path, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(path, entry.name));
}

const mend = "Run the server on Linux, whose sandboxes are made by the kernel.";

const enforced = (reason: string): Guarantee => ({ level: "enforced", reason });
const bestEffort = (reason: string): Guarantee => ({ level: "best_effort", reason, mend });
const none = (reason: string): Guarantee => ({ level: "none", reason, mend });

/** Nothing of the machine is tried, because nothing of it is used. */
const virtualProbe: Probe = {
  ok: true,
  reason:
    "Made by a shell in JavaScript, whose programs are its own: no git, no Python, no compiler.",
  mend,
  guarantees: {
    fs: bestEffort("The shell and Node.js keep the process to its workspace, the kernel does not."),
    processes: enforced("A sandbox is one process, and its shell starts no other."),
    memory: bestEffort(
      "The heap of its process has a limit, and a process that takes much more than that is killed a second later.",
    ),
    cpu: none("A sandbox may use a processor, until the time of its call is up."),
    disk: none("What a sandbox writes to its workspace is not counted."),
    network: bestEffort(
      "There is none at all, not even to hosts that an environment allows: Node.js refuses it to the process.",
    ),
    kernel: none("A fault of the shell or of Node.js leads to the rights of the server."),
  },
};
