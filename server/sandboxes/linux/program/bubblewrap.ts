// The same sandbox made by bubblewrap, for machines where its profile may make user namespaces and ours may not. The
// runner still goes before it: it takes the session's uid, mounts the workspace and hands over the filter.
import { existsSync } from "node:fs";
import { sandboxLimits } from "../../limits.ts";
import { makeFilter } from "./filter.ts";
import { makeListener } from "./listener.ts";
import { makePipes } from "./pipes.ts";
import { environment, limitProcess, raiseLoopback, shellWords, takeOwner } from "./plan.ts";
import { programsPlace } from "../../programs.ts";
import { insideId, type Plan } from "./plan-types.ts";
import { makeProgram, type Program } from "./program.ts";
import { hiddenInProc, sharedConfiguration, syntheticFiles, systemDirectories } from "./root.ts";
import { stageWorkspace } from "./stage.ts";
import { firstFree, mounts, newMounts, newNetwork, writeFile } from "./steps.ts";

/** A directory that every machine has, hidden in a mount namespace of our own: bubblewrap wants an absolute path. */
const meetingPlace = "/mnt";
const programsMeetingPlace = "/media";

export function planBubblewrap(plan: Plan, bubblewrap: string): Program {
  const program = makeProgram();
  const newUsers = 0x1000_0000;
  makePipes(program, plan);
  program.call("umask", 0o022);
  const isPlain = "directory" in plan.workspace && plan.workspace.isPlain;
  if (plan.owner !== undefined) {
    program.call("unshare", newMounts | newNetwork);
    raiseNetwork(program, plan);
    stageWorkspace(program, plan);
    meet(program, plan);
    takeOwner(program, plan.owner);
  } else if (!isPlain) {
    // Overlays may be mounted in a user namespace alone, and its owner is who we are.
    program.call("unshare", newUsers | newMounts | newNetwork);
    for (const [file, text] of idMaps(plan)) writeFile(program, `/proc/self/${file}`, text);
    raiseNetwork(program, plan);
    stageWorkspace(program, plan);
    meet(program, plan);
  }
  program.call("prctl", 1, 9, 0, 0, 0);
  const filter = handOver(program, firstFree, makeFilter(plan.machine));
  const files = Object.entries(syntheticFiles).map(([path, text], index) => ({
    path,
    descriptor: handOver(program, firstFree + 1 + index, Buffer.from(text)),
  }));
  limitProcess(program, plan, { isCountingProcesses: plan.owner !== undefined });
  const source =
    "directory" in plan.workspace && plan.owner === undefined && isPlain
      ? `${plan.workspace.directory}/files`
      : meetingPlace;
  const words = [
    ...split("bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts"),
    // Where it is not made already: bubblewrap lets nobody in that would listen there.
    ...(plan.owner === undefined && isPlain ? ["--unshare-net"] : []),
    ...split("--unshare-cgroup-try --hostname sandbox --die-with-parent --cap-drop ALL"),
    ...split(`--disable-userns --uid ${insideId} --gid ${insideId} --seccomp ${filter}`),
    ...system(plan.rootfs),
    ...files.flatMap(({ path, descriptor }) => ["--file", `${descriptor}`, `/${path}`]),
    ...split("--proc /proc --dev /dev --symlink ../tmp /var/tmp"),
    ...hiddenInProc.filter((path) => existsSync(path)).flatMap(hide),
    ...sized("/tmp", plan.limits.tmpBytes, "1777"),
    ...sized("/home/agent", plan.limits.tmpBytes, "0755"),
    ...sized("/run", sandboxLimits.runBytes, "0755"),
    ...sized("/dev/shm", sandboxLimits.shmBytes, "1777"),
    ...bindTo("--bind", source, "/workspace"),
    ...bringPrograms(plan, source),
    ...split("--remount-ro /dev --remount-ro / --chdir /workspace -- /bin/bash"),
    ...shellWords.slice(1),
  ];
  const env = { strings: environment(plan) };
  program.call("execve", bubblewrap, { strings: words }, env);
  return program;
}

function meet(program: Program, { programs }: Plan): void {
  const { bind, recursive } = mounts;
  program.call("mount", "workspace", meetingPlace, 0, bind | recursive, 0);
  if (programs !== undefined) program.call("mount", "programs", programsMeetingPlace, 0, bind, 0);
}

function raiseNetwork(program: Program, { hasDoor }: Plan): void {
  raiseLoopback(program);
  if (hasDoor) makeListener(program);
}

const split = (words: string) => words.split(" ");
/** Paths may have blanks in them. */
const bindTo = (how: "--bind" | "--ro-bind", from: string, to: string) => [how, from, to];
const hide = (path: string) => bindTo("--ro-bind", "/dev/null", path);

function bringPrograms({ programs }: Plan, workspace: string): string[] {
  if (programs === undefined) return [];
  const isStaged = workspace === meetingPlace;
  return bindTo("--ro-bind", isStaged ? programsMeetingPlace : `${programs}/files`, programsPlace);
}

const idMaps = ({ server }: Plan): [string, string][] => [
  ["setgroups", "deny"],
  ["uid_map", `${server.uid} ${server.uid} 1`],
  ["gid_map", `${server.gid} ${server.gid} 1`],
];

const sized = (path: string, bytes: number, mode: string) =>
  split(`--perms ${mode} --size ${bytes} --tmpfs ${path}`);

function system(rootfs: string): string[] {
  const base = rootfs === "/" ? "" : rootfs;
  const show = (path: string) => bindTo("--ro-bind", `${base}/${path}`, `/${path}`);
  return [
    ...show("usr"),
    ...split("--dir /mnt"),
    ...systemDirectories(rootfs).flatMap(({ path, link }) =>
      link === undefined ? show(path) : ["--symlink", link, `/${path}`],
    ),
    ...sharedConfiguration
      .filter((name) => existsSync(`${base}/etc/${name}`))
      .flatMap((name) => show(`etc/${name}`)),
  ];
}

/** A pipe that holds these bytes; the descriptor is the next free one. */
function handOver(program: Program, descriptor: number, bytes: Buffer): number {
  program.call("pipe2", Buffer.alloc(8), 0);
  program.call("write", descriptor + 1, bytes, bytes.length);
  program.call("close", descriptor + 1);
  return descriptor;
}
