// The sandboxes of sessions whose workspaces lie on this machine, started and ended by means of a provider.
import { closeSync, constants, openSync } from "node:fs";
import { makeKeyedQueues } from "../../kernel/base/keyed-queues.ts";
import type { Random } from "../../kernel/base/random.ts";
import { expectFillable, expectFolders, fillFolder } from "./folders.ts";
import {
  type ExecRequest,
  type ExecResult,
  type FolderChange,
  SandboxError,
  type SandboxProvider,
  type SandboxSpec,
} from "./provider.ts";
import { expectRunnable, expectSessionId } from "./request.ts";
import type { Shell } from "./shell/calls.ts";
import type { Stores } from "./workspaces/stores.ts";
import type { Stored, WorkspaceKind } from "./workspaces/workspaces.ts";

export interface Means extends Pick<SandboxProvider, "name" | "probe" | "close"> {
  random: Random;
  stores: Pick<Stores, "workspaces" | "layers" | "images">;
  /** Of workspaces that are made now; throws a SandboxError where there can be no such sandbox. */
  kindFor(spec: SandboxSpec): Promise<WorkspaceKind>;
  start(spec: SandboxSpec, stored: Stored): Promise<Shell>;
  /** Resolves when nothing runs in it or has it mounted, also of another process of the machine. */
  letGo(stored: Stored): Promise<void>;
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

export function makeSessions(means: Means): SandboxProvider {
  const { workspaces, images } = means.stores;
  const sessions = new Map<string, Session>();
  const queues = makeKeyedQueues(1);

  const ensure = async (spec: SandboxSpec): Promise<void> => {
    expectSpec(spec);
    const kind = await means.kindFor(spec);
    const known = sessions.get(spec.sessionId);
    if (known !== undefined) {
      // One that runs stays as it was started.
      if (known.shell === undefined) known.spec = spec;
      return;
    }
    const { workspaceBytes } = spec.limits;
    const stored = await workspaces.make(spec.sessionId, workspaceBytes, kind);
    sessions.set(spec.sessionId, { spec, stored, wasLost: false, fills: new Set() });
    // Who takes it is told of a failure.
    if (kind === "image") images?.prepare(workspaceBytes).catch(() => {});
  };

  const find = (sessionId: string): Session => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw new SandboxError(`There is no sandbox for ${sessionId}.`);
    return session;
  };

  const start = starter(means);

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
      unique: means.random.bytes(8).toString("hex"),
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
    name: means.name,
    layers: layersOf(means, sessions, end),
    probe: means.probe,
    ensure: (spec) => queues.run(spec.sessionId, () => ensure(spec)),
    exec: (sessionId, request) =>
      request.isBeside === true
        ? queues.run(`${sessionId} beside`, () => execBeside(find(sessionId), request))
        : queues.run(sessionId, () => exec(sessionId, request)),
    fill,
    stop,
    destroy: (sessionId) => end(sessionId, () => workspaces.remove(sessionId)),
    list: () => workspaces.list(),
    async close() {
      await Promise.all([...sessions.keys()].map(stop));
      await means.close();
    },
  };
}

/** What a sandbox has made is kept when nothing has it mounted any more: others mount it under its new name. */
function layersOf(
  { stores: { layers }, letGo }: Means,
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
function starter(means: Means) {
  return async (session: Session): Promise<Shell> => {
    forgetEnded(session);
    if (session.shell !== undefined) return session.shell;
    // Else the image of the workspace would be mounted twice.
    await Promise.allSettled(session.fills);
    return (session.shell = await means.start(session.spec, session.stored));
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
