// What one server has of the machine for all its sandboxes, and how it starts one.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../../kernel/base/clock.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { SandboxError, type SandboxSpec } from "../provider.ts";
import type { Shell } from "../shell/calls.ts";
import { isMounted, pickLoop } from "../workspaces/images.ts";
import { endPredecessor, noteRunning } from "../workspaces/processes.ts";
import { findTool, openStores, placePrograms, type Stores } from "../workspaces/stores.ts";
import { imageName, type Stored, type WorkspaceKind } from "../workspaces/workspaces.ts";
import { type Cgroups, openCgroups } from "./machine/cgroups.ts";
import { planBubblewrap } from "./program/bubblewrap.ts";
import { planSandbox } from "./program/plan.ts";
import type { Plan, PlannedFolder, Workspace } from "./program/plan-types.ts";
import { makeRunner } from "./program/runner.ts";
import { startShell } from "./shell/shell.ts";
import { type Machine, machineOf } from "./system_calls/numbers.ts";

export const launchers = ["direct", "bwrap"] as const;
export type Launcher = (typeof launchers)[number];

export type How = { launcher: Launcher; kind: WorkspaceKind };

/** Not where bubblewrap alone may make namespaces: it lets nobody in to listen there. */
export const canListen = ({ launcher, kind }: How): boolean =>
  launcher === "direct" || kind !== "plain" || process.getuid?.() === 0;

export interface LinuxMachine extends Stores {
  cgroups: Cgroups;
  letGo(stored: Stored): Promise<void>;
  start(spec: SandboxSpec, stored: Stored, how: How): Promise<Shell>;
}

export interface MachineOptions {
  clock: Clock;
  random: Random;
  directory: string;
  rootfs: string;
}

const loopTriesMax = 20;

export async function openMachine(options: MachineOptions): Promise<LinuxMachine> {
  const { clock, random, directory } = options;
  const machine = expectMachine();
  const stores = await openStores(directory, { random, parts: ["stage"] });
  const { own, layers } = stores;
  placePrograms(join(own, "programs/files"));
  mkdirSync(join(own, "programs/empty"), { mode: 0o755 });
  writeFileSync(join(own, runnerName), makeRunner(machine), { mode: 0o700 });
  const cgroups = await openCgroups(clock);
  return {
    ...stores,
    cgroups,
    letGo: (stored) => letGo(stored, clock),
    start: makeStart(options, { own, cgroups, machine, layers }),
  };
}

const runnerName = "runner";

interface Places {
  stored: Stored;
  layer: Stored | undefined;
}

interface Machinery {
  own: string;
  cgroups: Cgroups;
  machine: Machine;
  layers: Stores["layers"];
}

const placeOf = ({ directory, isImage }: Stored, kind: WorkspaceKind, loop: number): Workspace =>
  isImage ? { image: join(directory, imageName), loop } : { directory, isPlain: kind === "plain" };

function makePlanner(
  { random, rootfs }: MachineOptions,
  { own, cgroups, machine }: Machinery,
): (spec: SandboxSpec, places: Places, how: How) => Plan {
  const server = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return (spec, { stored, layer }, { launcher, kind }) => {
    const loop = pickLoop(random.fraction());
    const folders: PlannedFolder[] = [
      ...(spec.folders ?? []),
      ...(spec.layer === undefined ? [] : [{ path: spec.layer.path, kind: "layer" as const }]),
    ];
    return {
      machine,
      server,
      rootfs,
      limits: spec.limits,
      env: spec.env,
      hasSecondShell: spec.hasSecondShell === true,
      hasDoor: spec.network !== undefined && canListen({ launcher, kind }),
      folders: folders.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
      stage: join(own, "stage"),
      programs: join(own, "programs"),
      workspace: placeOf(stored, kind, loop),
      links: linksOf(spec),
      ...(layer !== undefined && {
        layer: placeOf(layer, kind, pickLoop(random.fraction(), loop)),
      }),
      ...(stored.owner !== undefined && { owner: stored.owner }),
      isWithoutMemoryCgroup: !cgroups.usable.has("memory"),
    };
  };
}

const linksOf = ({ layer }: SandboxSpec): Plan["links"] =>
  Object.fromEntries(
    Object.entries(layer?.links ?? {}).map(([name, to]) => [name, `${layer?.path}/${to}`]),
  );

/** Nothing runs in it or has it mounted any more. */
function letGo({ directory, isImage }: Stored, clock: Clock): Promise<void> {
  const image = join(directory, imageName);
  return endPredecessor(directory, { clock, isMounted: () => isImage && isMounted(image) });
}

function makeStart(options: MachineOptions, machinery: Machinery): LinuxMachine["start"] {
  const { clock, random } = options;
  const { own, cgroups, machine, layers } = machinery;
  const planOf = makePlanner(options, machinery);

  return async (spec, stored, how) => {
    await letGo(stored, clock);
    const layer = spec.layer && (await layers.find(spec.layer.name));
    if (spec.layer !== undefined && layer === undefined)
      throw new SandboxError(`There is no layer ${spec.layer.name}.`);
    const { launcher } = how;
    const bubblewrap = launcher === "bwrap" ? findTool("bwrap") : undefined;
    if (launcher === "bwrap" && bubblewrap === undefined)
      throw new SandboxError("bubblewrap is not installed.");
    for (let tried = 1; ; tried++) {
      const plan = planOf(spec, { stored, layer }, how);
      const program =
        bubblewrap === undefined ? planSandbox(plan) : planBubblewrap(plan, bubblewrap);
      const unique = random.bytes(4).toString("hex");
      const cgroup = cgroups.make(`${spec.sessionId}-${unique}`, spec.limits);
      const add = (pid: number) => {
        noteRunning(stored.directory, pid);
        cgroup.add(pid);
      };
      try {
        return await startShell({
          clock,
          random,
          machine,
          runner: join(own, runnerName),
          program,
          processesMax: spec.limits.processesMax,
          network: plan.hasDoor ? spec.network : undefined,
          hasSecondShell: plan.hasSecondShell,
          cgroup: { ...cgroup, add },
        });
      } catch (error) {
        // Another sandbox took the loop device between the look and the call.
        const hasImage = stored.isImage || layer?.isImage === true;
        const isRace = hasImage && error instanceof SandboxError && error.message.includes("EBUSY");
        if (!isRace || tried === loopTriesMax) throw error;
      }
    }
  };
}

function expectMachine(): Machine {
  const machine = machineOf(process.arch);
  if (machine !== undefined) return machine;
  throw new SandboxError(`Sandboxes run on x64 and arm64; this machine is ${process.arch}.`);
}
