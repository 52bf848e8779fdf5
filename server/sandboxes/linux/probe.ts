// What sandboxes of this machine hold: tried where it can be, with a sandbox that is made and thrown away.
import { existsSync, readFileSync } from "node:fs";
import { type Guarantee, type GuaranteeName, guaranteeNames, type Probe } from "../provider.ts";
import type { Controller } from "./machine/cgroups.ts";

export interface Means {
  isRoot: boolean;
  launcher: "direct" | "bwrap";
  cgroups: { usable: ReadonlySet<Controller> };
  /** Why no file systems with a size can be made; undefined where they can. */
  imageFault: string | undefined;
  /** Why no sandbox could be made; undefined where one was. */
  fault: string | undefined;
  isPlainBind: boolean;
  /** Whether sandboxes reach the server, and by way of it what their environments allow. */
  canListen: boolean;
}

const enforced = (reason: string): Guarantee => ({ level: "enforced", reason });
const bestEffort = (reason: string, mend: string): Guarantee => ({
  level: "best_effort",
  reason,
  mend,
});
const none = (reason: string, mend: string): Guarantee => ({ level: "none", reason, mend });

const asRoot = "Start the server as root.";
const handCgroup = "Hand the server a cgroup (systemd: Delegate=yes), or start it as root.";

export function describeMeans(means: Means): Probe {
  if (means.fault !== undefined) {
    const mend = mendOf(means.fault);
    const nothing = none("No sandbox can be made here.", mend);
    const guarantees = Object.fromEntries(guaranteeNames.map((name) => [name, nothing]));
    return {
      ok: false,
      reason: means.fault,
      mend,
      guarantees: guarantees as Record<GuaranteeName, Guarantee>,
    };
  }
  const how = means.launcher === "direct" ? "own system calls" : "bubblewrap";
  const who = means.isRoot ? "a uid for each session" : "all with the uid of the server";
  return { ok: true, reason: `Made by ${how}, ${who}.`, guarantees: guaranteesOf(means) };
}

function guaranteesOf(means: Means): Record<GuaranteeName, Guarantee> {
  const { isRoot, cgroups, imageFault, isPlainBind } = means;
  return {
    fs: isPlainBind
      ? bestEffort(
          "Only the workspace can be written, but /proc/self/mountinfo names the directory that it lies in.",
          isRoot
            ? "Install e2fsprogs."
            : "Use a kernel whose overlayfs works for users (5.11 or newer).",
        )
      : enforced(
          "Only the workspace and what lies in memory can be written; of the host /usr alone is seen.",
        ),
    processes: cgroups.usable.has("pids")
      ? enforced("A cgroup counts them.")
      : enforced("The kernel counts them in the sandbox's own user namespace."),
    memory: cgroups.usable.has("memory")
      ? enforced("A cgroup holds all processes together.")
      : bestEffort("Each process has the limit for itself, all together have none.", handCgroup),
    cpu: cgroups.usable.has("cpu")
      ? enforced("A cgroup holds all processes together.")
      : none("A sandbox may use all processors.", handCgroup),
    disk:
      imageFault === undefined
        ? enforced("The workspace is a file system of its own with a fixed size.")
        : bestEffort(
            `One file has a limit, all together can fill the disk: ${imageFault}.`,
            isRoot ? "Install e2fsprogs, and let the server have loop devices." : asRoot,
          ),
    network: means.canListen
      ? enforced("There is none but the sandbox's own loopback, where the server may listen.")
      : bestEffort(
          "There is none at all, not even to hosts that an environment allows: only bubblewrap may make namespaces here.",
          mendOf("unshare"),
        ),
    kernel: {
      level: "best_effort",
      reason: `Sandboxes share the host's kernel behind a seccomp filter${isRoot ? "" : ", and one uid"}.`,
      mend: isRoot ? "For hostile tenants use virtual machines." : asRoot,
    },
  };
}

function mendOf(fault: string): string {
  if (readSetting("kernel/apparmor_restrict_unprivileged_userns") === "1")
    return "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or install bubblewrap with its AppArmor profile.";
  if (readSetting("user/max_user_namespaces") === "0")
    return "sysctl user.max_user_namespaces=10000";
  if (readSetting("kernel/unprivileged_userns_clone") === "0")
    return "sysctl kernel.unprivileged_userns_clone=1";
  if (/mount proc/.test(fault))
    return "In a container, unmask /proc (docker: --security-opt systempaths=unconfined).";
  if (/unshare/.test(fault))
    return "In a container, allow unshare and mount in its seccomp profile.";
  if (/mount_setattr: this kernel has no such call/.test(fault)) return "Use Linux 5.12 or newer.";
  if (/execve/.test(fault)) return "Install bash in the root file system of sandboxes.";
  return "Run the server on Linux 5.14 or newer, outside of a container or with its privileges.";
}

function readSetting(name: string): string | undefined {
  const path = `/proc/sys/${name}`;
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined;
}
