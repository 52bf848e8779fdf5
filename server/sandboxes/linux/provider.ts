// The provider `linux`: sandboxes of the kernel's own means, without a daemon or a package.
import assert from "node:assert/strict";
import { closeSync, constants, openSync } from "node:fs";
import type { Socket } from "node:net";
import type { Clock } from "../../../kernel/base/clock.ts";
import { makeKeyedQueues } from "../../../kernel/base/keyed-queues.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { expectFillable, expectFolders, fillFolder } from "../folders.ts";
import { defaultLimits, doorHost, doorPort } from "../limits.ts";
import {
  type ExecRequest,
  type ExecResult,
  type FolderChange,
  inWords,
  SandboxError,
  type SandboxProvider,
  type SandboxSpec,
} from "../provider.ts";
import { expectRunnable, expectSessionId } from "../request.ts";
import {
  canListen,
  type How,
  type Launcher,
  launchers,
  type LinuxMachine,
  openMachine,
} from "./machine.ts";
import { describeMeans, type Means } from "./probe.ts";
import type { Shell } from "./shell/shell.ts";
import { type Stored, type WorkspaceKind, workspaceKinds } from "./workspaces.ts";

export interface LinuxOptions {
  clock: Clock;
  random: Random;
  /** Of sandboxes alone; it is made. Sessions and their workspaces lie in it. */
  directory: string;
  /** `/`, or a directory with another system's `usr` and `etc`, which everyone may read. */
  rootfs?: string;
  /** The first one that works is taken. */
  launchers?: readonly Launcher[];
  workspaceKinds?: readonly WorkspaceKind[];
}

interface Session {
  spec: SandboxSpec;
  stored: Stored;
  shell?: Shell;
  /** The last shell ended without being told to. */
  wasLost: boolean;
  /** What folders are being filled with; each holds the file system of the shell that it began with. */
  fills: Set<Promise<void>>;
}

/** Makes a sandbox to see what works here, and throws it away. */
export async function openLinux(options: LinuxOptions): Promise<SandboxProvider> {
  const machine = await openMachine({ rootfs: "/", ...options });
  const { means, chosen } = await choose(machine, options);
  const sessions = new Map<string, Session>();
  const queues = makeKeyedQueues(1);
  const probe = describeMeans(means);

  const ensure = async (spec: SandboxSpec): Promise<void> => {
    expectSpec(spec);
    if (chosen === undefined) throw new SandboxError(inWords(probe));
    const known = sessions.get(spec.sessionId);
    if (known !== undefined) {
      // One that runs stays as it was started.
      if (known.shell === undefined) known.spec = spec;
      return;
    }
    const { workspaceBytes } = spec.limits;
    const stored = await machine.workspaces.make(spec.sessionId, workspaceBytes, chosen.kind);
    sessions.set(spec.sessionId, { spec, stored, wasLost: false, fills: new Set() });
    // Who takes it is told of a failure.
    if (chosen.kind === "image") machine.images?.prepare(workspaceBytes).catch(() => {});
  };

  const find = (sessionId: string): Session => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw new SandboxError(`There is no sandbox for ${sessionId}.`);
    return session;
  };

  const start = starter(machine, chosen);

  const exec = async (sessionId: string, request: ExecRequest) => {
    expectRunnable(request);
    const session = find(sessionId);
    const shell = await start(session);
    const isRestarted = session.wasLost;
    if (request.isInternal !== true) session.wasLost = false;
    const result = await shell.exec(request);
    forgetEnded(session);
    return { ...result, isRestarted };
  };

  const fill: SandboxProvider["fill"] = async (sessionId, folder, change) =>
    fillIn(find(sessionId), (session) => queues.run(sessionId, () => start(session)), {
      folder,
      change,
      unique: options.random.bytes(8).toString("hex"),
    });

  const stop = async (sessionId: string): Promise<void> => endShell(sessions.get(sessionId));

  const end = async (sessionId: string, act: () => Promise<void>): Promise<void> => {
    await stop(sessionId);
    await queues.run(sessionId, async () => {
      await stop(sessionId); // a call that waited may have started it again
      sessions.delete(sessionId);
      await act();
    });
  };

  return {
    name: "linux",
    layers: layersOf(machine, sessions, end),
    probe: async () => probe,
    ensure: (spec) => queues.run(spec.sessionId, () => ensure(spec)),
    exec: (sessionId, request) =>
      request.isBeside === true
        ? queues.run(`${sessionId} beside`, () => execBeside(find(sessionId), request))
        : queues.run(sessionId, () => exec(sessionId, request)),
    fill,
    stop,
    destroy: (sessionId) => end(sessionId, () => machine.workspaces.remove(sessionId)),
    list: () => machine.workspaces.list(),
    async close() {
      await Promise.all([...sessions.keys()].map(stop));
      await machine.close();
    },
  };
}

/** What a sandbox has made is kept when nothing has it mounted any more: others mount it under its new name. */
function layersOf(
  { layers, letGo }: LinuxMachine,
  sessions: ReadonlyMap<string, Session>,
  end: (sessionId: string, act: () => Promise<void>) => Promise<void>,
): SandboxProvider["layers"] {
  return {
    ...layers,
    async keep(sessionId, name) {
      const stored = sessions.get(sessionId)?.stored;
      await end(sessionId, async () => {
        if (stored !== undefined) await letGo(stored);
        await layers.keep(sessionId, name);
      });
    },
  };
}

function expectSpec({ sessionId, folders = [], layer }: SandboxSpec): void {
  expectSessionId(sessionId);
  const shown = layer === undefined ? [] : [{ path: layer.path, kind: "read_only" as const }];
  expectFolders([...folders, ...shown]);
}

/** Ends what is running; the session goes on with a new one when it has to. */
async function endShell(session: Session | undefined): Promise<void> {
  const shell = session?.shell;
  if (session === undefined || shell === undefined) return;
  delete session.shell;
  await shell.kill();
}

/** The shell that a session has, or a new one. */
function starter(machine: LinuxMachine, chosen: How | undefined) {
  return async (session: Session): Promise<Shell> => {
    forgetEnded(session);
    if (session.shell !== undefined) return session.shell;
    // Else the image of the workspace would be mounted twice.
    await Promise.allSettled(session.fills);
    assert(chosen !== undefined, "A session was made where no sandbox can be.");
    return (session.shell = await machine.start(session.spec, session.stored, chosen));
  };
}

async function fillIn(
  session: Session,
  start: (session: Session) => Promise<Shell>,
  { folder, change, unique }: { folder: string; change: FolderChange; unique: string },
): Promise<void> {
  expectFillable(session.spec.folders ?? [], folder, change);
  forgetEnded(session);
  const shell = session.shell ?? (await start(session));
  if (shell.folders === undefined)
    throw new SandboxError(`The sandbox ended before ${folder} was filled.`);
  const held = holdDirectory(shell.folders);
  const filling = fillFolder(`/proc/self/fd/${held}`, folder, change, unique).finally(() =>
    closeSync(held),
  );
  session.fills.add(filling);
  await filling.finally(() => session.fills.delete(filling));
}

/** Another descriptor of it, which the end of the sandbox does not close. */
const holdDirectory = (descriptor: number): number =>
  openSync(`/proc/self/fd/${descriptor}`, constants.O_RDONLY | constants.O_DIRECTORY);

async function execBeside({ shell }: Session, request: ExecRequest): Promise<ExecResult> {
  expectRunnable(request);
  if (shell === undefined || shell.hasEnded) throw new SandboxError("The sandbox does not run.");
  return { ...(await shell.exec(request)), isRestarted: false };
}

/** A shell that is gone was told to go, unless the session still has it. */
function forgetEnded(session: Session): void {
  if (session.shell?.hasEnded !== true) return;
  delete session.shell;
  session.wasLost = true;
}

async function choose(
  machine: LinuxMachine,
  options: LinuxOptions,
): Promise<{ means: Means; chosen: How | undefined }> {
  const faults = new Map<WorkspaceKind, string>();
  let firstFault: string | undefined;
  const means = { isRoot: machine.isRoot, cgroups: machine.cgroups };
  for (const launcher of options.launchers ?? launchers)
    for (const kind of options.workspaceKinds ?? workspaceKinds) {
      const how = { launcher, kind };
      const fault = await tryOut(machine, how);
      if (fault === undefined) {
        const imageFault =
          kind === "image" ? undefined : (faults.get("image") ?? "no image was asked for");
        const isPlainBind = kind === "plain";
        return {
          means: { ...means, launcher, imageFault, isPlainBind, fault, canListen: canListen(how) },
          chosen: how,
        };
      }
      faults.set(kind, fault);
      firstFault ??= fault;
    }
  const [launcher, fault] = ["direct" as const, firstFault ?? "There is nothing to try."];
  const nothing = { launcher, fault, imageFault: fault, isPlainBind: true, canListen: false };
  return { means: { ...means, ...nothing }, chosen: undefined };
}

/** Undefined where it works, else why not. */
async function tryOut(machine: LinuxMachine, chosen: How): Promise<string | undefined> {
  const sessionId = `${machine.name}-trial`;
  const limits = { ...defaultLimits, workspaceBytes: 16 * 1024 ** 2 };
  const network = { connect: (socket: Socket) => void socket.end("reached\n"), endAll: () => {} };
  const spec = { sessionId, limits, env: {}, network };
  const reach = canListen(chosen) ? `grep -q reached </dev/tcp/${doorHost}/${doorPort}` : ":";
  try {
    if (chosen.kind === "image" && machine.images === undefined)
      return machine.isRoot ? "mkfs.ext4 is not installed" : "only root can mount one";
    const stored = await machine.workspaces.make(
      sessionId,
      spec.limits.workspaceBytes,
      chosen.kind,
    );
    const shell = await machine.start(spec, stored, chosen);
    const run = (command: string) => shell.exec({ command, timeoutMs: 10_000, bytesMax: 0 });
    const { code } = await run(">file && rm file");
    const reached = code === 0 ? await run(reach) : undefined;
    await shell.kill();
    if (code !== 0) return "the workspace could not be written to";
    return reached?.code === 0 ? undefined : "the server could not listen inside";
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    if (typeof (error as NodeJS.ErrnoException).code !== "undefined")
      return (error as Error).message;
    throw error;
  } finally {
    await machine.workspaces.remove(sessionId);
  }
}
