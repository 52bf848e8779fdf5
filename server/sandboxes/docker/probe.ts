// What sandboxes of a Docker daemon hold: what a container saw of itself, and what can be known of the daemon.
import { release as hostRelease } from "node:os";
import { type Guarantee, type GuaranteeName, guaranteeNames, type Probe } from "../provider.ts";
import type { DockerSettings } from "./container.ts";
import type { DaemonFacts } from "./engine/engine.ts";
import type { Sight } from "./sight.ts";

export interface Fault {
  reason: string;
  mend?: string;
}

export interface Means {
  settings: DockerSettings;
  isRoot: boolean;
  daemon?: DaemonFacts | undefined;
  /** Why no sandbox can be made; undefined where one was. */
  fault?: Fault;
  sight?: Sight;
  /** Why no file systems with a size can be made; undefined where they can. */
  imageFault?: string | undefined;
}

const enforced = (reason: string): Guarantee => ({ level: "enforced", reason });
const bestEffort = (reason: string, mend: string): Guarantee => ({
  level: "best_effort",
  reason,
  mend,
});
const none = (reason: string, mend: string): Guarantee => ({ level: "none", reason, mend });

const asRoot = "Start the server as root, on the machine where the daemon runs.";
const mayMount = "Install e2fsprogs, and let the server mount and have loop devices.";
const otherImage = "Take an image that has bash and coreutils (sandbox.docker.image).";

export function describeDocker(means: Means): Probe {
  const { sight, daemon, fault } = means;
  if (sight === undefined || daemon === undefined) {
    const { reason, mend = mendOf(means) } = fault ?? { reason: "Nothing was tried." };
    const nothing = none("No sandbox can be made here.", mend);
    const guarantees = Object.fromEntries(guaranteeNames.map((name) => [name, nothing]));
    return { ok: false, reason, mend, guarantees: guarantees as Probe["guarantees"] };
  }
  const who = means.isRoot ? "a uid for each session" : "all with the uid of the server";
  const { image } = means.settings;
  const how = `Made by Docker ${daemon.version} (${runtimeOf(daemon, means.settings)}) from ${image}, ${who}.`;
  const guarantees = guaranteesOf(means, sight, daemon);
  if (sight.deafness === undefined) return { ok: true, reason: how, guarantees };
  const deaf = `${how} Sessions are refused: ${sight.deafness}.`;
  return { ok: true, reason: deaf, mend: mendDeaf(means, sight, daemon), guarantees };
}

const runtimeOf = ({ defaultRuntime }: DaemonFacts, { runtime }: DockerSettings) =>
  runtime ?? defaultRuntime;

/** gVisor, by the program that the daemon says the runtime is. */
const isGvisor = (daemon: DaemonFacts, settings: DockerSettings): boolean =>
  /(^|[/.])runsc(\.|$)/.test(daemon.runtimes.get(runtimeOf(daemon, settings)) ?? "");

export const otherName = "Set sandbox.docker.image to the name of an image, such as debian:12.";

export const whereImageIs = (image: string): Fault => ({
  reason: `The Docker daemon does not have the image ${image}.`,
  mend: `docker pull ${image}`,
});

/** What a container has that it must not have, or has not that sandboxes need. */
export function faultOfRights(
  sight: Sight,
  daemon: DaemonFacts,
  settings: DockerSettings,
): Fault | undefined {
  if (!sight.hasHead)
    return { reason: `The image ${settings.image} has no /usr/bin/head.`, mend: otherImage };
  if (!sight.canWrite)
    return { reason: "The workspace could not be written to.", mend: mendOfUsers(daemon) };
  const hasRights =
    sight.uid === undefined ||
    sight.uid === "0" ||
    sight.capabilities.some((set) => !/^0+$/.test(set)) ||
    // gVisor need not tell of it.
    (sight.noNewPrivileges !== "1" && !isGvisor(daemon, settings));
  if (!hasRights) return undefined;
  return {
    reason: "A container has rights that were taken from it.",
    mend: "Look at the daemon's settings and at its runtime.",
  };
}

function mendOfUsers({ isRootless, isRemapped }: DaemonFacts): string {
  if (isRootless) return "Use a daemon that runs as root: one without maps users to others.";
  if (isRemapped) return "Take userns-remap out of the daemon's settings.";
  return "Use a daemon of this machine, which sees the server's data directory.";
}

function mendOf({ fault, daemon, settings }: Means): string {
  const reason = fault?.reason ?? "";
  if (/may not use/.test(reason))
    return "Add the server's user to the group of the socket, which gives it the rights of root.";
  if (daemon === undefined)
    return `Start Docker, or set sandbox.docker.socket; it is ${settings.socket} now.`;
  if (/unknown runtime/i.test(reason))
    return "Set sandbox.docker.runtime to one that the daemon knows.";
  if (/\/bin\/bash/.test(reason)) return otherImage;
  return mendOfUsers(daemon);
}

function guaranteesOf(
  means: Means,
  sight: Sight,
  daemon: DaemonFacts,
): Record<GuaranteeName, Guarantee> {
  const unseen = (what: string) =>
    bestEffort(
      `The daemon was asked to limit ${what}, and nothing inside shows whether it does.`,
      "Use the runtime runc on a kernel with control groups, and look at `docker info`.",
    );
  const { imageFault, isRoot } = means;
  return {
    fs: fsOf(sight, means),
    processes: sight.holdsProcesses ? enforced("A cgroup counts them.") : unseen("processes"),
    memory: sight.holdsMemory
      ? enforced("A cgroup holds all processes together.")
      : unseen("memory"),
    cpu: sight.holdsCpus
      ? enforced("A cgroup holds all processes together.")
      : unseen("processor time"),
    disk:
      imageFault === undefined
        ? enforced("The workspace is a file system of its own with a fixed size.")
        : bestEffort(
            `One file has a limit, all together can fill the disk: ${imageFault}.`,
            isRoot ? mayMount : asRoot,
          ),
    network:
      sight.deafness === undefined
        ? enforced("There is none but the container's own loopback, where the server listens.")
        : bestEffort(
            `There is none at all, and sandboxes that need one are refused: ${sight.deafness}.`,
            mendDeaf(means, sight, daemon),
          ),
    kernel: kernelOf(means, sight, daemon),
  };
}

function fsOf(sight: Sight, { imageFault, isRoot }: Means): Guarantee {
  if (!sight.isRootReadOnly)
    return bestEffort(
      "The daemon was asked for a read-only root, and nothing inside shows that it is.",
      "Use the runtime runc.",
    );
  if (imageFault === undefined)
    return enforced(
      "Only the workspace, folders and what lies in memory can be written; the rest is the image.",
    );
  return bestEffort(
    "Only the workspace can be written, but /proc/self/mountinfo names the directory that it lies in.",
    isRoot ? mayMount : asRoot,
  );
}

function mendDeaf({ settings, isRoot }: Means, { isHere }: Sight, daemon: DaemonFacts): string {
  if (!isRoot || !isHere) return asRoot;
  return isGvisor(daemon, settings)
    ? "Give the runtime the argument --network=host: its loopback is the container's then."
    : "Use the runtime runc.";
}

function kernelOf({ settings }: Means, sight: Sight, daemon: DaemonFacts): Guarantee {
  const { seccomp } = sight;
  if (isGvisor(daemon, settings) && sight.release !== hostRelease())
    return enforced("gVisor answers system calls, and the host's kernel only gVisor's.");
  if (seccomp !== "2" || !daemon.hasSeccomp)
    return none(
      "Sandboxes share the host's kernel without a seccomp filter.",
      "Start the daemon with its default seccomp profile.",
    );
  return bestEffort(
    "Sandboxes share the host's kernel behind the daemon's seccomp filter.",
    "Install gVisor and set sandbox.docker.runtime to runsc; for hostile tenants use virtual machines.",
  );
}
