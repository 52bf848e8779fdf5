// What one server has of a Docker daemon and of the disk for its sandboxes, and how it starts one.
import { closeSync, openSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { makeRunner } from "../linux/program/runner.ts";
import { type Machine, machineOf } from "../linux/system_calls/numbers.ts";
import { SandboxError, type SandboxNetwork, type SandboxSpec } from "../provider.ts";
import type { Shell } from "../shell/calls.ts";
import { isMounted } from "../workspaces/images.ts";
import { mountImage, mountMemory, unmount } from "../workspaces/mounts.ts";
import { isRunning, untilLetGo } from "../workspaces/processes.ts";
import { openStores, placePrograms, type Stores } from "../workspaces/stores.ts";
import { imageName, type Stored } from "../workspaces/workspaces.ts";
import { bindsOf, prepareFolders, userOf } from "./binds.ts";
import { type DockerSettings, describeContainer } from "./container.ts";
import { type Engine, openEngine } from "./engine/engine.ts";
import { listenInside } from "./listener.ts";
import { startContainer } from "./shell.ts";

export interface DockerOptions {
  clock: Clock;
  random: Random;
  /** Of sandboxes alone; it is made. */
  directory: string;
  settings: DockerSettings;
}

export interface DockerMachine {
  stores: Stores;
  engine: Engine;
  /** Ends what servers of this directory left in the daemon that were killed. */
  endAbandoned(): Promise<void>;
  letGo(stored: Stored): Promise<void>;
  start(
    spec: SandboxSpec,
    stored: Stored,
    image: { volumes: readonly string[] },
  ): Promise<Shell & { id: string }>;
  /** In the network of a container; the result ends it. */
  listen(id: string, network: SandboxNetwork): Promise<() => void>;
  close(): Promise<void>;
}

/** Marks of containers: whose they are, which process of a server holds them, and of which session. */
const labels = {
  directory: "plinth.directory",
  process: "plinth.process",
  sandbox: "plinth.sandbox",
};
const programsBytesMax = 32 * 1024 * 1024;

export async function openDockerMachine(options: DockerOptions): Promise<DockerMachine> {
  const { clock, random, settings } = options;
  // Beside those of other providers, which lie otherwise.
  const directory = join(options.directory, "docker");
  const stores = await openStores(directory, { random, parts: ["mounts", "programs"] });
  await bringPrograms(stores);
  const directoryId = await readDirectoryId(directory, random);
  const engine = openEngine(settings.socket, clock);
  const machine = machineOf(process.arch);
  const runner = join(stores.own, "runner");
  if (machine !== undefined) writeFileSync(runner, makeRunner(machine), { mode: 0o700 });
  const means = { ...options, stores, engine, directoryId };
  const listen = makeListen(engine, { runner, machine });
  return {
    stores,
    engine,
    async endAbandoned() {
      for (const { id, labels: own } of await engine.list(`${labels.directory}=${directoryId}`)) {
        const pid = Number(own[labels.process]?.split("-")[1]);
        if (!isRunning(pid)) await engine.remove(id);
      }
    },
    letGo: (stored) => letGo(means, stored),
    start: (spec, stored, { volumes }) => start(means, { spec, stored, volumes, listen }),
    listen,
    close: stores.close,
  };
}

interface Means extends DockerOptions {
  stores: Stores;
  engine: Engine;
  directoryId: string;
}

/** In memory where the server may mount: else /proc inside would name the server's directory. */
async function bringPrograms({ own, isRoot }: Stores): Promise<void> {
  const place = join(own, "programs");
  if (isRoot) await mountMemory(place, programsBytesMax).catch(() => {});
  placePrograms(join(place, "files"));
}

/** Also another process may have the directory open; the first one that writes the name has named it. */
async function readDirectoryId(directory: string, random: Random): Promise<string> {
  const file = join(directory, "id");
  try {
    await writeFile(file, random.bytes(16).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const id = await readFile(file, "utf8");
  if (/^[0-9a-f]{32}$/.test(id)) return id;
  throw new SandboxError(`${file} does not hold an id: remove it while no server runs.`);
}

const makeListen =
  (engine: Engine, { runner, machine }: { runner: string; machine: Machine | undefined }) =>
  async (id: string, network: SandboxNetwork): Promise<() => void> => {
    if (machine === undefined)
      throw new SandboxError("the server listens in containers on x64 and arm64 alone");
    return listenInside({ pid: await engine.pidOf(id), id }, network, { runner, machine });
  };

const sandboxOf = ({ directoryId }: Means, sessionId: string) => `${directoryId}/${sessionId}`;

async function letGo(means: Means, stored: Stored): Promise<void> {
  const { clock, engine } = means;
  const mark = `${labels.sandbox}=${sandboxOf(means, basename(stored.directory))}`;
  for (const { id } of await engine.list(mark)) await engine.remove(id);
  const image = join(stored.directory, imageName);
  await untilLetGo(clock, () => stored.isImage && isMounted(image));
}

interface Asked {
  spec: SandboxSpec;
  stored: Stored;
  volumes: readonly string[];
  listen: DockerMachine["listen"];
}

async function start(means: Means, asked: Asked): Promise<Shell & { id: string }> {
  const { spec, stored } = asked;
  await letGo(means, stored);
  const layer = spec.layer && (await means.stores.layers.find(spec.layer.name));
  if (spec.layer !== undefined && layer === undefined)
    throw new SandboxError(`There is no layer ${spec.layer.name}.`);
  const unique = means.random.bytes(4).toString("hex");
  const mounted: string[] = [];
  const folders: { descriptor: number | undefined } = { descriptor: undefined };
  const release = async (): Promise<void> => {
    if (folders.descriptor !== undefined) closeSync(folders.descriptor);
    folders.descriptor = undefined;
    for (const place of mounted.splice(0)) await unmount(place);
  };
  const show = async (what: Stored, name: string): Promise<string> => {
    if (!what.isImage) return what.directory;
    const place = join(means.stores.own, "mounts", `${spec.sessionId}-${unique}-${name}`);
    const isReadOnly = name === "layer";
    await mountImage(join(what.directory, imageName), place, { isReadOnly });
    mounted.push(place);
    return place;
  };
  try {
    const workspace = await show(stored, "workspace");
    const shownLayer = layer && (await show(layer, "layer"));
    const user = userOf(stored);
    await prepareFolders(workspace, spec, user);
    folders.descriptor = openSync(join(workspace, "folders"), "r");
    const binds = bindsOf(spec, { workspace, layer: shownLayer, own: means.stores.own });
    const container = describeContainer({
      spec,
      settings: means.settings,
      user,
      binds,
      volumes: asked.volumes,
      labels: {
        [labels.directory]: means.directoryId,
        [labels.process]: means.stores.name,
        [labels.sandbox]: sandboxOf(means, spec.sessionId),
      },
    });
    const { network } = spec;
    return await startContainer({
      ...means,
      name: `plinth-${spec.sessionId}-${unique}`,
      container,
      hasSecondShell: spec.hasSecondShell === true,
      openNetwork: async (id) => (network === undefined ? () => {} : asked.listen(id, network)),
      release,
      folders,
    });
  } catch (error) {
    await release();
    if (!(error instanceof SandboxError)) throw error;
    const words = error.message.replace(/\.$/, "");
    throw new SandboxError(`The sandbox could not be made: ${words}.`, { cause: error });
  }
}
