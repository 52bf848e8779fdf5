// What a container sees of itself: asked of one that is made to be looked at, in words that any bash knows.
import type { SandboxLimits } from "../provider.ts";

export interface Sight {
  uid: string | undefined;
  /** Of all five sets, in the kernel's own digits. */
  capabilities: readonly string[];
  seccomp: string | undefined;
  noNewPrivileges: string | undefined;
  isRootReadOnly: boolean;
  canWrite: boolean;
  hasHead: boolean;
  holdsMemory: boolean;
  holdsProcesses: boolean;
  holdsCpus: boolean;
  /** Of the kernel that answers inside. */
  release: string | undefined;
  /** The server sees the container's processes, so that it runs on this machine. */
  isHere: boolean;
  /** Why the server cannot listen inside; undefined where it can. */
  deafness: string | undefined;
}

const groups = "/sys/fs/cgroup";

/** Whether the file system is read-only the mount says, not the mode: no agent may write to its root anyway. */
export const sightLine = `
say() { printf '%s=%s\\n' "$1" "$2"; }
file() { [ -r "$2" ] && read -r line <"$2" && say "$1" "$line"; }
while read -r name value; do say "status.$name" "$value"; done </proc/self/status
while read -r _ _ _ _ place options _; do [ "$place" = / ] && say root "$options"; done </proc/self/mountinfo
: >/workspace/.seen && say workspace written
[ -x /usr/bin/head ] && say head there
file memory ${groups}/memory.max; file memory ${groups}/memory/memory.limit_in_bytes
file pids ${groups}/pids.max; file pids ${groups}/pids/pids.max
file cpu ${groups}/cpu.max; file cpu ${groups}/cpu/cpu.cfs_quota_us
file release /proc/sys/kernel/osrelease
`;

/** The period over which the daemon counts processor time. */
const periodUs = 100_000;

export function readSight(said: string, limits: SandboxLimits): Sight {
  const lines = said.split("\n").map((line) => /^([^=]+?):?=(.*)$/.exec(line));
  const of = (name: string) => lines.find((line) => line?.[1] === name)?.[2]?.trim();
  const quota = `${Math.round(limits.cpus * periodUs)}`;
  return {
    uid: of("status.Uid")?.split(/\s/)[0],
    capabilities: ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].flatMap(
      (name) => of(`status.${name}`) ?? [],
    ),
    seccomp: of("status.Seccomp"),
    noNewPrivileges: of("status.NoNewPrivs"),
    isRootReadOnly: of("root")?.split(",").includes("ro") === true,
    canWrite: of("workspace") === "written",
    hasHead: of("head") === "there",
    holdsMemory: of("memory") === `${limits.memoryBytes}`,
    holdsProcesses: of("pids") === `${limits.processesMax + 1}`,
    holdsCpus: of("cpu")?.split(" ")[0] === quota,
    release: of("release"),
    isHere: false,
    deafness: undefined,
  };
}
