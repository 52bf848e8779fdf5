// The provider `docker`: each sandbox is a container of a Docker daemon on the server's machine, made from an image
// that the operator chooses.
import type { Socket } from "node:net";
import { defaultLimits, doorHost, doorPort } from "../limits.ts";
import { inWords, SandboxError, type SandboxProvider } from "../provider.ts";
import { makeSessions } from "../sessions.ts";
import type { WorkspaceKind } from "../workspaces/workspaces.ts";
import { EngineError } from "./engine/connection.ts";
import type { DaemonFacts, ImageFacts } from "./engine/engine.ts";
import { isProcessOf } from "./listener.ts";
import { type DockerMachine, type DockerOptions, openDockerMachine } from "./machine.ts";
import {
  describeDocker,
  faultOfRights,
  type Fault,
  type Means,
  otherName,
  whereImageIs,
} from "./probe.ts";
import { readSight, type Sight, sightLine } from "./sight.ts";

/** A daemon that was not there is asked again, this much later at the earliest. */
const lookAgainMs = 5_000;

interface Look {
  means: Means;
  /** Undefined where no sandbox can be made. */
  chosen: { kind: WorkspaceKind; image: ImageFacts; canListen: boolean } | undefined;
}

export async function openDocker(options: DockerOptions): Promise<SandboxProvider> {
  const { clock } = options;
  const machine = await openDockerMachine(options);
  let last = await look(machine, options);
  let lookedAt = clock.monotonicMs();
  let looking: Promise<Look> | undefined;

  const current = async (): Promise<Look> => {
    if (last.chosen !== undefined) return last;
    if (looking === undefined && clock.monotonicMs() - lookedAt < lookAgainMs) return last;
    looking ??= look(machine, options);
    last = await looking;
    lookedAt = clock.monotonicMs();
    looking = undefined;
    return last;
  };

  const expectChosen = async () => {
    const { means, chosen } = await current();
    if (chosen === undefined) throw new SandboxError(inWords(describeDocker(means)));
    return { ...chosen, means };
  };

  return makeSessions({
    name: "docker",
    random: options.random,
    stores: machine.stores,
    probe: async () => describeDocker((await current()).means),
    async kindFor({ network }) {
      const { kind, canListen, means } = await expectChosen();
      // What its environment allows could not be had: better said than found out by the agent.
      if (network !== undefined && !canListen)
        throw new SandboxError(inWords(describeDocker(means).guarantees.network));
      return kind;
    },
    letGo: machine.letGo,
    start: async (spec, stored) => machine.start(spec, stored, (await expectChosen()).image),
    close: machine.close,
  });
}

/** Makes a container to see what it holds, and throws it away. */
async function look(machine: DockerMachine, { settings }: DockerOptions): Promise<Look> {
  const { engine, stores } = machine;
  const nothing = (fault: Fault, daemon?: DaemonFacts): Look => ({
    means: { fault, daemon, settings, isRoot: stores.isRoot },
    chosen: undefined,
  });
  try {
    const daemon = await engine.readDaemon();
    const image = await findImage(machine, settings.image);
    if ("reason" in image) return nothing(image, daemon);
    await machine.endAbandoned();
    const kinds =
      stores.images === undefined ? (["plain"] as const) : (["image", "plain"] as const);
    let first: Fault | undefined;
    for (const kind of kinds) {
      const tried = await tryOut(machine, kind, image);
      const fault = "fault" in tried ? tried.fault : faultOfRights(tried.sight, daemon, settings);
      if (fault !== undefined || "fault" in tried) {
        first ??= fault;
        continue;
      }
      const canListen = tried.sight.deafness === undefined;
      const imageFault = kind === "image" ? undefined : reasonIn(first);
      const { isRoot } = stores;
      const means = { daemon, settings, isRoot, sight: tried.sight, imageFault };
      return { means, chosen: { kind, image, canListen } };
    }
    return nothing(first ?? { reason: "There is nothing to try." }, daemon);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return nothing({ reason: error.message });
  }
}

async function findImage({ engine }: DockerMachine, name: string): Promise<ImageFacts | Fault> {
  try {
    return (await engine.findImage(name)) ?? whereImageIs(name);
  } catch (error) {
    if (!(error instanceof EngineError) || error.status !== 400) throw error;
    return { reason: error.message, mend: otherName };
  }
}

async function tryOut(
  machine: DockerMachine,
  kind: WorkspaceKind,
  image: ImageFacts,
): Promise<{ sight: Sight } | { fault: Fault }> {
  const { workspaces, name } = machine.stores;
  const sessionId = `${name}-trial`;
  const limits = { ...defaultLimits, workspaceBytes: 16 * 1024 ** 2 };
  try {
    const stored = await workspaces.make(sessionId, limits.workspaceBytes, kind);
    const shell = await machine.start({ sessionId, limits, env: {} }, stored, image);
    try {
      const usual = { timeoutMs: 10_000, bytesMax: 10_000 };
      const { output } = await shell.exec({ ...usual, command: sightLine });
      const seen = readSight(output.toString(), limits);
      const isHere = isProcessOf(await machine.engine.pidOf(shell.id), shell.id);
      const reaches = (line: string) => shell.exec({ ...usual, command: line });
      const deafness = isHere
        ? await whyDeaf(machine, shell.id, reaches)
        : "the server does not see the containers' processes";
      return { sight: { ...seen, isHere, deafness } };
    } finally {
      await shell.kill();
    }
  } catch (error) {
    // Of the system, or of a program that ended with one.
    const isSystems = (error as NodeJS.ErrnoException).code !== undefined;
    if (!(error instanceof SandboxError) && !isSystems) throw error;
    return { fault: { reason: (error as Error).message } };
  } finally {
    await workspaces.remove(sessionId);
  }
}

/** Undefined where the server can listen inside and is reached there. */
async function whyDeaf(
  { stores, listen }: DockerMachine,
  id: string,
  run: (line: string) => Promise<{ code: number | null }>,
): Promise<string | undefined> {
  if (!stores.isRoot) return "only root can listen inside a container";
  const network = { connect: (socket: Socket) => void socket.end("reached\n"), endAll: () => {} };
  try {
    const end = await listen(id, network);
    const line = `read -r said </dev/tcp/${doorHost}/${doorPort} && [ "$said" = reached ]`;
    const { code } = await run(line);
    end();
    return code === 0 ? undefined : "a container did not reach the server";
  } catch (error) {
    if (error instanceof SandboxError) return error.message;
    throw error;
  }
}

/** Without what every failure begins with and ends with. */
const reasonIn = (fault: Fault | undefined): string =>
  fault === undefined
    ? "only root can mount file systems in files"
    : fault.reason.replace(/^The sandbox could not be made: /, "").replace(/\.$/, "");
