// The same sandbox made by bubblewrap, for machines where its profile may make user namespaces and ours may not. The
// runner still goes before it: it takes the session's uid, mounts the workspace and hands over the filter.
import { existsSync } from "node:fs";
import { sandboxLimits } from "../../limits.ts";
import { makeFilter } from "./filter.ts";
import {
  environment,
  hiddenInProc,
  insideId,
  limitProcess,
  type Plan,
  sharedConfiguration,
  shellWords,
  stageWorkspace,
  syntheticFiles,
  systemDirectories,
  takeOwner,
} from "./plan.ts";
import { makePipes } from "./pipes.ts";
import { makeProgram, type Program } from "./program.ts";

/** A directory that every machine has, hidden in a mount namespace of our own: bubblewrap wants an absolute path. */
const meetingPlace = "/mnt";

export function planBubblewrap(plan: Plan, bubblewrap: string): Program {
  const program = makeProgram();
  const [newMounts, newUsers, bind, recursive] = [0x2_0000, 0x1000_0000, 0x1000, 0x4000];
  makePipes(program, plan.owner);
  program.call("umask", 0o022);
  const isPlain = "directory" in plan.workspace && plan.workspace.isPlain;
  if (plan.owner !== undefined) {
    program.call("unshare", newMounts);
    stageWorkspace(program, plan);
    program.call("mount", "workspace", meetingPlace, 0, bind | recursive, 0);
    takeOwner(program, plan.owner);
  } else if (!isPlain) {
    // Overlays may be mounted in a user namespace alone, and its owner is who we are.
    program.call("unshare", newUsers | newMounts);
    for (const [file, text] of idMaps(plan)) {
      program.call("openat", -100n, `/proc/self/${file}`, 1, 0);
      program.call("write", 3, text, text.length);
      program.call("close", 3);
    }
    stageWorkspace(program, plan);
    program.call("mount", "workspace", meetingPlace, 0, bind | recursive, 0);
  }
  program.call("prctl", 1, 9, 0, 0, 0);
  const filter = handOver(program, 3, makeFilter(plan.machine));
  const files = Object.entries(syntheticFiles).map(([path, text], index) => ({
    path,
    descriptor: handOver(program, 4 + index, Buffer.from(text)),
  }));
  limitProcess(program, plan, { isCountingProcesses: plan.owner !== undefined });
  const source =
    "directory" in plan.workspace && plan.owner === undefined && isPlain
      ? `${plan.workspace.directory}/files`
      : meetingPlace;
  const words = [
    "bwrap",
    ...isolation,
    ...["--uid", `${insideId}`, "--gid", `${insideId}`, "--seccomp", `${filter}`],
    ...system(plan.rootfs),
    ...files.flatMap(({ path, descriptor }) => ["--file", `${descriptor}`, `/${path}`]),
    ...["--proc", "/proc", "--dev", "/dev", "--symlink", "../tmp", "/var/tmp"],
    ...hiddenInProc.filter((path) => existsSync(path)).flatMap((path) => ["--ro-bind", "/dev/null", path]),
    ...sized("/tmp", plan.limits.tmpBytes, "1777"),
    ...sized("/home/agent", plan.limits.tmpBytes, "0755"),
    ...sized("/run", sandboxLimits.runBytes, "0755"),
    ...sized("/dev/shm", sandboxLimits.shmBytes, "1777"),
    ...["--bind", source, "/workspace", "--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", "/workspace", "--", "/bin/bash", ...shellWords.slice(1)],
  ];
  const env = { strings: environment(plan.env) };
  program.call("execve", bubblewrap, { strings: words }, env);
  return program;
}

const isolation = [
  ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"],
  ...["--unshare-cgroup-try", "--hostname", "sandbox", "--die-with-parent", "--cap-drop", "ALL"],
  "--disable-userns",
];

const idMaps = ({ server }: Plan): [string, string][] => [
  ["setgroups", "deny"],
  ["uid_map", `${server.uid} ${server.uid} 1`],
  ["gid_map", `${server.gid} ${server.gid} 1`],
];

const sized = (path: string, bytes: number, mode: string) => [
  ...["--perms", mode, "--size", `${bytes}`, "--tmpfs", path],
];

function system(rootfs: string): string[] {
  const base = rootfs === "/" ? "" : rootfs;
  return [
    ...["--ro-bind", `${base}/usr`, "/usr", "--dir", "/mnt"],
    ...systemDirectories(rootfs).flatMap(({ path, link }) =>
      link === undefined ? ["--ro-bind", `${base}/${path}`, `/${path}`] : ["--symlink", link, `/${path}`],
    ),
    ...sharedConfiguration
      .filter((name) => existsSync(`${base}/etc/${name}`))
      .flatMap((name) => ["--ro-bind", `${base}/etc/${name}`, `/etc/${name}`]),
  ];
}

/** A pipe that holds these bytes; the descriptor is the next free one. */
function handOver(program: Program, descriptor: number, bytes: Buffer): number {
  program.call("pipe2", Buffer.alloc(8), 0);
  program.call("write", descriptor + 1, bytes, bytes.length);
  program.call("close", descriptor + 1);
  return descriptor;
}
